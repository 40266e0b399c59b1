import { plainSummary, suiteCheck } from '@proofmark/domain/check-output';
import { summaryMarkdown } from '@proofmark/domain/comment';
import { headline, outcomeOf, runConclusion, sortWorstFirst, worstCell } from '@proofmark/domain/outcome';
import { passRate } from '@proofmark/domain/pass-rate';
import type { CellReport, RunReport, SuiteReport } from '@proofmark/domain/run-report';
import type { FinishedSuiteRun } from '@proofmark/embedded/finished-suite-run';
import type { JobEnvironment } from './environment.ts';
import type { JobReport } from './job-report.ts';
import type { Trigger } from './read-event.ts';

interface EmbeddedReport {
  runId: string;
  trigger: Trigger;
  environment: JobEnvironment;
  suiteRuns: readonly FinishedSuiteRun[];
  durationMs: number;
}

/** The report of a run that this job executed, in the words that a coordinator would use for it. */
export function fromSuiteRuns(input: EmbeddedReport): JobReport {
  const suiteRuns = input.suiteRuns.filter(({ variant }) => variant !== 'baseline');
  const run = runReport(input, suiteRuns);
  const [worst] = sortWorstFirst(run.suites.map(worstCell), ({ outcome }) => outcome);
  const totals = sumOf(suiteRuns);
  return {
    outcome: worst?.outcome ?? 'error',
    conclusion: runConclusion(run),
    verdictWord: worst?.verdict?.word ?? null,
    headline: headline(run),
    markdown: summaryMarkdown(run),
    text: plainSummary(run),
    annotations: run.suites.flatMap((suite) => suiteCheck(run, suite).annotations),
    passRate: passRate(totals),
    verdicts: suiteRuns.flatMap(({ verdict }) => verdict ?? []),
    erroredCount: totals.errored,
    suitesTotal: run.suites.length,
    suitesAffected: run.suites.length,
    costUsd: run.costUsd,
  };
}

function runReport(
  { runId, trigger, environment, durationMs }: EmbeddedReport,
  suiteRuns: FinishedSuiteRun[],
): RunReport {
  const { serverUrl, repository } = environment;
  const costs = suiteRuns.flatMap(({ costUsd }) => costUsd ?? []);
  return {
    runId,
    headSha: trigger.headSha,
    baseSha: null,
    baseLabel: null,
    detailsUrl: null,
    fileUrl: (path, line) => `${serverUrl}/${repository}/blob/${trigger.headSha}/${encodeURI(path)}#L${line}`,
    suites: [...Map.groupBy(suiteRuns, ({ suitePath }) => suitePath).values()].map(suiteReport),
    durationMs,
    costUsd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
  };
}

function suiteReport(cells: readonly FinishedSuiteRun[]): SuiteReport {
  const [first] = cells;
  return { suiteName: first?.suiteName ?? '', suitePath: first?.suitePath ?? '', cells: cells.map(cellReport) };
}

function cellReport({ cellKey, verdict, totals, cases, costUsd }: FinishedSuiteRun): CellReport {
  const total = totals.passed + totals.failed + totals.errored + totals.skipped;
  return {
    cellKey,
    outcome: verdict === null ? 'error' : outcomeOf(verdict),
    conclusion: verdict?.conclusion ?? 'failure',
    verdict,
    detail: null,
    done: total,
    total,
    costUsd,
    cases,
  };
}

function sumOf(suiteRuns: readonly FinishedSuiteRun[]) {
  const sum = { passed: 0, errored: 0, skipped: 0, total: 0 };
  for (const { totals } of suiteRuns) {
    sum.passed += totals.passed;
    sum.errored += totals.errored;
    sum.skipped += totals.skipped;
    sum.total += totals.passed + totals.failed + totals.errored + totals.skipped;
  }
  return sum;
}
