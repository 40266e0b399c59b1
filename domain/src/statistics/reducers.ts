import type { ScoredTrials } from './pass-at-k.ts';

/** How the repetitions of a case become one status. */
export type Reducer = { readonly kind: 'majority' | 'all' | 'any' } | { readonly kind: 'at_least'; readonly k: number };

function passesNeeded(reducer: Reducer, scored: number): number {
  switch (reducer.kind) {
    case 'majority':
      return Math.floor(scored / 2) + 1;
    case 'all':
      return scored;
    case 'any':
      return 1;
    case 'at_least':
      return reducer.k;
  }
}

/** One status from the scored trials of a case, by majority vote or a quota (Condorcet 1785); `error` when none was scored, a tied majority is `failed`. */
export function reduceTrials(
  { scored, passed }: ScoredTrials,
  reducer: Reducer = { kind: 'majority' },
): 'passed' | 'failed' | 'error' {
  if (scored === 0) return 'error';
  return passed >= passesNeeded(reducer, scored) ? 'passed' : 'failed';
}
