import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { ErrorKind, TestRunStatus } from '@proofmark/contracts/error-kind';
import { comparabilityKey } from '@proofmark/domain/comparability-key';
import type { Trial } from '@proofmark/domain/decide-verdict';
import type { PlannedSuiteRun, PlannedTestRun } from '@proofmark/domain/plan-run';
import { triedMetrics } from '@proofmark/domain/unmeasured-metrics';
import type { LinePlace } from './result-files.ts';

/** What is kept in memory of a test run: its status. Everything else is on disk. */
export interface TestRunRow {
  testRun: PlannedTestRun;
  status: TestRunStatus;
  errorKind: ErrorKind | null;
  /** Null when it was run. */
  skipReason: string | null;
  /** What comparisons look at beside the status; null when it was not run. */
  measured: Measured | null;
  /** What it cost, judges and simulated users included; null when nothing of it had a known price. */
  spentUsd: number | null;
  /** Where its result stands; null when it was not run. */
  place: LinePlace | null;
}

/** The few facts of an outcome that stay in memory. */
type Measured = Required<Pick<Trial, 'errorMessage' | 'latencyMs' | 'tokens' | 'costUsd' | 'metrics' | 'adjustments'>>;

const errorCharacters = 300;

export function measuredOf(outcome: CaseOutcome): Measured {
  const { errorMessage, latencyMs, costUsd, usage, metrics } = outcome;
  return {
    errorMessage: errorMessage?.slice(0, errorCharacters) ?? null,
    latencyMs,
    tokens: usage === null ? null : tokensOf(outcome),
    costUsd,
    metrics: metrics.length === 0 ? null : triedMetrics(metrics),
    adjustments: outcome.adjustments ?? null,
  };
}

/** Prompt and completion together; 0 when nothing is known. */
export function tokensOf({ usage }: Pick<CaseOutcome, 'usage'>): number {
  return usage === null ? 0 : usage.promptTokens + usage.completionTokens;
}

/** Rows in the order of the suite, repetition by repetition. */
export const inSuiteOrder = (rows: readonly TestRunRow[]): TestRunRow[] =>
  [...rows].sort((a, b) => a.testRun.sortOrder - b.testRun.sortOrder || a.testRun.repetition - b.testRun.repetition);

/** The rows as the gate sees them. */
export function trialsOfRows(
  { settingKey }: PlannedSuiteRun,
  rows: readonly TestRunRow[],
  clusters: Readonly<Record<string, string>> | null = null,
): Trial[] {
  return inSuiteOrder(rows).map(({ testRun, status, errorKind, skipReason, measured }) => ({
    caseName: testRun.caseName,
    comparabilityKey: comparabilityKey(testRun.caseHash, testRun.instrumentHash, settingKey),
    status,
    errorKind,
    repetition: testRun.repetition,
    skipReason,
    cluster: clusters?.[testRun.caseName] ?? null,
    ...measured,
  }));
}
