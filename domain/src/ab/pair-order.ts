import { contentHash } from '@proofmark/contracts/content-hash';

/** Which side of a pair is asked first; `together` when both are asked at once. */
export type PairOrder = 'baseline_first' | 'candidate_first' | 'together';

export interface OrderRules {
  /** `alternating`: the sides take turns in being first, so that neither is always the one that finds warm caches. */
  order: 'alternating' | 'baseline_first';
  /** Null: nothing is left to chance. */
  order_seed: string | null;
  concurrent: boolean;
}

/**
 * The order of one pair, by its place in the plan: the same whenever it is asked, however many run at once and however
 * often the comparison was interrupted. With a seed it is a coin toss that falls the same way with the same seed.
 */
export function pairOrder(
  { order, order_seed: seed, concurrent }: OrderRules,
  { key, place }: { key: string; place: number },
): PairOrder {
  if (concurrent) return 'together';
  const isCandidateFirst = seed === null ? order === 'alternating' && place % 2 === 1 : tossesCandidate(seed, key);
  return isCandidateFirst ? 'candidate_first' : 'baseline_first';
}

const tossesCandidate = (seed: string, key: string): boolean =>
  Number.parseInt(contentHash([seed, key]).slice(0, 2), 16) % 2 === 1;
