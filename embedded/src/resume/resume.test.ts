import { appendFile, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readStoredResults } from '../results/read-stored-results.ts';
import type { EmbeddedRunInput } from '../run/run-embedded.ts';
import { scratchRepository } from '../scratch-repository.fixture.ts';
import { countingAgent, runIn, runUntil, suiteOf, whatCameOf } from './interrupted-run.fixture.ts';

const names = ['One', 'Two', 'Three'];

interface Interruptions {
  /** After so many test runs each of the processes is interrupted; the last one runs to the end. */
  stops: readonly number[];
  answer?: (question: string, path: string) => string;
}

interface Story {
  files: (url: string) => Record<string, string>;
  base?: (url: string) => Record<string, string>;
  parts?: Partial<EmbeddedRunInput>;
}

/** What comes of the same run without and with interruptions, and how often its agent was asked in each. */
async function bothWays({ files, base, parts = {} }: Story, { stops, answer }: Interruptions) {
  await using agent = await countingAgent(answer);
  const story = { parts, ...(base && { base: base(agent.url) }) };
  await using undisturbed = await scratchRepository(files(agent.url));
  const whole = await whatCameOf(await runIn(undisturbed, story));
  const calls = agent.calls();
  await using repository = await scratchRepository(files(agent.url));
  for (const [index, stop] of stops.entries()) {
    await runUntil(stop, repository, { ...story, parts: { ...parts, isResumed: index > 0 } });
  }
  const resumed = await whatCameOf(await runIn(repository, { ...story, parts: { ...parts, isResumed: true } }));
  return { whole, resumed, calls, callsOfHalves: agent.calls() - calls };
}

describe('a run that goes on after an interruption', () => {
  test.each([[[1]], [[2]], [[4]], [[5]], [[6]], [[1, 1, 2]]])(
    'gives the report of an uninterrupted one, and asks nothing twice (after %j)',
    async (stops) => {
      const { whole, resumed, calls, callsOfHalves } = await bothWays(
        { files: (url) => ({ 'x.suite.yaml': suiteOf(url, names, 'repetitions: 2\n') }) },
        { stops, answer: (question) => (question.includes('Two?') ? 'never' : 'to 17') },
      );
      expect(resumed).toEqual(whole);
      expect([calls, callsOfHalves]).toEqual([6, 6]);
    },
  );

  test.each([1, 3, 6])('cells of a matrix and several suites go on where each stopped (after %i)', async (stop) => {
    const { whole, resumed, callsOfHalves } = await bothWays(
      {
        files: (url) => ({
          'a.suite.yaml': suiteOf(url, ['One'], 'matrix: { Temperature: [0, 1] }\nrepetitions: 2\n'),
          'b.suite.yaml': suiteOf(url, names).replace('Support', 'Other'),
        }),
      },
      { stops: [stop] },
    );
    expect(resumed).toEqual(whole);
    expect(callsOfHalves).toBe(7);
  });

  const cases = Array.from({ length: 8 }, (_, index) => `Case ${index}`);
  const compared = (gate: string) => ({
    files: (url: string) => ({ 'x.suite.yaml': suiteOf(`${url}head`, cases, gate) }),
    base: (url: string) => ({ 'x.suite.yaml': suiteOf(`${url}base`, cases, gate) }),
  });
  const wrongAtHead = (question: string, path: string) =>
    path === '/head' && question.includes('Case') ? 'no' : 'to 17';

  test.each([3, 16, 17, 40])(
    'a comparison goes on with the base, and comes to the same verdict (after %i)',
    async (stop) => {
      const { whole, resumed, calls, callsOfHalves } = await bothWays(compared('gate: { stop: fixed }\n'), {
        stops: [stop],
      });
      expect(resumed).toEqual(whole);
      expect([calls, callsOfHalves]).toEqual([48, 48]);
    },
  );

  test.each([1, 15, 16, 17, 31, 32])(
    'a regression that is certain ends it in the same round (after %i)',
    async (stop) => {
      const { whole, resumed, calls, callsOfHalves } = await bothWays(compared('gate: { stop: sequential }\n'), {
        stops: [stop],
        answer: wrongAtHead,
      });
      expect(whole).toMatchObject({
        suiteRuns: [{}, { verdict: { word: 'regressed', early: { rule: expect.anything() } } }],
      });
      expect(resumed).toEqual(whole);
      expect(callsOfHalves).toBe(calls);
    },
  );

  test.each([5, 20, 30, 50, 79])(
    'a suspicion is settled by one rerun, also when that was interrupted (after %i)',
    async (stop) => {
      const fewWrong = (question: string, path: string) =>
        path === '/head' && /Case [01]\?/.test(question) ? 'no' : 'to 17';
      const gate = 'repetitions: 1\ngate: { confirm: auto }\n';
      const { whole, resumed, calls, callsOfHalves } = await bothWays(compared(gate), {
        stops: [stop],
        answer: fewWrong,
      });
      expect(whole).toMatchObject({ suiteRuns: [{}, { verdict: { confirmation: { isConfirmed: true } } }] });
      expect(resumed).toEqual(whole);
      expect(callsOfHalves).toBe(calls);
    },
  );

  test('many test runs at once come to the same', async () => {
    const files = (url: string) => ({ 'x.suite.yaml': suiteOf(url, cases, 'repetitions: 3\n') });
    const { whole, resumed } = await bothWays({ files, parts: { concurrency: 5 } }, { stops: [4, 9] });
    expect(resumed).toEqual(whole);
  });

  test.each([1, 3])('what was spent before counts for the budget (after %i)', async (stop) => {
    const files = (url: string) => ({
      'proofmark.yaml': 'limits: { budget_tokens: 45 }\n',
      'x.suite.yaml': suiteOf(url, cases),
    });
    const { whole, resumed, calls, callsOfHalves } = await bothWays({ files }, { stops: [stop] });
    expect(whole).toMatchObject({ suiteRuns: [{ totals: { passed: 5, skipped: 3 }, skipReasons: ['budget'] }] });
    expect(resumed).toEqual(whole);
    expect([calls, callsOfHalves]).toEqual([5, 5]);
  });

  test('with a larger budget a run that was cut goes on', async () => {
    await using agent = await countingAgent();
    const files = { 'x.suite.yaml': suiteOf(agent.url, names) };
    const limited = (tokens: number) => `limits: { budget_tokens: ${tokens} }\n`;
    await using repository = await scratchRepository({ ...files, 'proofmark.yaml': limited(15) });
    const cut = await runIn(repository, {});
    expect(cut).toMatchObject({ suiteRuns: [{ totals: { passed: 2, skipped: 1 } }] });
    await writeFile(join(repository.root, 'proofmark.yaml'), limited(1000));
    const whole = await runIn(repository, { parts: { isResumed: true } });
    expect(whole).toMatchObject({ suiteRuns: [{ totals: { passed: 3, skipped: 0 } }] });
    expect(agent.calls()).toBe(3);
  });
});

describe('a results file that a killed process left', () => {
  const resultsOf = (root: string) => join(root, 'results/run-1/01-support/results.jsonl');
  const interrupted = async (damage: (path: string) => Promise<void>) => {
    await using agent = await countingAgent();
    await using repository = await scratchRepository({ 'x.suite.yaml': suiteOf(agent.url, names) });
    await runUntil(2, repository, {});
    await damage(resultsOf(repository.root));
    const run = await runIn(repository, { parts: { isResumed: true } });
    const stored = await readStoredResults(join(repository.root, 'results/run-1'));
    const trials = stored.ok
      ? stored.suiteRuns.flatMap((suiteRun) => suiteRun.trials.map(({ caseName }) => caseName))
      : [];
    return { run, calls: agent.calls(), trials };
  };

  test('may end in the middle of a line, which is asked again', async () => {
    const cutShort = async (path: string) => truncate(path, (await readFile(path)).length - 40);
    const { run, calls, trials } = await interrupted(cutShort);
    expect(run).toMatchObject({ ok: true, suiteRuns: [{ totals: { passed: 3, skipped: 0 } }] });
    expect([calls, trials]).toEqual([4, names]);
  });

  test('may end without the end of its last line, which counts', async () => {
    const withoutEnd = async (path: string) => truncate(path, (await readFile(path)).length - 1);
    const { run, calls, trials } = await interrupted(withoutEnd);
    expect(run).toMatchObject({ ok: true, suiteRuns: [{ totals: { passed: 3, skipped: 0 } }] });
    expect([calls, trials]).toEqual([3, names]);
  });

  test('may end in half of a character', async () => {
    const half = (path: string) => appendFile(path, Buffer.from('{"n":"ä').subarray(0, -1));
    expect(await interrupted(half)).toMatchObject({ calls: 3, trials: names });
  });

  test('that is not one of this run is refused, and nothing is added to it', async () => {
    const foreign = async (path: string) => {
      await writeFile(path, (await readFile(path, 'utf8')).replaceAll('"case_name":"One"', '"case_name":"Ten"'));
    };
    const { run, calls } = await interrupted(foreign);
    expect(run).toMatchObject({ ok: false, refusal: { message: expect.stringContaining('no result of this run') } });
    expect(calls).toBe(2);
  });
});

test('of two processes that go on with one run at once, one is refused', async () => {
  await using agent = await countingAgent();
  await using repository = await scratchRepository({ 'x.suite.yaml': suiteOf(agent.url, names) });
  await runUntil(1, repository, {});
  agent.hold();
  const called = agent.whenCalled();
  const first = runIn(repository, { parts: { isResumed: true } });
  await called;
  expect(await runIn(repository, { parts: { isResumed: true } })).toMatchObject({
    ok: false,
    refusal: { message: `run-1 is being run by process ${process.pid}: wait for its end, or end it` },
  });
  agent.release();
  expect(await first).toMatchObject({ ok: true, suiteRuns: [{ totals: { passed: 3 } }] });
  expect(agent.calls()).toBe(3);
});
