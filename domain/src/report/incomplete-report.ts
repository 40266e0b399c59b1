import type { SkippedTest, TestReport } from '@proofmark/contracts/test-report';
import { plural } from '../text/format-numbers.ts';

/** Reasons for which tests were not run although they were wanted, by what became of the run. */
const cuts: Readonly<Record<string, string>> = {
  interrupted: 'the run was interrupted',
  cancelled: 'the run was cancelled',
  superseded: 'a newer run took its place',
  closed: 'the pull request was closed',
  dequeued: 'the change left the merge queue',
  deadline: 'the time of the run was over',
  budget: 'the budget of the run was spent',
  no_answer: 'the run that is rescored has no answer',
  other_question: 'the question has changed since it was answered',
  answer_cut: 'the stored answer is not whole',
};

/** Reasons that are fine: nothing is missing. */
const omissions: Readonly<Record<string, string>> = {
  early_stop: 'the verdict was certain without it',
};

/** Why a test was not run, for people; a reason that is not known stays as it is. */
export function skipWords({ reason }: Pick<SkippedTest, 'reason'>): string {
  const known = Object.hasOwn(cuts, reason)
    ? cuts[reason]
    : Object.hasOwn(omissions, reason)
      ? omissions[reason]
      : null;
  return known ?? reason;
}

/** `2 of 3 tests were not run, because the run was interrupted`; null when nothing is missing that was wanted. */
export function incompleteWords({ results, skipped }: Pick<TestReport, 'results' | 'skipped'>): string | null {
  const missing = skipped.filter(({ reason }) => Object.hasOwn(cuts, reason));
  if (missing.length === 0) return null;
  const why = [...new Set(missing.map(skipWords))].join(' and ');
  const verb = missing.length === 1 ? 'was' : 'were';
  return `${missing.length} of ${plural(results.length + missing.length, 'test')} ${verb} not run, because ${why}`;
}
