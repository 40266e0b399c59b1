import type { Adjustment } from '@proofmark/contracts/case-outcome';
import { type ErrorKind, type TestRunStatus, trialOutcome } from '@proofmark/contracts/error-kind';
import type { Gate } from '@proofmark/contracts/gate';
import type { CaseStatus, TrialCounts } from '@proofmark/contracts/verdict';
import { type Reducer, reduceTrials } from '../statistics/repetitions.ts';
import type { TriedMetric } from './unmeasured-metrics.ts';

/** One test run as the gate sees it. */
export interface Trial {
  caseName: string;
  /** Equal for two trials that may be compared: case, instrument and setting (docs/statistics.md#what-is-compared-with-what). */
  comparabilityKey: string;
  status: TestRunStatus;
  errorKind: ErrorKind | null;
  repetition?: number;
  errorMessage?: string | null;
  skipReason?: string | null;
  /** Trials of cases that belong together have the same; absent: the case stands alone. */
  cluster?: string | null;
  latencyMs?: number | null;
  /** Prompt and completion together. */
  tokens?: number | null;
  costUsd?: number | null;
  /** What it was to be measured by; absent or null: by no metric, or that is not known. */
  metrics?: readonly TriedMetric[] | null;
  /** What models refused, so that they were asked otherwise; absent or null: nothing, or that is not known. */
  adjustments?: readonly Adjustment[] | null;
}

export type TrialsByCase = ReadonlyMap<string, readonly Trial[]>;

export function groupByCase(trials: readonly Trial[]): Map<string, Trial[]> {
  return Map.groupBy(trials, (trial) => trial.caseName);
}

export const isScored = ({ status }: Pick<Trial, 'status'>): boolean => status === 'passed' || status === 'failed';

export const scored = (counts: TrialCounts): number => counts.passed + counts.failed;

/** How many of them ended in which way. Skipped ones count nowhere. */
export function countTrials(trials: readonly Trial[]): TrialCounts {
  const counts: TrialCounts = { planned: 0, passed: 0, failed: 0, errored: 0, invalid: 0 };
  for (const trial of trials) {
    const outcome = trialOutcome(trial.status, trial.errorKind);
    if (outcome === 'skipped') continue;
    counts.planned += 1;
    counts[outcome] += 1;
  }
  return counts;
}

/** One status for the repetitions of a case; none executed is `skipped`, none scored an `error`. */
export function caseStatus(counts: TrialCounts, gate: Pick<Gate, 'reducer' | 'reducer_k'>): CaseStatus {
  if (counts.planned === 0) return 'skipped';
  const { passed, failed } = counts;
  return reduceTrials({ passed, scored: passed + failed }, reducerOf(gate));
}

function reducerOf({ reducer, reducer_k: k = 1 }: Pick<Gate, 'reducer' | 'reducer_k'>): Reducer {
  return reducer === 'at_least' ? { kind: reducer, k } : { kind: reducer };
}
