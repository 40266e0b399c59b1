import { readdirSync, readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { expect, test } from 'vitest';
import { waitUntil } from '../../../tests/stack/wait-until.ts';
import { parseThreads, usualLimits } from './parse-threads.ts';

const suite = (name: string, more = ''): string =>
  `name: ${name}\nagent: { name: a, driver: { type: scripted, replies: [{ reply: hi }] } }\n${more}cases:\n  - { name: c, input: hi, user_context: { __proto__: { a: 1 } }, expected_behavior: { checks: [{ type: contains_phrases, phrases: [hi] }] } }\n`;
const sent = (texts: readonly string[]) => {
  const files = texts.map((text, index) => ({ path: `${index}.suite.yaml`, text }));
  return { ask: 'sent' as const, files, suitePaths: files.map(({ path }) => path), projectPath: null };
};

test('what a thread reads is the same as what is read here, own keys of any name included', async () => {
  const parsed = await parseThreads().ask(sent([suite('A'), 'name: [\n']));
  if (!parsed.ok) throw new Error(parsed.message);
  const [loaded] = parsed.answer.definitions.suites;
  expect(loaded?.suite.name).toBe('A');
  expect(loaded?.caseFiles.get('c')).toBe('0.suite.yaml');
  expect(Object.keys(loaded?.suite.cases[0]?.user_context ?? {})).toEqual(['__proto__']);
  expect(parsed.answer.problems.map(({ file, code, severity }) => `${file} ${severity} ${code}`)).toEqual([
    '0.suite.yaml warning invalid_value',
    '1.suite.yaml error parse_error',
  ]);
});

test('files that take too long are given up, and others are read afterwards', async () => {
  const threads = parseThreads({ ...usualLimits, cpuMs: 150, cpuMsPerFile: 0, cpuMsPerKb: 0, threads: 1 });
  const many = Array.from({ length: 2_000 }, (_, index) => suite(`S${index}`, `description: "${'x'.repeat(1_000)}"\n`));
  const [slow, quick] = await Promise.all([threads.ask(sent(many)), threads.ask(sent([]))]);
  expect(slow).toEqual({ ok: false, message: 'the files take more than 150 ms to read' });
  expect(quick.ok).toBe(true);
});

test('files that take too much memory are given up without harm to the process, however much that was allowed', async () => {
  // As the images start Node.
  setFlagsFromString('--max-old-space-size=1024');
  const threads = parseThreads({ ...usualLimits, cpuMs: 60_000, heapMb: 24 });
  const many = Array.from({ length: 1_500 }, (_, index) => suite(`S${index}`, `variables: { ${manyKeys} }\n`));
  expect(await threads.ask(sent(many))).toEqual({ ok: false, message: 'the files take more than 24 MB to read' });
  expect((await threads.ask(sent([suite('A')]))).ok).toBe(true);
});

const manyKeys = Array.from({ length: 300 }, (_, index) => `k${index}: ${index}`).join(', ');

test('many requests share the threads', async () => {
  const threads = parseThreads();
  const asked = Array.from({ length: 20 }, (_, index) => threads.ask(sent([suite(`S${index}`)])));
  const names = (await Promise.all(asked)).map(
    (parsed) => parsed.ok && parsed.answer.definitions.suites[0]?.suite.name,
  );
  expect(names).toEqual(asked.map((_, index) => `S${index}`));
});

/** Threads of this process that read definitions. Linux tells threads by name. */
const threadsNow = (): number =>
  readdirSync('/proc/self/task').filter((id) => readFileSync(`/proc/self/task/${id}/comm`, 'utf8') === 'parse\n')
    .length;

test.runIf(process.platform === 'linux')(
  'P13 a thread is kept for the next request, and one that has read much ends when there is none',
  async () => {
    const before = threadsNow();
    const many = Array.from({ length: 300 }, (_, index) => suite(`S${index}`, `description: "${'x'.repeat(1_000)}"\n`));
    const threads = parseThreads({ ...usualLimits, threads: 1, keptMs: 3_600_000 });
    for (const texts of [[suite('Small')], many, many]) {
      await threads.ask(sent(texts));
      expect(threadsNow()).toBe(before + 1);
    }
    const shortly = parseThreads({ ...usualLimits, threads: 1, keptMs: 0 });
    await shortly.ask(sent([suite('Small')]));
    expect(threadsNow()).toBe(before + 2);
    await shortly.ask(sent(many));
    await waitUntil(() => threadsNow() === before + 1, { what: 'the thread that has read much has ended' });
    expect((await shortly.ask(sent([suite('Small')]))).ok).toBe(true);
  },
);

test.runIf(process.platform === 'linux')(
  'P13 a thread that has read most of what a request may hold ends with its answer',
  async () => {
    const before = threadsNow();
    const much = Array.from({ length: 1_000 }, (_, index) =>
      suite(`S${index}`, `description: "${'x'.repeat(4_000)}"\n`),
    );
    const threads = parseThreads({ ...usualLimits, threads: 1, keptMs: 3_600_000 });
    expect((await threads.ask(sent(much))).ok).toBe(true);
    await waitUntil(() => threadsNow() === before, { what: 'the thread has ended' });
    expect((await threads.ask(sent([suite('Small')]))).ok).toBe(true);
  },
);

test('a repository of a thousand suites is read within the usual limits', async () => {
  const many = Array.from({ length: 1_000 }, (_, index) => suite(`S${index}`));
  const parsed = await parseThreads().ask(sent(many));
  expect(parsed.ok && parsed.answer.definitions.suites).toHaveLength(1_000);
});

test('as much as a request may hold is read within the usual limits', { timeout: 600_000 }, async () => {
  const testCase = (number: number) => ({
    name: `Case ${number}`,
    input: `When are you open on day ${number}?`,
    expected_behavior: { checks: [{ type: 'contains_phrases', phrases: ['17'] }] },
  });
  const many = Array.from({ length: 32 }, (_, suiteNumber) =>
    JSON.stringify({
      name: `S${suiteNumber}`,
      agent: { name: 'a', driver: { type: 'scripted', replies: [{ reply: 'hi' }] } },
      cases: Array.from({ length: 1_700 }, (_none, number) => testCase(number)),
    }),
  );
  const megabytes = many.reduce((sum, text) => sum + text.length, 0) / 1e6;
  expect([megabytes > 7, megabytes < 8]).toEqual([true, true]);
  const parsed = await parseThreads().ask(sent(many));
  expect(parsed.ok && parsed.answer.definitions.suites.map(({ suite }) => suite.cases.length)).toEqual(
    Array.from({ length: 32 }, () => 1_700),
  );
});
