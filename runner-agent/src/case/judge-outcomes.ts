import type { CaseStep } from './case-state.ts';
import { withError } from './case-state.ts';

/** Judges `expected_outcomes`. There is no judge for them yet, and an outcome that nobody judged must not look met. */
export const requireOutcomeJudge: CaseStep = async (state, { work }) => {
  const outcomes = work.case.expected_outcomes;
  if (outcomes === null || Object.keys(outcomes).length === 0) return state;
  return withError(state, 'judge', 'Expected outcomes cannot be judged by this runner yet');
};
