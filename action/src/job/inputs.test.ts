import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { inputShapes, readInputs } from './inputs.ts';

const actionFile = readFileSync(new URL('../../action.yml', import.meta.url), 'utf8');
const declared = [
  ...actionFile.slice(0, actionFile.indexOf('\noutputs:')).matchAll(/^ {2}([a-z-]+):\n {4}description/gm),
];
const defaults: Record<string, string> = {
  'working-directory': '.',
  'only-affected': 'true',
  baseline: 'auto',
  'on-error': 'block',
  reuse: 'true',
  'fail-on': 'auto',
  report: 'auto',
  comment: 'changes',
  'comment-key': 'pr',
  'check-name': 'proofmark',
  wait: 'true',
  'timeout-minutes': '30',
};

const read = (given: Record<string, string> = {}) => readInputs((name) => given[name] ?? defaults[name] ?? '');
const messagesOf = (given: Record<string, string>) => {
  const result = read(given);
  return result.ok ? [] : result.messages;
};

test('every input of action.yml is read, and no other', () => {
  expect(Object.keys(inputShapes).sort()).toEqual(declared.map((match) => match[1] ?? '').sort());
});

test('the defaults are accepted', () => {
  expect(read()).toMatchObject({
    ok: true,
    inputs: { coordinator: null, suites: [], variables: [], wait: true, 'timeout-minutes': 30, difficulty: null },
  });
});

test('an unknown word lists what is allowed', () => {
  expect(messagesOf({ 'on-error': 'ignore' })).toEqual(["on-error: 'ignore' is not one of block, allow"]);
  expect(messagesOf({ difficulty: 'easy' })).toEqual(["difficulty: 'easy' is not one of normal, hard"]);
  expect(messagesOf({ wait: 'yes' })).toEqual(["wait: 'yes' is not one of true, false"]);
});

test.for(['0', '101', '2.5', 'five', '-1', '1e3'])('repetitions %s is no whole number from 1 to 100', (repetitions) => {
  expect(messagesOf({ repetitions })).toEqual([`repetitions: '${repetitions}' is not a whole number from 1 to 100`]);
});

test('all mistakes are told at once', () => {
  expect(messagesOf({ comment: 'loud', 'check-name': 'My Check', concurrency: '0' })).toHaveLength(3);
});

test('a commit goes together with its pull request', () => {
  expect(messagesOf({ 'pull-request': '12' })).toEqual([
    'pull-request: goes together with head-sha: give both or neither',
  ]);
  expect(read({ 'pull-request': '12', 'head-sha': 'a'.repeat(40) }).ok).toBe(true);
});

test.for(['http://example.com', 'ftp://example.com', 'example.com', 'http://127.0.0.1.example.com'])(
  'a token is not sent to %s',
  (coordinator) => {
    expect(messagesOf({ coordinator })).toEqual(['coordinator: must be an https URL (http only on this machine)']);
  },
);

test.for(['https://proofmark.example.com/base', 'http://127.0.0.1:4000', 'http://localhost:4000'])(
  '%s can be a coordinator',
  (coordinator) => {
    expect(messagesOf({ coordinator })).toEqual([]);
  },
);

test('S4-74 a variable is split at its first equals sign', () => {
  const result = read({ variables: 'Greeting=a=b\r\n\nTemperature = 0' });
  expect(result).toMatchObject({
    inputs: {
      variables: [
        { name: 'Greeting', text: 'a=b' },
        { name: 'Temperature', text: ' 0' },
      ],
    },
  });
});
