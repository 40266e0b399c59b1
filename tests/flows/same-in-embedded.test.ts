import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestReport } from '@proofmark/contracts/test-report';
import { withoutTimes } from '@proofmark/domain/without-times';
import { collectDefinitions } from '@proofmark/embedded/collect-definitions';
import { readModelKeys } from '@proofmark/embedded/environment';
import { runEmbedded } from '@proofmark/embedded/run-embedded';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { startRunningProduct } from './running-product.ts';

const root = join(import.meta.dirname, 'fixtures/scripted');
const collected = collectDefinitions({ root });

const SuiteRuns = z.object({
  run: z.object({
    suiteRuns: z.array(
      z.object({ report: TestReport, verdictWord: z.string(), verdict: z.object({ title: z.string() }) }),
    ),
  }),
});
const reportQuery = 'query($id: UUID!) { run(id: $id) { suiteRuns { report verdictWord verdict { title } } } }';

it('the same scripted suite gives the same report and verdict embedded and distributed', async () => {
  expect(collected.problems).toEqual([]);
  const embedded = await reportEmbedded();
  const distributed = await reportDistributed();
  expect(withoutTimes(distributed.report)).toEqual(withoutTimes(embedded.report));
  expect(distributed.verdict).toEqual(embedded.verdict);
  // Not vacuous: the suite passes, fails and errs.
  expect(embedded.report.summary).toMatchObject({ total_tests: 18, passed: 6, failed: 12 });
});

async function reportEmbedded() {
  const resultsDirectory = await mkdtemp(join(tmpdir(), 'proofmark-embedded-'));
  try {
    const run = await runEmbedded({
      runId: 'embedded',
      definitions: collected.definitions,
      request: {
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
      },
      runSeed: 'seed',
      resultsDirectory,
      keys: keys(),
      version: '0.1.0',
      environment: {},
      signal: new AbortController().signal,
    });
    const [suiteRun] = run.ok ? run.suiteRuns : [];
    if (suiteRun?.report.ok !== true) throw new Error('The embedded run has no report');
    const report = TestReport.parse(JSON.parse(await readFile(suiteRun.report.path, 'utf8')));
    return { report, verdict: { word: suiteRun.verdict?.word, title: suiteRun.verdict?.title } };
  } finally {
    await rm(resultsDirectory, { recursive: true, force: true });
  }
}

/** No key at all: scripted agents need none. */
function keys() {
  const reading = readModelKeys({});
  if (!reading.ok) throw new Error(reading.problems.join('\n'));
  return reading.keys;
}

async function reportDistributed() {
  await using running = await startRunningProduct({ runners: 2 });
  const { files, suitePaths } = collected;
  const runId = await running.start({ files, suitePaths });
  await running.waitForEnd(runId);
  const answer = await running.ask(reportQuery, { id: runId });
  const [suiteRun] = SuiteRuns.parse(answer.data).run.suiteRuns;
  if (suiteRun === undefined) throw new Error('The run has no suite run');
  return { report: suiteRun.report, verdict: { word: wordOf(suiteRun.verdictWord), title: suiteRun.verdict.title } };
}

/** Enum values of GraphQL are upper case with underscores. */
function wordOf(value: string): string {
  return value.toLowerCase().replaceAll('_', '-');
}
