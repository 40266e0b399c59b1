import type { AlertRun } from '../alert/alert-rule.ts';
import { caseStatus, countTrials, groupByCase, type Trial } from './count-trials.ts';
import { judgedOtherwise } from './judge-again.ts';
import type { VerdictInput } from './verdict-input.ts';

/**
 * Both sides as the alert rule of seed 002 sees them. A case that each side has judged by a judge of its own is on
 * neither: what two judges think of it says nothing about the agent. Null: nothing is left to compare with.
 */
export function alertRuns(input: VerdictInput): { current: AlertRun; previous: AlertRun | null } {
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
