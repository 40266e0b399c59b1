import { suiteConclusion } from './outcome.ts';
import type { CellReport, SuiteReport } from './run-report.ts';

/** What a person may ask for on a check. GitHub sends the identifier back. */
export const buttonIdentifiers = ['confirm', 'rerun_failed', 'rerun_baseline', 'approve_fork'] as const;
export type ButtonIdentifier = (typeof buttonIdentifiers)[number];

export interface CheckButton {
  /** At most 20 characters. */
  label: string;
  /** At most 40. */
  description: string;
  identifier: ButtonIdentifier;
}

const confirm: CheckButton = {
  label: 'Confirm',
  description: 'Run all cases again on both sides',
  identifier: 'confirm',
};
const rerunFailed: CheckButton = {
  label: 'Re-run failed cases',
  description: 'For diagnosis, the verdict stays',
  identifier: 'rerun_failed',
};
const rerunBaseline: CheckButton = {
  label: 'Refresh baseline',
  description: 'Run the base again, then judge anew',
  identifier: 'rerun_baseline',
};

/** On the check of a commit that nobody with rights has looked at. */
export const approveFork: CheckButton = {
  label: 'Approve this commit',
  description: 'Run its cases with your keys, once',
  identifier: 'approve_fork',
};

/** The buttons on the check of a suite, as far as pressing them would do something; none while it is running. */
export function suiteButtons(suite: SuiteReport): CheckButton[] {
  if (suiteConclusion(suite) === null) return [];
  const { cells } = suite;
  return [
    ...(cells.some(canConfirm) ? [confirm] : []),
    ...(cells.some(({ cases }) => cases.some(({ firstFailure }) => firstFailure !== null)) ? [rerunFailed] : []),
    ...(cells.some(isOpenOnItsBase) ? [rerunBaseline] : []),
  ];
}

/** A suspicion against a base that is too old would be confirmed against that same base. */
function canConfirm({ verdict }: CellReport): boolean {
  return verdict?.word === 'suspected' && verdict.reason !== 'old_base' && verdict.confirmation === null;
}

/** More trials of the base could say more: it was compared, and not found fine. */
function isOpenOnItsBase({ verdict }: CellReport): boolean {
  const isFine = verdict === null || verdict.word === 'unchanged' || verdict.word === 'improved';
  return !isFine && verdict.baseline !== null;
}
