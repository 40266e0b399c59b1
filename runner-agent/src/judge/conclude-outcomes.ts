import type { OutcomeCriterion } from '@proofmark/contracts/case-outcome';
import type { Criterion } from './outcome-criteria.ts';

export interface Conclusion {
  passed: boolean | null;
  score: number | null;
  error: string | null;
}

/** Derived by code, never asked of a model: any failed criterion fails, any inconclusive one leaves it open, else passed. */
export function concludeOutcomes(criteria: readonly OutcomeCriterion[]): Conclusion {
  const open = criteria.filter(({ status }) => status === 'inconclusive');
  const hasFailed = criteria.some(({ status }) => status === 'failed');
  if (criteria.length === 0) return { passed: null, score: null, error: 'The judge decided about no criterion' };
  if (!hasFailed && open.length > 0) {
    const ids = open.map(({ id }) => id).join(', ');
    return { passed: null, score: null, error: `The judge could not decide about ${ids}` };
  }
  const score = criteria.filter(({ status }) => status === 'passed').length / criteria.length;
  return { passed: !hasFailed, score, error: null };
}

/**
 * One decision per criterion from a panel of `members`, of which only some may have answered. More than half of all
 * members must agree; silence and inconclusive are no votes, and without a majority the criterion stays inconclusive.
 */
export function majorityOf(
  criteria: readonly Criterion[],
  votes: readonly (readonly OutcomeCriterion[])[],
  members: number,
): OutcomeCriterion[] {
  return criteria.map(({ id, requirement }) => {
    const decisions = votes.flatMap((vote) => vote.filter((decision) => decision.id === id));
    const winners = (['passed', 'failed'] as const)
      .map((status) => decisions.filter((decision) => decision.status === status))
      .find((agreeing) => agreeing.length > members / 2);
    const reasoning = (winners ?? decisions).map((decision) => decision.reasoning).join('\n');
    return { id, requirement, reasoning, status: winners?.[0]?.status ?? 'inconclusive' };
  });
}
