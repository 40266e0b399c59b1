import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copyProject, startProofmark } from '../try-proofmark.fixture.ts';

/** An agent that notes each question, and a suite that asks it two. */
const agent = (word: string) => `import { appendFileSync } from 'node:fs';
export default ({ input }) => {
  appendFileSync('results/asked', \`\${input} \`);
  return '${word} ' + input;
};
`;
/** The same, which writes a file of its own each time. */
const keeper = agent('says').replace('results/asked', 'notes.txt');
const suite = ({ first = 'One', phrase = 'says' } = {}) => `name: Talk
agent: { name: Desk, driver: { type: module, file: desk.mjs } }
cases:
  - { name: First, input: ${first}, expected_behavior: { checks: [{ type: contains_phrases, phrases: [${phrase}] }] } }
  - { name: Second, input: Two, expected_behavior: { checks: [{ type: contains_phrases, phrases: [says] }] } }
`;

/** An agent while which runs somebody saves its program, and another suite. */
const more = suite({ first: 'More' })
  .replace('Talk', 'More')
  .replace(/ {2}- \{ name: Second.*\n/, '');
const savedMeanwhile = `import { writeFileSync } from 'node:fs';
export default ({ input }) => {
  if (input === 'Two') writeFileSync('more.suite.yaml', ${JSON.stringify(more)});
  if (input === 'Two') writeFileSync('desk.mjs', ${JSON.stringify(keeper)});
  return 'is ' + input;
};
`;

/** A watched project: what it says next, line by line, and what its agent was asked since. */
async function watched(options: string[] = []) {
  const copy = await copyProject();
  const { folder } = copy;
  const write = (path: string, text: string) => writeFile(join(folder, path), text);
  await mkdir(join(folder, 'results'));
  await write('proofmark.yaml', '{}');
  await write('desk.mjs', agent('says'));
  await write('notes.txt', '');
  await write('talk.suite.yaml', suite());
  await write('results/asked', '');
  const { child, ended } = startProofmark(folder, ['watch', ...options]);
  let told = '';
  let errors = '';
  let wake = Promise.withResolvers<void>();
  child.stdout.on('data', (chunk: Buffer) => {
    told += chunk;
    wake.resolve();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk;
    wake.resolve();
  });
  /** Waits for a line and takes everything up to it away. */
  const line = async (pattern: RegExp): Promise<string> => {
    for (let found = pattern.exec(told); ; found = pattern.exec(told)) {
      if (found !== null) {
        told = told.slice(found.index + found[0].length);
        return found[0];
      }
      wake = Promise.withResolvers();
      const late = setTimeout(() => wake.reject(new Error(`No ${String(pattern)}, but: ${told}\n${errors}`)), 90_000);
      await wake.promise.finally(() => clearTimeout(late));
    }
  };
  const asked = async () => {
    const questions = (await readFile(join(folder, 'results/asked'), 'utf8')).trim();
    await write('results/asked', '');
    return questions;
  };
  const problem = async (pattern: RegExp) => {
    while (!pattern.test(errors)) {
      wake = Promise.withResolvers();
      const late = setTimeout(() => wake.reject(new Error(`No ${String(pattern)}, but: ${errors}`)), 90_000);
      await wake.promise.finally(() => clearTimeout(late));
    }
    errors = '';
  };
  const end = async () => {
    child.kill('SIGINT');
    return (await ended).code;
  };
  return { write, line, problem, asked, end, [Symbol.asyncDispose]: () => copy[Symbol.asyncDispose]() };
}

test('a change runs what it touches and keeps the rest: a check judges the known answer, a question and a program are asked', async () => {
  await using project = await watched();
  const { write, line, problem, asked, end } = project;
  await line(/2 test runs in [\d.]+ s\. Of all 2: 2 passed\.\n/);
  expect((await asked()).split(' ').toSorted()).toEqual(['One', 'Two']);
  await write('talk.suite.yaml', suite({ phrase: 'nothing like it' }));
  await line(/1 test run in [\d.]+ s, 1 of them with a known answer\. Of all 2: 1 passed, 1 failed\.\n/);
  expect(await asked()).toBe('');
  await write('talk.suite.yaml', suite({ first: 'Three' }));
  await line(/1 test run in [\d.]+ s\. Of all 2: 2 passed\.\n/);
  expect(await asked()).toBe('Three');
  await write('talk.suite.yaml', `${suite({ first: 'Three' })}broken: true\n`);
  await problem(/unknown key `broken`/);
  await write('talk.suite.yaml', suite({ first: 'Three' }));
  await line(/No case is touched\. Of all 2: 2 passed\.\n/);
  await write('desk.mjs', agent('is'));
  await line(/2 test runs in [\d.]+ s\. Of all 2: 0 passed, 2 failed\.\n/);
  expect((await asked()).split(' ').toSorted()).toEqual(['Three', 'Two']);
  expect(await end()).toBe(0);
});

test('a save during a run is the next change; what the programs write each time is none for long', async () => {
  await using project = await watched();
  const { write, line, end } = project;
  await line(/Of all 2: 2 passed\.\n/);
  await write('desk.mjs', savedMeanwhile);
  await line(/2 test runs in .*\n/);
  await line(/3 test runs in [\d.]+ s\. Of all 3: 3 passed\.\n/);
  // Once the notes could have been somebody's save; written again and again, they are the program's.
  let again = '';
  for (const first of ['Three', 'Four', 'Five', 'Six']) {
    await write('talk.suite.yaml', suite({ first }));
    again = await line(/\d test runs? in .*\n/);
    if (again.startsWith('1')) break;
  }
  expect(again).toMatch(/^1 test run in /);
  expect(await end()).toBe(0);
});

test('--json tells after each change how all stands', async () => {
  await using project = await watched(['--json']);
  const { write, line, end } = project;
  expect(JSON.parse(await line(/.*\n/))).toEqual({
    again: 2,
    known: 0,
    ms: expect.any(Number),
    total: 2,
    passed: 2,
    failed: 0,
    errors: 0,
  });
  await write('talk.suite.yaml', suite({ phrase: 'nothing like it' }));
  expect(JSON.parse(await line(/.*\n/))).toMatchObject({ again: 1, known: 1, total: 2, passed: 1, failed: 1 });
  expect(await end()).toBe(0);
});
