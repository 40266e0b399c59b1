import type { Problem } from '@proofmark/contracts/problem';
import type { PlannedSuiteRun } from '@proofmark/domain/plan-run';
import type { RunDecision } from './decide-run.ts';
import type { PlacedTestRun, StoredSource } from './stored-source.ts';

/** A decided run with only the test run that its source wants, or all of it; refused when the plan has none like it. */
export function narrowTo(source: StoredSource | null, decision: RunDecision): RunDecision {
  const wanted = source?.repeats?.only ?? null;
  if (wanted === null || !decision.ok) return decision;
  const suiteRuns = decision.run.suiteRuns.flatMap((suiteRun) => keepOnly(suiteRun, wanted));
  if (suiteRuns.length === 0) return { ok: false, code: 'INVALID_INPUT', problems: [notPlanned] };
  return { ok: true, run: { ...decision.run, suiteRuns } };
}

function keepOnly(suiteRun: PlannedSuiteRun, wanted: PlacedTestRun): PlannedSuiteRun[] {
  if (suiteRun.suitePath !== wanted.suitePath || suiteRun.cellKey !== wanted.cellKey) return [];
  const testRuns = suiteRun.testRuns.filter(
    ({ caseName, repetition }) => caseName === wanted.caseName && repetition === wanted.repetition,
  );
  return testRuns.length === 0 ? [] : [{ ...suiteRun, testRuns }];
}

const notPlanned: Problem = {
  ...{ severity: 'error', code: 'not_found', file: '', line: 1, column: 1, path: 'testRunId' },
  message: 'It was not planned with its run but added later, to settle a suspicion',
};
