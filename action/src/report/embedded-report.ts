import type { LoadedSuite } from '@proofmark/contracts/loaded';
import { removedSuites, withGatesOf } from '@proofmark/domain/base-definitions';
import { plainSummary, suiteCheck } from '@proofmark/domain/check-output';
import { summaryMarkdown } from '@proofmark/domain/comment';
import { headline, outcomeOf, runConclusion, sortWorstFirst, worstCell } from '@proofmark/domain/outcome';
import type { PlannedSuiteRun } from '@proofmark/domain/plan-run';
import { type CellReport, type RunReport, type SuiteReport, unaffectedSuite } from '@proofmark/domain/run-report';
import { passRate, sumKnown } from '@proofmark/domain/totals';
import type { EndedSuiteRun } from '@proofmark/embedded/finished-suite-run';
import type { ComparedBase } from '../base/choose-base.ts';
import type { JobEnvironment } from '../job/environment.ts';
import type { JobSummary } from '../job/job-report.ts';
import type { JobTrigger } from '../job/read-event.ts';

/** What a report says of a run that is not in its results. */
export interface RunFacts {
  runId: string;
  trigger: JobTrigger;
  environment: JobEnvironment;
  base: ComparedBase | null;
  affected: readonly LoadedSuite[];
  unaffected: readonly LoadedSuite[];
}

interface FinishedRun {
  suiteRuns: readonly EndedSuiteRun[];
  durationMs: number;
}

/** The report of a run that this job executed. */
export function finishedReport(facts: RunFacts, { suiteRuns, durationMs }: FinishedRun): RunReport {
  const bySuite = Map.groupBy(suiteRuns.filter(isHead), ({ suitePath }) => suitePath);
  const suites = [...bySuite.values()].map((cells) => suiteReport(cells, finishedCell));
  const costUsd = sumKnown(suiteRuns.map((suiteRun) => suiteRun.costUsd));
  return { ...reportOf(facts, suites), durationMs, costUsd };
}

/** The report of a run that has just begun, or that has come this far: finished test runs by the name of their suite. */
export function runningReport(
  facts: RunFacts,
  planned: readonly PlannedSuiteRun[],
  done: ReadonlyMap<string, number>,
): RunReport {
  const bySuite = Map.groupBy(planned, ({ suitePath }) => suitePath);
  const suites = [...bySuite.values()].map((suiteRuns) => {
    const total = suiteRuns.reduce((sum, { testRuns }) => sum + testRuns.length, 0);
    const name = suiteRuns[0]?.suiteName ?? '';
    return suiteReport(suiteRuns.slice(0, 1), () => ({ ...openCell, done: done.get(name) ?? 0, total }));
  });
  return { ...reportOf(facts, suites), durationMs: null, costUsd: null };
}

/** The page of the workflow run: the details of what has no page of its own. */
export function workflowRunUrl({ serverUrl, repository, runId }: JobEnvironment): string {
  return `${serverUrl}/${repository}/actions/runs/${runId}`;
}

const noResults = { cellKey: '', verdict: null, detail: null, done: 0, total: 0, costUsd: null, cases: [] };
const openCell: CellReport = { ...noResults, outcome: 'running', conclusion: null };

const isHead = ({ variant }: EndedSuiteRun): boolean => variant !== 'baseline';

function reportOf(
  { runId, trigger, environment, base, affected, unaffected }: RunFacts,
  suites: readonly SuiteReport[],
): Omit<RunReport, 'durationMs' | 'costUsd'> {
  const { serverUrl, repository } = environment;
  const { headSha } = trigger;
  const removed = base === null ? [] : removedSuites([...affected, ...unaffected], base.definitions);
  return {
    runId,
    headSha,
    baseSha: base?.sha ?? null,
    baseLabel: base?.label ?? null,
    detailsUrl: workflowRunUrl(environment),
    fileUrl: (path, line) => `${serverUrl}/${repository}/blob/${headSha}/${encodeURI(path)}#L${line}`,
    suites: [...suites, ...unaffected.map(({ path, suite }) => unaffectedSuite(suite.name, path))],
    removedSuites: removed.map((suiteName) => ({ suiteName, last: null })),
    changedGates: base === null ? [] : withGatesOf(base.definitions, affected).changed,
  };
}

function suiteReport<Cell extends Pick<PlannedSuiteRun, 'suiteName' | 'suitePath'>>(
  cells: readonly Cell[],
  toReport: (cell: Cell) => CellReport,
): SuiteReport {
  const [first] = cells;
  return { suiteName: first?.suiteName ?? '', suitePath: first?.suitePath ?? '', cells: cells.map(toReport) };
}

function finishedCell({ cellKey, verdict, totals, cases, costUsd }: EndedSuiteRun): CellReport {
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

/** What the job says of it, in the words that a coordinator would use. */
export function toJobReport(run: RunReport, all: readonly EndedSuiteRun[]): JobSummary {
  const suiteRuns = all.filter(isHead);
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
    suitesAffected: run.suites.filter((suite) => worstCell(suite).outcome !== 'unaffected').length,
    costUsd: run.costUsd,
  };
}

function sumOf(suiteRuns: readonly EndedSuiteRun[]) {
  const sum = { passed: 0, errored: 0, skipped: 0, total: 0 };
  for (const { totals } of suiteRuns) {
    sum.passed += totals.passed;
    sum.errored += totals.errored;
    sum.skipped += totals.skipped;
    sum.total += totals.passed + totals.failed + totals.errored + totals.skipped;
  }
  return sum;
}

/** The same run given up: whatever it had, nothing of it is a result. */
export function cancelledReport(run: RunReport): RunReport {
  const cancelled = { outcome: 'cancelled', conclusion: 'cancelled', detail: 'Cancelled: job cancelled' } as const;
  const give = (cell: CellReport): CellReport =>
    cell.outcome === 'unaffected' ? cell : { ...cell, verdict: null, ...cancelled };
  return { ...run, suites: run.suites.map((suite) => ({ ...suite, cells: suite.cells.map(give) })) };
}
