import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { LoadedSuite } from '@proofmark/contracts/load-definitions';
import type { ReportSummary } from '@proofmark/contracts/test-report';
import type { Verdict, VerdictSettings } from '@proofmark/contracts/verdict';
import { decideVerdict } from '@proofmark/domain/decide-verdict';
import { describeFailure } from '@proofmark/domain/describe-failure';
import { failureReasons } from '@proofmark/domain/failure-reasons';
import { groupResults, type ResultGroup } from '@proofmark/domain/group-results';
import type { PlannedSuiteRun } from '@proofmark/domain/plan-run';
import { renderJson } from '@proofmark/domain/report-json';
import type { CaseReport } from '@proofmark/domain/run-report';
import { buildTestReport, type ReportedTestRun } from '@proofmark/domain/test-report';
import { type RunFolder, suiteRunFolder } from './run-folder.ts';
import { inSuiteOrder, type TestRunRow, trialsOf } from './test-run-row.ts';

/** How many test runs of a suite run ended in which way. */
export interface SuiteRunTotals {
  passed: number;
  failed: number;
  errored: number;
  skipped: number;
}

/** A suite run that is over. Its report and its outcomes are files; in memory is what a summary needs. */
export interface FinishedSuiteRun {
  suiteName: string;
  suitePath: string;
  agentName: string;
  cellKey: string;
  variant: PlannedSuiteRun['variant'];
  totals: SuiteRunTotals;
  /** Why test runs were not run: `draft`, `disabled`, `interrupted`, `budget`. */
  skipReasons: string[];
  /** `reasons` has a list for each result that did not pass, by its position in the report. */
  report:
    | { ok: true; path: string; summary: ReportSummary; reasons: ReadonlyMap<number, readonly string[]> }
    | { ok: false; reason: string };
  /** How each difficulty and each tag fared. */
  groups: ResultGroup[];
  /** Null for the baseline side, which is judged with the candidate. */
  verdict: Verdict | null;
  /** One entry per case, with answers where something failed. */
  cases: CaseReport[];
  /** Null when nothing had a known price. */
  costUsd: number | null;
}

export interface SuiteRunInput {
  folder: RunFolder;
  position: number;
  planned: PlannedSuiteRun;
  rows: readonly TestRunRow[];
  loaded: LoadedSuite;
  baseline: { planned: PlannedSuiteRun; position: number; rows: readonly TestRunRow[] } | null;
  onError: VerdictSettings['onError'];
  report: { timestamp: string; version: string; environment: Readonly<Record<string, string>> };
}

/** Builds the report of a suite run from its files, writes it beside them, and decides the verdict. */
export async function finishSuiteRun(input: SuiteRunInput): Promise<FinishedSuiteRun> {
  const { planned, rows, loaded, folder, position } = input;
  const { suiteName, suitePath, agentName, cellKey, variant } = planned;
  const results = await readResults(folder, planned, position, rows);
  const built = buildTestReport({
    agentName,
    agentConfigPath: loaded.agentPath,
    results,
    skipped: rows.flatMap(({ testRun, skipReason }) =>
      skipReason === null ? [] : [{ test_name: testRun.caseName, reason: skipReason }],
    ),
    ...input.report,
  });
  const costs = results.flatMap(({ outcome }) => outcome.costUsd ?? []);
  return {
    ...{ suiteName, suitePath, agentName, cellKey, variant },
    totals: totalsOf(rows),
    skipReasons: [...new Set(rows.flatMap(({ skipReason }) => skipReason ?? []))],
    report: built.ok
      ? {
          ok: true,
          path: await folder.write(`${suiteRunFolder(planned, position)}/report.json`, renderJson(built.report)),
          summary: built.report.summary,
          reasons: reasonsByPosition(results),
        }
      : built,
    groups: groupResults(results),
    verdict: variant === 'baseline' ? null : verdictOf(input),
    cases: variant === 'baseline' ? [] : await caseReports(input, results),
    costUsd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
  };
}

async function readResults(
  folder: RunFolder,
  planned: PlannedSuiteRun,
  position: number,
  rows: readonly TestRunRow[],
): Promise<ReportedTestRun[]> {
  const results: ReportedTestRun[] = [];
  for (const { testRun, skipReason } of inSuiteOrder(rows)) {
    if (skipReason !== null) continue;
    const file = await folder.readTestRun(suiteRunFolder(planned, position), testRun);
    const { caseName, sortOrder, repetition } = testRun;
    results.push({ caseName, sortOrder, repetition, case: file.case, outcome: file.outcome });
  }
  return results;
}

const reasonsByPosition = (results: readonly ReportedTestRun[]): Map<number, string[]> =>
  new Map(
    results
      .map(({ outcome }, index) => [index, failureReasons(outcome)] as const)
      .filter(([, reasons]) => reasons.length > 0),
  );

function totalsOf(rows: readonly TestRunRow[]): SuiteRunTotals {
  const count = (status: TestRunRow['status']): number => rows.filter((row) => row.status === status).length;
  return { passed: count('passed'), failed: count('failed'), errored: count('error'), skipped: count('skipped') };
}

function verdictOf({ planned, rows, loaded, baseline, onError }: SuiteRunInput): Verdict {
  const { gate, alert_on_regression, alert_threshold_percent } = loaded.suite;
  return decideVerdict({
    head: trialsOf(planned, rows),
    base: baseline && trialsOf(baseline.planned, baseline.rows),
    settings: {
      gate,
      alertOnRegression: alert_on_regression,
      alertThresholdPercent: alert_threshold_percent,
      onError,
    },
  });
}

/** One entry per case; answers only of cases that failed, because only those are looked at. */
async function caseReports(
  { folder, rows, loaded, baseline }: SuiteRunInput,
  results: readonly ReportedTestRun[],
): Promise<CaseReport[]> {
  const names = [...new Set(inSuiteOrder(rows).map(({ testRun }) => testRun.caseName))];
  const baseResults =
    baseline === null ? [] : await readResults(folder, baseline.planned, baseline.position, baseline.rows);
  return names.map((caseName) => {
    const failed = results.find((result) => result.caseName === caseName && result.outcome.status !== 'passed');
    const base = failed && baseResults.find((result) => result.caseName === caseName);
    return {
      caseName,
      line: loaded.casePositions.get(caseName)?.line ?? null,
      firstFailure: failed ? firstFailure(failed.outcome) : null,
      headAnswer: failed?.outcome.response ?? null,
      baseAnswer: base?.outcome.response ?? null,
    };
  });
}

/** In the words of the coordinator's comment, so that both ways to run say the same. */
const firstFailure = (outcome: CaseOutcome): string | null =>
  describeFailure({ ...outcome, toolsMatched: outcome.tools.matched, toolProblems: outcome.tools.problems });
