import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Trial } from '@proofmark/domain/decide-verdict';
import { plainPhrase } from '@proofmark/domain/phrase';
import type { RunRequest } from '@proofmark/domain/plan-run';
import { describe, expect, test } from 'vitest';
import { collectDefinitions } from '../definitions/collect-definitions.ts';
import { readModelKeys } from '../environment.ts';
import { scratchRepository, suiteText } from '../scratch-repository.fixture.ts';
import { type EmbeddedRun, type EmbeddedRunInput, runEmbedded } from './run-embedded.ts';

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
  compared: false,
  variants: ['head'],
};

type Parts = Partial<Omit<EmbeddedRunInput, 'definitions' | 'baselineDefinitions'>>;

/** Runs suite files; with `base` as a comparison with the suite files of the base. */
async function run(
  files: Record<string, string>,
  { base, ...parts }: Parts & { base?: Record<string, string> } = {},
): Promise<EmbeddedRun & { runFile?: unknown }> {
  await using head = await scratchRepository(files);
  await using baseline = await scratchRepository(base ?? {});
  const keys = readModelKeys({});
  if (!keys.ok) throw new Error('no keys');
  const ended = await runEmbedded({
    runId: 'run-1',
    definitions: collectDefinitions({ root: head.root }).definitions,
    ...(base && { baselineDefinitions: collectDefinitions({ root: baseline.root }).definitions }),
    request: base ? { ...request, variants: ['baseline', 'candidate'], compared: true } : request,
    runSeed: 'seed',
    resultsDirectory: join(head.root, 'results'),
    keys: keys.keys,
    version: '0.1.0',
    environment: {},
    signal: new AbortController().signal,
    ...parts,
  });
  if (!ended.ok) return ended;
  return { ...ended, runFile: JSON.parse(await readFile(join(ended.folder, 'run.json'), 'utf8')) };
}

const ended = (result: EmbeddedRun): Extract<EmbeddedRun, { ok: true }> => {
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result;
};

describe('runEmbedded', () => {
  test('a run without a comparison has no baseline and says what failed on which line', async () => {
    const suite = suiteText({ reply: 'from 9 to 16', cases: ['Hours', 'Again'] });
    const result = ended(await run({ 'x.suite.yaml': suite }));
    expect(result.suiteRuns).toMatchObject([
      {
        suiteName: 'Support',
        totals: { passed: 0, failed: 2, errored: 0, skipped: 0 },
        verdict: { word: 'no-baseline' },
        report: { ok: true, summary: { pass_rate: 0 } },
        cases: [
          { caseName: 'Hours', line: 4, firstFailure: 'contains_phrases: "17" missing', headAnswer: 'from 9 to 16' },
          { caseName: 'Again', line: 5, firstFailure: 'contains_phrases: "17" missing', headAnswer: 'from 9 to 16' },
        ],
      },
    ]);
  });

  test('a worse prompt regresses against the base in the same run', async () => {
    const cases = Array.from({ length: 8 }, (_, index) => `Case ${index}`);
    const result = ended(
      await run(
        { 'x.suite.yaml': suiteText({ reply: 'from 9 to 16', cases }) },
        { base: { 'x.suite.yaml': suiteText({ cases }) } },
      ),
    );
    const [baseline, candidate] = result.suiteRuns;
    // A regression that is certain ends the run early: how many of the 24 test runs were made depends on when.
    expect(baseline).toMatchObject({ variant: 'baseline', totals: { failed: 0, errored: 0 }, verdict: null });
    expect(candidate).toMatchObject({
      variant: 'candidate',
      totals: { passed: 0, errored: 0 },
      verdict: { word: 'regressed', conclusion: 'failure', basePassRate: 100, headPassRate: 0 },
    });
    expect(candidate?.cases[0]).toMatchObject({ headAnswer: 'from 9 to 16', baseAnswer: 'from 9 to 17' });
  });

  test('an unchanged agent is not regressed', async () => {
    const files = { 'x.suite.yaml': suiteText() };
    expect(ended(await run(files, { base: files })).suiteRuns[1]?.verdict?.word).not.toBe('regressed');
  });

  test('an aborted run reports what was finished and lists the rest as skipped', async () => {
    const controller = new AbortController();
    const result = ended(
      await run(
        { 'x.suite.yaml': suiteText({ cases: ['One', 'Two', 'Three'] }) },
        { concurrency: 1, signal: controller.signal, onFinished: () => controller.abort() },
      ),
    );
    expect(result.isInterrupted).toBe(true);
    expect(result.suiteRuns[0]).toMatchObject({
      totals: { passed: 1, skipped: 2 },
      skipReasons: ['interrupted'],
      report: { ok: true, summary: { total_tests: 1 } },
    });
  });

  test('nothing is executed after an abort before the start, and no report pretends so', async () => {
    const result = ended(await run({ 'x.suite.yaml': suiteText() }, { signal: AbortSignal.abort() }));
    expect(result.suiteRuns[0]).toMatchObject({ report: { ok: false }, verdict: { word: 'error' } });
  });

  test('C33 a missing required variable is an error row, and the other cases run', async () => {
    const suite = suiteText({
      cases: ['Fine'],
      more: 'test_type: with-region\n',
    });
    const type =
      'name: with-region\nvariables_schema:\n  schemaVersion: "1.0"\n  variables:\n    - { name: Region, displayName: Region, dataType: string, valueSource: freeform, required: false }\n';
    const needy =
      '  - { name: "Needy", input: "In {{Region}}?", expected_behavior: { checks: [{ type: contains_phrases, phrases: ["17"] }] } }\n';
    const result = await run({
      'proofmark.yaml': 'test_types: ["region.type.yaml"]\n',
      'region.type.yaml': type,
      'x.suite.yaml': `${suite}${needy}`,
    });
    expect(ended(result).suiteRuns[0]).toMatchObject({ totals: { passed: 1, errored: 1 } });
    expect(ended(result).suiteRuns[0]?.cases[1]?.firstFailure).toMatch(/^configuration error: /);
  });

  test('a request that cannot be meant starts nothing', async () => {
    const events: unknown[] = [];
    const result = await run(
      { 'x.suite.yaml': suiteText() },
      { request: { ...request, cases: ['Nobody'] }, onFinished: (event) => events.push(event) },
    );
    expect(result).toMatchObject({ ok: false, problems: [{ code: 'not_found' }] });
    expect(events).toEqual([]);
  });

  test('the folder of the run says what was asked for and what came of it', async () => {
    const { runFile } = await run({ 'x.suite.yaml': suiteText() });
    expect(runFile).toMatchObject({
      run_id: 'run-1',
      run_seed: 'seed',
      suite_runs: [{ suite: 'Support', passed: 1, pass_rate: 100, verdict: { word: 'no-baseline' } }],
    });
  });

  test('an id that is no folder name is refused', async () => {
    await expect(run({ 'x.suite.yaml': suiteText() }, { runId: '../out' })).rejects.toThrow('cannot name a folder');
  });

  test('a collapse ends before its last round, and says what was not needed', async () => {
    const cases = Array.from({ length: 12 }, (_, index) => `Case ${index}`);
    const more = 'repetitions: 10\n';
    const [, candidate] = ended(
      await run(
        { 'x.suite.yaml': suiteText({ reply: 'from 9 to 16', cases, more }) },
        { base: { 'x.suite.yaml': suiteText({ cases, more }) }, concurrency: 4 },
      ),
    ).suiteRuns;
    expect(candidate?.verdict).toMatchObject({ word: 'regressed', early: { rule: 'curtailment', rounds: 10 } });
    expect(candidate?.skipReasons).toEqual(['early_stop']);
    expect(candidate?.totals.skipped).toBeGreaterThan(12);
  });

  test('pairs stop a suite that asks for it even sooner', async () => {
    const cases = Array.from({ length: 12 }, (_, index) => `Case ${index}`);
    const more = 'repetitions: 10\ngate: { stop: sequential }\n';
    const [, candidate] = ended(
      await run(
        { 'x.suite.yaml': suiteText({ reply: 'from 9 to 16', cases, more }) },
        { base: { 'x.suite.yaml': suiteText({ cases, more }) }, concurrency: 1 },
      ),
    ).suiteRuns;
    expect(candidate?.verdict).toMatchObject({ word: 'regressed', early: { rule: 'e_value', round: 1, rounds: 10 } });
    expect(candidate?.totals).toMatchObject({ failed: 12, skipped: 108 });
  });

  test('the cells of a matrix are judged together', async () => {
    const more = 'matrix: { Temperature: [0, 1] }\n';
    const cases = Array.from({ length: 4 }, (_, index) => `Case ${index}`);
    const { suiteRuns } = ended(
      await run(
        { 'x.suite.yaml': suiteText({ cases, more }) },
        { base: { 'x.suite.yaml': suiteText({ cases, more }) } },
      ),
    );
    const verdicts = suiteRuns.flatMap(({ verdict }) => verdict ?? []);
    expect(verdicts.map(({ adjustedMidp }) => adjustedMidp)).toEqual([0.5, 0.5]);
  });

  test('results of an earlier run are a base like any other', async () => {
    const cases = Array.from({ length: 8 }, (_, index) => `Case ${index}`);
    const earlier: Trial[] = [];
    const first = ended(
      await run({ 'x.suite.yaml': suiteText({ cases }) }, { request: { ...request, repetitions: 3 } }),
    );
    expect(first.suiteRuns[0]?.verdict?.word).toBe('no-baseline');
    const second = await run(
      { 'x.suite.yaml': suiteText({ reply: 'from 9 to 16', cases }) },
      {
        request: { ...request, repetitions: 3 },
        baseName: 'main',
        // One at a time: how far the rounds have come when it stops does not depend on the machine.
        concurrency: 1,
        earlier: (suiteName, cellKey) =>
          suiteName === 'Support' && cellKey === '' ? { trials: earlier, resultsPath: null } : null,
        onPlanned: ({ planned }) => {
          for (const { testRuns, settingKey } of planned) {
            for (const { caseName, caseHash, instrumentHash } of testRuns) {
              const key = JSON.stringify([caseHash, instrumentHash, settingKey]);
              earlier.push({ caseName, comparabilityKey: key, status: 'passed', errorKind: null });
            }
          }
        },
      },
    );
    const [head] = ended(second).suiteRuns;
    expect(head?.verdict).toMatchObject({ word: 'regressed', basePassRate: 100, headPassRate: 0 });
    expect(plainPhrase(head?.verdict?.paragraph ?? [])).toMatch(/against 3 on main\..* Decided after round 1 of 3/);
  });
});
