import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
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
async function watched(options: string[] = [], { log }: { log?: string } = {}) {
  const copy = await copyProject();
  const { folder } = copy;
  /** At once, as editors save: a file that is written in place is empty for a moment, and may be read then. */
  const write = async (path: string, text: string): Promise<void> => {
    const beside = `${folder}.saved`;
    await writeFile(beside, text);
    await rename(beside, join(folder, path));
  };
  await mkdir(join(folder, 'results'));
  await write('proofmark.yaml', '{}');
  await write('desk.mjs', agent('says'));
  await write('notes.txt', '');
  await write('talk.suite.yaml', suite());
  await write('results/asked', '');
  if (log !== undefined) await write(log, '');
  const { child, ended } = startProofmark(folder, ['watch', ...options]);
  let told = '';
  let errors = '';
  let wake = Promise.withResolvers<void>();
  /** As `tee` does. */
  const keep = (chunk: Buffer): void => {
    if (log !== undefined) appendFileSync(join(folder, log), chunk);
  };
  child.stdout.on('data', (chunk: Buffer) => {
    told += chunk;
    keep(chunk);
    wake.resolve();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk;
    keep(chunk);
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
  /** What nobody has waited for. */
  const said = () => told + errors;
  const end = async () => {
    child.kill('SIGINT');
    return (await ended).code;
  };
  return { write, line, problem, said, asked, end, [Symbol.asyncDispose]: () => copy[Symbol.asyncDispose]() };
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

test('output that goes into a file of the project is no change, nor is any other log', async () => {
  await using project = await watched([], { log: 'watch.log' });
  const { write, line, problem, said, end } = project;
  await line(/Of all 2: 2 passed\.\n/);
  await write('talk.suite.yaml', 'broken');
  // It waited before, too, and may say so only now.
  await problem(/\| broken[\s\S]*Waiting for a change/);
  await write('talk.suite.yaml', suite());
  await line(/No case is touched\. Of all 2: 2 passed\.\n/);
  for (const first of ['Three', 'Four', 'Five']) {
    // Time enough to tell of the log, if it were told.
    for (let start = 0; start < 5; start += 1) slowness();
    await write('talk.suite.yaml', suite({ first }));
    await line(/^1 test run in [\d.]+ s\. Of all 2: 2 passed\.\n/);
  }
  expect(said()).not.toMatch(/No case|error/);
  // Nor is a case that broke asked again for what was written of it.
  await write('desk.mjs', agent('says').replace('return', "if (input === 'Two') throw new Error('away');\n  return"));
  await line(/^2 test runs in [\d.]+ s\. Of all 2: 1 passed, 1 error\.\n/);
  for (let start = 0; start < 5; start += 1) slowness();
  await write('talk.suite.yaml', suite({ first: 'Six' }));
  await line(/^2 test runs in [\d.]+ s\. Of all 2: 1 passed, 1 error\.\n/);
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

/** An agent behind a URL that counts its questions. */
async function countingAgent() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      asked.push(body);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ output: 'It says so' }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a server on TCP has a port
  return { url, asked, [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

/** How many times longer a process takes to start than on a machine with nothing else to do. */
function slowness(): number {
  const start = performance.now();
  execFileSync(process.execPath, ['-e', '']);
  return Math.max(1, (performance.now() - start) / 50);
}

test('a change of one of 40 cases asks for that one alone, within a second beside its call', async () => {
  await using agent = await countingAgent();
  await using project = await watched(['--json']);
  const { write, line, end } = project;
  await line(/.*\n/);
  const suiteWith = (first: string) =>
    JSON.stringify({
      ...{
        name: 'Forty',
        agent: { name: 'Service', instructions: 'Say so.', driver: { type: 'http', url: agent.url } },
      },
      cases: Array.from({ length: 40 }, (_, index) => ({
        ...{ name: `Case ${index}`, input: index === 0 ? first : `Question ${index}` },
        expected_behavior: { checks: [{ type: 'contains_phrases', phrases: ['says'] }] },
      })),
    });
  await write('talk.suite.yaml', suiteWith('First?'));
  expect(JSON.parse(await line(/.*\n/))).toMatchObject({ again: 40, total: 40, passed: 40 });
  expect(agent.asked).toHaveLength(40);
  const took: number[] = [];
  for (const first of ['Second?', 'Third?', 'Fourth?']) {
    agent.asked.length = 0;
    const allowed = 1_000 * slowness();
    await write('talk.suite.yaml', suiteWith(first));
    const told = JSON.parse(await line(/.*\n/));
    expect(told).toMatchObject({ again: 1, known: 0, total: 40, passed: 40 });
    expect(agent.asked).toEqual([expect.stringContaining(first)]);
    took.push(told.ms / Math.max(allowed, 1_000 * slowness()));
  }
  expect(Math.min(...took)).toBeLessThan(1);
  expect(await end()).toBe(0);
});
