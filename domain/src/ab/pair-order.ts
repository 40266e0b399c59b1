import { contentHash } from '@proofmark/contracts/content-hash';

/** Which side of a pair is asked first; `together` when both are asked at once. */
export type PairOrder = 'baseline_first' | 'candidate_first' | 'together';

/**
 * The order of one pair. With a seed it is a coin toss that falls the same way whenever the same pair is asked in a
 * session with this seed, however many run at once and however often the session was interrupted.
 */
export function pairOrder({
  seed,
  key,
  concurrent,
}: {
  seed: string | null;
  key: string;
  concurrent: boolean;
}): PairOrder {
  if (concurrent) return 'together';
  if (seed === null) return 'baseline_first';
  return Number.parseInt(contentHash([seed, key]).slice(0, 2), 16) % 2 === 0 ? 'baseline_first' : 'candidate_first';
}
