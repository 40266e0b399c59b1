import { type ErrorKind, type TestRunStatus, trialOutcome } from '@proofmark/contracts/error-kind';
import type { CaseComparison, TrialCounts, Verdict, VerdictSettings } from '@proofmark/contracts/verdict';
import type { AlertRun, CaseStatus } from '../alert/alert-rule.ts';
import { judgeComparison } from './judge-comparison.ts';

/** One test run as the gate sees it. */
export interface Trial {
  caseName: string;
  /** Equal for two trials that may be compared: case, instrument and setting (statistics, section 1). */
  comparabilityKey: string;
  status: TestRunStatus;
  errorKind: ErrorKind | null;
}

export interface VerdictInput {
  /** Every test run of the suite run, in suite order, skipped ones included. */
  head: readonly Trial[];
  /** Every test run of the suite run that is the baseline; null when there is none. */
  base: readonly Trial[] | null;
  /** Further base-branch trials of the same agent, newest first; they add evidence but no cases. */
  history?: readonly Trial[];
  /** Names of cases measured to be flaky. */
  quarantined?: ReadonlySet<string>;
  settings: VerdictSettings;
}

/** The verdict of a suite run against its baseline. The same for embedded and distributed runs. */
export function decideVerdict(input: VerdictInput): Verdict {
  const head = groupByCase(input.head);
  const base = groupByCase([...(input.base ?? []), ...knownHistory(input)]);
  const names = [...new Set([...head.keys(), ...groupByCase(input.base ?? []).keys()])];
  return judgeComparison({
    cases: names.map((name) => compareCase(name, head.get(name), base.get(name), input.quarantined ?? new Set())),
    skippedTestRuns: input.head.filter((trial) => trial.status === 'skipped').length,
    settings: input.settings,
    current: alertRun(head),
    previous: input.base === null ? null : alertRun(groupByCase(input.base)),
  });
}

/** History of cases that the baseline no longer has says nothing about this comparison. */
function knownHistory({ base, history }: VerdictInput): readonly Trial[] {
  const names = new Set((base ?? []).map((trial) => trial.caseName));
  return (history ?? []).filter((trial) => names.has(trial.caseName));
}

function groupByCase(trials: readonly Trial[]): Map<string, Trial[]> {
  return Map.groupBy(trials, (trial) => trial.caseName);
}

function compareCase(
  caseName: string,
  head: readonly Trial[] | undefined,
  base: readonly Trial[] | undefined,
  quarantined: ReadonlySet<string>,
): CaseComparison {
  const key = head?.[0]?.comparabilityKey;
  const comparable = key === undefined ? base : base?.filter((trial) => trial.comparabilityKey === key);
  const hasBase = comparable !== undefined && comparable.length > 0;
  return {
    caseName,
    base: hasBase ? countTrials(comparable) : null,
    head: head === undefined ? null : countTrials(head),
    notComparable: head !== undefined && base !== undefined && base.length > 0 && !hasBase,
    quarantined: quarantined.has(caseName),
  };
}

function countTrials(trials: readonly Trial[]): TrialCounts {
  const counts: TrialCounts = { planned: 0, passed: 0, failed: 0, errored: 0, invalid: 0 };
  for (const trial of trials) {
    const outcome = trialOutcome(trial.status, trial.errorKind);
    if (outcome === 'skipped') continue;
    counts.planned += 1;
    counts[outcome] += 1;
  }
  return counts;
}

/** The suite run with one status per case: more than half of the scored trials passed, none scored is an error. */
function alertRun(cases: ReadonlyMap<string, readonly Trial[]>): AlertRun {
  const results = new Map<string, CaseStatus>([...cases].map(([name, trials]) => [name, majority(trials)]));
  const count = (status: CaseStatus) => [...results.values()].filter((one) => one === status).length;
  return { status: 'completed', total: results.size, passed: count('passed'), skipped: count('skipped'), results };
}

function majority(trials: readonly Trial[]): CaseStatus {
  const { planned, passed, failed } = countTrials(trials);
  if (planned === 0) return 'skipped';
  if (passed + failed === 0) return 'error';
  return passed > failed ? 'passed' : 'failed';
}
