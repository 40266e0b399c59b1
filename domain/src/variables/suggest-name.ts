import { nearMatch } from '@proofmark/contracts/near-match';

/** The hint that names what a person most likely meant; undefined when no known name is close. */
export function suggestName(given: string, known: readonly string[]): string | undefined {
  const name = nearMatch(given, known);
  return name === undefined ? undefined : `Did you mean '${name}'?`;
}

const mostListed = 20;

/** What helps with a name that leads nowhere: what was meant, else what there is; `none` when there is nothing. */
export function nameHint(given: string, known: Iterable<string>, none: string): string {
  const names = [...new Set(known)];
  if (names.length === 0) return none;
  const rest = names.length - mostListed;
  const listed = `There are: ${names.slice(0, mostListed).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}.`;
  return suggestName(given, names) ?? listed;
}
