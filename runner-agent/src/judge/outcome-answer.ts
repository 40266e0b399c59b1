import type { OutcomeCriterion } from '@proofmark/contracts/case-outcome';
import { z } from 'zod';
import type { Criterion } from './outcome-criteria.ts';

/** The answer of a judge of outcomes: exactly these keys. */
export const OutcomeAnswer = z.strictObject({
  criteria: z.array(
    z.strictObject({
      id: z.string(),
      requirement: z.string().default(''),
      reasoning: z.string().default(''),
      status: z.enum(['passed', 'failed', 'inconclusive']),
    }),
  ),
  injection_attempt: z.boolean().default(false),
});
export type OutcomeAnswer = z.infer<typeof OutcomeAnswer>;

/**
 * One decision per criterion in our order and with our requirement, or undefined when the judge left one out, named one
 * twice or invented one: "all of nothing" must never pass.
 */
export function matchCriteria(answer: OutcomeAnswer, criteria: readonly Criterion[]): OutcomeCriterion[] | undefined {
  const decisions = new Map(answer.criteria.map((decision) => [decision.id, decision]));
  if (criteria.length === 0 || answer.criteria.length !== criteria.length) return undefined;
  const matched = criteria.flatMap(({ id, requirement }): OutcomeCriterion[] => {
    const decision = decisions.get(id);
    return decision ? [{ id, requirement, reasoning: decision.reasoning, status: decision.status }] : [];
  });
  return matched.length === criteria.length ? matched : undefined;
}
