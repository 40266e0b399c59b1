import type { LoadedSuite } from '@proofmark/contracts/loaded';
import type { Verdict } from '@proofmark/contracts/verdict';
import type { PlannedSuiteRun } from '@proofmark/domain/plan-run';
import type { CaseReport } from '@proofmark/domain/run-report';
import { groupResults, type ResultGroup } from '@proofmark/domain/summarize';
import { placeEnvironment, type ReportedTestRun } from '@proofmark/domain/test-report';
import { sumKnown } from '@proofmark/domain/totals';
import type { RunFolder } from '../results/run-folder.ts';
import { inSuiteOrder, type TestRunRow } from '../results/test-run-row.ts';
import { collectCases, firstAnswers, readResults, type WrittenReport, writeReport } from './write-report.ts';

/** How many test runs of a suite run ended in which way. */
export interface SuiteRunTotals {
  passed: number;
  failed: number;
  errored: number;
  skipped: number;
}

/** A suite run that is over. Its report and its outcomes are files; in memory is what a summary needs. */
export interface EndedSuiteRun {
  suiteName: string;
  suitePath: string;
  agentName: string;
  cellKey: string;
  variant: PlannedSuiteRun['variant'];
  totals: SuiteRunTotals;
  /** Why test runs were not run: `draft`, `disabled`, `interrupted`, `budget`. */
  skipReasons: string[];
  report: WrittenReport;
  /** How each difficulty and each tag fared. */
  groups: ResultGroup[];
  /** Null for the baseline side, which is judged with the candidate. */
  verdict: Verdict | null;
  /** One entry per case, with answers where something failed. */
  cases: CaseReport[];
  /** Judges, simulated users and a confirmation included; null when nothing had a known price. */
  costUsd: number | null;
}

export interface SuiteRunInput {
  folder: RunFolder;
  position: number;
  planned: PlannedSuiteRun;
  rows: readonly TestRunRow[];
  loaded: LoadedSuite;
  baseline: { planned: PlannedSuiteRun; position: number; rows: readonly TestRunRow[] } | null;
  /** Null for the baseline side. */
  verdict: Verdict | null;
  /** What was spent for it beside its test runs; null where nothing was, or nothing had a known price. */
  besideUsd: number | null;
  report: { timestamp: string; version: string; environment: Readonly<Record<string, string>> };
}

/** Writes the report of a suite run beside its results, reading each once. */
export async function reportSuiteRun(input: SuiteRunInput): Promise<EndedSuiteRun> {
  const { planned, rows, loaded, folder, position, verdict } = input;
  const { suiteName, suitePath, agentName, cellKey, variant } = planned;
  const cases = collectCases(loaded);
  const seen = openSums();
  const place = placeEnvironment({ suite: suiteName, cell: cellKey, variant });
  const report = await writeReport({
    path: folder.reportPath(planned, position),
    head: {
      ...input.report,
      agentName,
      agentConfigPath: loaded.agentPath,
      environment: { ...input.report.environment, ...place },
    },
    results: readResults(folder.resultsPath(planned, position), rows),
    skipped: inSuiteOrder(rows).flatMap(({ testRun, skipReason }) =>
      skipReason === null ? [] : [{ test_name: testRun.caseName, reason: skipReason }],
    ),
    onResult: (testRun) => {
      cases.see(testRun);
      seen.see(testRun);
    },
  });
  return {
    suiteName,
    suitePath,
    agentName,
    cellKey,
    variant,
    report,
    totals: totalsOf(rows),
    skipReasons: [...new Set(rows.flatMap(({ skipReason }) => skipReason ?? []))],
    groups: groupResults(seen.judged),
    verdict,
    cases: variant === 'baseline' ? [] : cases.reports(caseNames(rows), await baseAnswers(input, cases.failed())),
    costUsd: sumKnown([...rows.map(({ spentUsd }) => spentUsd), input.besideUsd]),
  };
}

/** What is added up while results pass by; of each it keeps a few words. */
function openSums() {
  const judged: { case: Pick<ReportedTestRun['case'], 'difficulty' | 'tags'>; outcome: { status: Status } }[] = [];
  return {
    judged,
    see: ({ case: { difficulty, tags }, outcome: { status } }: ReportedTestRun): void => {
      judged.push({ case: { difficulty, tags }, outcome: { status } });
    },
  };
}

type Status = ReportedTestRun['outcome']['status'];

const caseNames = (rows: readonly TestRunRow[]): string[] => [
  ...new Set(inSuiteOrder(rows).map(({ testRun }) => testRun.caseName)),
];

async function baseAnswers(
  { baseline, folder }: SuiteRunInput,
  failed: ReadonlySet<string>,
): Promise<Map<string, string | null>> {
  if (baseline === null || failed.size === 0) return new Map();
  return await firstAnswers(folder.resultsPath(baseline.planned, baseline.position), baseline.rows, failed);
}

function totalsOf(rows: readonly TestRunRow[]): SuiteRunTotals {
  const count = (status: TestRunRow['status']): number => rows.filter((row) => row.status === status).length;
  return { passed: count('passed'), failed: count('failed'), errored: count('error'), skipped: count('skipped') };
}
