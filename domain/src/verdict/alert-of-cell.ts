import { type AlertResult, type AlertRun, judgeAlert } from '../alert/alert-rule.ts';
import { caseStatus, countTrials, groupByCase, type Trial } from './count-trials.ts';
import { judgedOtherwise } from './judge-again.ts';
import type { PreparedCell } from './prepare-cell.ts';
import type { VerdictInput } from './verdict-input.ts';

/** Whether the cell is worse than the run before it, by the alert rule of its suite. */
export function alertOf({ input }: PreparedCell): AlertResult {
  const { settings } = input;
  return judgeAlert({
    settings: {
      alertOnRegression: settings.alertOnRegression,
      alertThresholdPercent: settings.alertThresholdPercent,
      alertOnNewlyFailing: settings.gate.alert_on_newly_failing,
    },
    ...alertRuns(input),
  });
}

/**
 * Both sides as the alert rule of seed 002 sees them. A case that each side has judged by a judge of its own is on
 * neither: what two judges think of it says nothing about the agent. Null: nothing is left to compare with.
 */
function alertRuns(input: VerdictInput): { current: AlertRun; previous: AlertRun | null } {
  const { head, base, previous = base } = input;
  const otherwise = judgedOtherwise(previous ?? [], head);
  const isJudgedAlike = ({ caseName }: Trial): boolean => !otherwise.has(caseName);
  const before = previous?.filter(isJudgedAlike) ?? [];
  const isEmptied = before.length === 0 && otherwise.size > 0;
  return {
    current: alertRun(isEmptied ? head : head.filter(isJudgedAlike), input),
    previous: previous === null || isEmptied ? null : alertRun(before, input),
  };
}

/** A suite run with one status per case. */
function alertRun(trials: readonly Trial[], { settings }: VerdictInput): AlertRun {
  const statuses = [...groupByCase(trials)].map(
    ([name, ofCase]) => [name, caseStatus(countTrials(ofCase), settings.gate)] as const,
  );
  const count = (status: string) => statuses.filter(([, one]) => one === status).length;
  return {
    status: 'completed',
    total: statuses.length,
    passed: count('passed'),
    skipped: count('skipped'),
    results: new Map(statuses),
  };
}
