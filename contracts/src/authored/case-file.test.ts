import { describe, expect, test } from 'vitest';
import { validateFileInput, validateTestCase } from '../validate/validate.ts';
import { fileFindings } from './file-input.ts';

const errors = (value: object): string[] => {
  const result = validateTestCase({ name: 'a', ...value });
  return result.valid ? [] : result.errors.map(({ path, code }) => `${code} ${path}`);
};

const fileErrors = (value: object): string[] => {
  const result = validateFileInput(value);
  return result.valid ? [] : result.errors.map(({ path, code }) => `${code} ${path}`);
};

const persona = { type: 't', description: 'd', instructions: 'i' };

describe('the two kinds of case (C02)', () => {
  test.each([
    ['input and persona', { input: 'q', persona }, ['exclusive input']],
    ['question and initial_message', { question: 'q', initial_message: 'hi' }, ['exclusive question']],
    ['input and question', { input: 'q', question: 'q' }, ['exclusive question']],
    ['ground_truth alone', { ground_truth: 'x' }, ['required input']],
    [
      'both forms of tool expectations',
      { input: 'q', expected_tools: [], expected_tool_calls: [] },
      ['exclusive expected_tools'],
    ],
    ['metrics and tools of a simulated case', { persona, evaluations: ['relevance'], expected_tools: ['t'] }, []],
    ['turns and input', { input: 'q', turns: [{ user: 'a' }] }, ['exclusive turns']],
    ['turns and a person', { turns: [{ user: 'a' }], persona }, ['exclusive turns']],
    [
      'turns with both forms of tools',
      { turns: [{ user: 'a', expected_tools: [], expected_tool_calls: [] }] },
      ['exclusive turns[0].expected_tools'],
    ],
    [
      'a turn with a price',
      { turns: [{ user: 'a', expected_behavior: { checks: [{ type: 'cost', max_usd: 1 }] } }] },
      ['invalid_value turns[0].expected_behavior.checks[0].type'],
    ],
    ['no turns', { turns: [] }, ['too_short turns']],
    ['an empty message', { turns: [{ user: ' ' }] }, ['too_short turns[0].user']],
    [
      'a system message as history',
      { input: 'q', messages: [{ role: 'system', content: 'x' }] },
      ['invalid_enum messages[0].role'],
    ],
    ['history before turns', { messages: [{ role: 'user', content: 'x' }], turns: [{ user: 'a' }] }, []],
    ['outcomes of a single-turn case', { input: 'q', expected_outcomes: { a: true } }, []],
    ['keys that the server sets', { id: 'x', created_at: 'y', updated_at: 'z' }, []],
  ])('%s', (_, value, expected) => {
    expect(errors(value)).toEqual(expected);
  });
});

describe('files (S0-15, S0-26, S0-28)', () => {
  test('ten are accepted, eleven are not', () => {
    const files = (count: number): object[] => Array.from({ length: count }, () => ({ path: 'a.txt', type: 'text' }));
    expect(errors({ input: 'q', files: files(10) })).toEqual([]);
    expect(errors({ input: 'q', files: files(11) })).toEqual(['too_many files']);
  });

  test.each([
    ['neither path nor url', { type: 'pdf' }, ['required file']],
    ['both', { path: 'a', url: 'https://e.org/a', type: 'pdf' }, ['exclusive file']],
    ['no type', { path: 'a' }, ['required file.type']],
    ['type video', { path: 'a', type: 'video' }, ['invalid_enum file.type']],
    [
      'pages -1 and 1.5',
      { path: 'a', type: 'pdf', pages: [-1, 1.5] },
      ['out_of_range file.pages[0]', 'invalid_type file.pages[1]'],
    ],
    ['page 10,001', { path: 'a', type: 'pdf', pages: [10_001] }, ['out_of_range file.pages[0]']],
    ['an empty sheet', { path: 'a', type: 'excel', sheet: '' }, ['too_short file.sheet']],
    ['a reversed range', { path: 'a', type: 'excel', range: 'E100:A1' }, ['invalid_format file.range']],
    ['a range of a million cells', { path: 'a', type: 'excel', range: 'A1:ZZ99999' }, ['out_of_range file.range']],
    ['a range in words', { path: 'a', type: 'excel', range: 'all' }, ['invalid_format file.range']],
    ['a password in the url', { url: 'https://me:secret@e.org/a', type: 'pdf' }, ['invalid_format file.url']],
    ['javascript', { url: 'javascript:alert(1)', type: 'pdf' }, ['invalid_format file.url']],
    ['plain http', { url: 'http://localhost:8080/a', type: 'pdf' }, ['invalid_format file.url']],
    ['an unknown key', { path: 'a', type: 'pdf', page: 1 }, ['unknown_field file.page']],
  ])('%s', (_, value, expected) => {
    expect(fileErrors(value)).toEqual(expected);
  });

  test.each([
    'http://e.org/a',
    'https://e.org:8443/a',
    'https://localhost/a',
    'https://intranet/a',
    'https://127.1/a',
    'https://0x7f000001/a',
    'https://10.0.0.1/a',
    'https://172.31.0.1/a',
    'https://100.64.0.1/a',
    'https://169.254.169.254/latest',
    'https://[::1]/a',
    'https://[fd00::1]/a',
    'https://[::ffff:10.0.0.1]/a',
  ])('%s is refused unless the operator lists its origin (S1)', (url) => {
    const message = expect.stringContaining('works only where the operator lists its origin in PROOFMARK_URL_ALLOW');
    const file = { url, type: 'pdf' };
    const [refused, ...others] = fileFindings(file, []);
    expect(others).toEqual([]);
    expect(refused).toMatchObject({ path: ['url'], message });
    expect(refused).not.toHaveProperty('severity');
    expect(fileFindings(file, [], new Set([new URL(url).origin]))).toEqual([]);
    expect(fileFindings(file, [], new Set(['https://other.example.org']))).toHaveLength(1);
    expect(fileFindings(file, [], 'left to runners')).toMatchObject([{ severity: 'warning', path: ['url'], message }]);
  });

  test.each(['https://e.org/a', 'https://e.org:443/a', 'https://172.32.0.1/a', 'https://[2606:4700::1]/a'])(
    'nothing is said of %s',
    (url) => {
      expect(fileFindings({ url, type: 'pdf' }, [])).toEqual([]);
    },
  );

  test.each([
    '/etc/passwd',
    '../a',
    'a/../../b',
    'C:/a',
    'C:a',
    '\\\\host\\share',
    'a\\b',
    '~/a',
    'a/%2e%2e/b',
    '.env',
    'a/.git/config',
    'a\u0000b',
    'a//b',
    './a',
  ])('the path %j is refused (F1)', (path) => {
    expect(fileErrors({ path, type: 'text' })).toEqual(['invalid_format file.path']);
  });
});

test('metrics of a case are names only, and numbers are no names (C47)', () => {
  expect(errors({ input: 'q', evaluations: [{ metric: 'relevance' }] })).toEqual(['invalid_type evaluations[0]']);
});

test('a repeated name of an expected tool is kept as it was written', () => {
  const result = validateTestCase({ name: 'a', input: 'q', expected_tools: ['x', 'x'] });
  expect(result).toMatchObject({ valid: true, normalized: { expected_tools: ['x', 'x'] } });
});
