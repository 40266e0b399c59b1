import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { sidesOfCell } from '@proofmark/domain/judge-cells';
import { plainPhrase } from '@proofmark/domain/phrase';
import { planRun, type RunRequest } from '@proofmark/domain/plan-run';
import { sumKnown } from '@proofmark/domain/totals';
import { describe, expect, test } from 'vitest';
import { collectDefinitions } from '../definitions/collect-definitions.ts';
import { readModelKeys } from '../environment.ts';
import { readStoredResults } from '../results/read-stored-results.ts';
import { scratchRepository, suiteText } from '../scratch-repository.fixture.ts';
import { confirmSuspicions } from './confirm-suspicions.ts';
import { executedPlan } from './judge-run.ts';
import { type EmbeddedRunInput, runEmbedded } from './run-embedded.ts';

/** An agent of a team's own that gives the wrong answer to the calls that `isWrong` names, counted from 0. */
async function startAgent(isWrong: (call: number) => boolean): Promise<AsyncDisposable & { url: string }> {
  let calls = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ output: isWrong(calls) ? 'to 16' : 'to 17' }));
      calls += 1;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The agent has no port');
  return {
    url: `http://127.0.0.1:${address.port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const tenCases = Array.from({ length: 10 }, (_, index) => `Case ${index}`);

const request: RunRequest = {
  variables: {},
  assignments: [],
  preset: null,
  matrix: {},
  matrixAssignments: [],
  cases: [],
  tags: [],
  difficulty: null,
  repetitions: null,
  compared: true,
  variants: ['baseline', 'candidate'],
};

/** Ten cases, once each, against a base that always passes; what is told meanwhile is in `told`. */
async function run(
  isWrong: (call: number) => boolean,
  { gate = 'confirm: auto', ...parts }: { gate?: string } & Partial<EmbeddedRunInput> = {},
) {
  await using agent = await startAgent(isWrong);
  const more = `repetitions: 1\ngate: { ${gate} }\n`;
  const text = suiteText({ cases: tenCases, more });
  const driver = `{ type: http, url: "${agent.url}" }`;
  const head = text.replace(/driver: \{.*\} \}$/m, `driver: ${driver} }`);
  await using base = await scratchRepository({ 'x.suite.yaml': text });
  await using repository = await scratchRepository({ 'x.suite.yaml': head });
  const keys = readModelKeys({});
  if (!keys.ok) throw new Error('no keys');
  const told: string[] = [];
  const ended = await runEmbedded({
    runId: 'run-1',
    runSeed: 'seed',
    version: '0.1.0',
    environment: {},
    keys: keys.keys,
    definitions: collectDefinitions({ root: repository.root }).definitions,
    baselineDefinitions: collectDefinitions({ root: base.root }).definitions,
    request,
    resultsDirectory: join(repository.root, 'results'),
    // One at a time: which calls are wrong then says which cases are.
    concurrency: 1,
    onConfirming: ({ testRuns }) => told.push(`${testRuns} test runs again`),
    signal: new AbortController().signal,
    ...parts,
  });
  if (!ended.ok) throw new Error(JSON.stringify(ended.problems));
  const candidate = ended.suiteRuns.find(({ variant }) => variant === 'candidate');
  if (candidate?.verdict == null) throw new Error('The candidate has a verdict');
  const files = (await readdir(ended.folder, { recursive: true })).filter((path) => path.endsWith('.jsonl'));
  const stored = await readStoredResults(ended.folder);
  const trials = stored.ok ? stored.suiteRuns.map((suiteRun) => suiteRun.trials.length) : [];
  return { verdict: candidate.verdict, totals: candidate.totals, told, files: files.toSorted(), trials };
}

describe('confirm: auto without a server', () => {
  test('a suspicion that all cases, run again, confirm is a regression', async () => {
    const { verdict, told } = await run((call) => call % 10 < 2);
    expect(told).toEqual(['60 test runs again']);
    expect(verdict).toMatchObject({ word: 'regressed', reason: 'confirmed', conclusion: 'failure' });
    expect(plainPhrase(verdict.paragraph)).toMatch(
      /First look −20\.0 points \(mid-p 0\.125\); a fresh rerun of all cases confirmed it \(mid-p 0\.001\)\.$/,
    );
  });

  test('one that they do not confirm is none, and all trials count together', async () => {
    const { verdict } = await run((call) => call < 2);
    expect(verdict).toMatchObject({ word: 'inconclusive', conclusion: 'neutral', headPassRate: 95, basePassRate: 100 });
    expect(plainPhrase(verdict.paragraph)).toContain('a fresh rerun of all cases did not confirm it (mid-p 0.500).');
    expect(verdict.confirmation).toMatchObject({ isConfirmed: false, level: expect.closeTo(1 / 6, 12) });
  });

  test('leaves the results and the counters of the first look as they are', async () => {
    const { totals, files, trials } = await run((call) => call < 2);
    expect(totals).toEqual({ passed: 8, failed: 2, errored: 0, skipped: 0 });
    expect(files.filter((path) => path.startsWith('confirmation'))).toHaveLength(2);
    expect(files).toHaveLength(4);
    expect(trials).toEqual([10]);
  });

  test('nothing runs again where nobody asked, nothing is suspicious, or the run was interrupted', async () => {
    const manual = await run((call) => call < 2, { gate: 'confirm: manual' });
    expect([manual.verdict.word, manual.told]).toEqual(['suspected', []]);
    expect(plainPhrase(manual.verdict.paragraph)).not.toContain('Confirm runs');
    expect((await run(() => false)).told).toEqual([]);
    const controller = new AbortController();
    const interrupted = await run((call) => call < 2, {
      signal: controller.signal,
      onFinished: ({ done, total }) => done === total && controller.abort(),
    });
    expect(interrupted.told).toEqual([]);
    expect(interrupted.verdict.word).toBe('suspected');
  });
});

test('what the rerun of each side cost is known, as far as prices are', async () => {
  await using repository = await scratchRepository({ 'x.suite.yaml': suiteText({ cases: tenCases.slice(0, 2) }) });
  const { definitions } = collectDefinitions({ root: repository.root });
  const planned = planRun({ definitions, baselineDefinitions: definitions, request, runSeed: 'seed' });
  if (!planned.ok) throw new Error(JSON.stringify(planned.problems));
  const { suiteRuns } = planned.plan;
  const [head, base] = ['candidate', 'baseline'].map((side) => suiteRuns.findIndex(({ variant }) => variant === side));
  const executed = executedPlan(suiteRuns, []);
  const [candidate] = executed.filter(({ variant }) => variant === 'candidate');
  if (candidate === undefined) throw new Error('The plan has a candidate');
  const further = await confirmSuspicions({
    suspected: [{ sides: sidesOfCell(candidate, executed) }],
    runSeed: 'seed',
    run: async (again) =>
      again.map(({ variant, testRuns }) =>
        testRuns.map((testRun) => ({
          testRun,
          status: 'passed' as const,
          errorKind: null,
          skipReason: null,
          measured: null,
          place: null,
          spentUsd: variant === 'baseline' ? null : 0.25,
        })),
      ),
  });
  const trials = further[1]?.rows.length ?? 0;
  expect(trials).toBeGreaterThanOrEqual(6);
  const costs = further.map(({ position, rows }) => [position, sumKnown(rows.map(({ spentUsd }) => spentUsd))]);
  expect(costs).toEqual([
    [base, null],
    [head, 0.25 * trials],
  ]);
});
