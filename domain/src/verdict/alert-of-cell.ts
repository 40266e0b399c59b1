import type { CaseStatus } from '@proofmark/contracts/verdict';
import { type AlertResult, type AlertRun, judgeAlert } from '../alert/alert-rule.ts';
import { caseStatus, countTrials, groupByCase, type TrialsByCase } from './count-trials.ts';
import { judgedOtherwise } from './judge-again.ts';
import type { PreparedCell } from './prepare-cell.ts';
import type { VerdictInput } from './verdict-input.ts';

/** Whether the cell is worse than the run before it, by the alert rule of its suite. */
export function alertOf(cell: PreparedCell): AlertResult {
  const { settings } = cell.input;
  return judgeAlert({
    settings: {
      alertOnRegression: settings.alertOnRegression,
      alertThresholdPercent: settings.alertThresholdPercent,
      alertOnNewlyFailing: settings.gate.alert_on_newly_failing,
    },
    ...alertRuns(cell),
  });
}

/**
 * Both sides as the alert rule of seed 002 sees them. A case that each side has judged by a judge of its own is on
 * neither: what two judges think of it says nothing about the agent. Null: nothing is left to compare with.
 */
function alertRuns({ input, byCase }: PreparedCell): { current: AlertRun; previous: AlertRun | null } {
  const { head, base, previous = base } = input;
  const otherwise = judgedOtherwise(previous ?? [], head);
  const judgedAlike = (cases: TrialsByCase): TrialsByCase =>
    otherwise.size === 0 ? cases : new Map([...cases].filter(([name]) => !otherwise.has(name)));
  const before = judgedAlike(previous === base ? byCase.base : groupByCase(previous ?? []));
  const isEmptied = before.size === 0 && otherwise.size > 0;
  return {
    current: alertRun(isEmptied ? byCase.head : judgedAlike(byCase.head), input),
    previous: previous === null || isEmptied ? null : alertRun(before, input),
  };
}

/** A suite run with one status per case. */
function alertRun(cases: TrialsByCase, { settings }: VerdictInput): AlertRun {
  const results = new Map<string, CaseStatus>();
  const count = { passed: 0, failed: 0, error: 0, skipped: 0 };
  for (const [name, trials] of cases) {
    const status = caseStatus(countTrials(trials), settings.gate);
    results.set(name, status);
    count[status] += 1;
  }
  return { status: 'completed', total: results.size, passed: count.passed, skipped: count.skipped, results };
}
