import { nearMatch } from '@proofmark/contracts/near-match';

/** The hint that names what a person most likely meant; undefined when no known name is close. */
export function didYouMean(given: string, known: readonly string[]): string | undefined {
  const name = nearMatch(given, known);
  return name === undefined ? undefined : `Did you mean '${name}'?`;
}
