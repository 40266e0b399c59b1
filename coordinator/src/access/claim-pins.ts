import type { PinnedClaim } from '@proofmark/contracts/words';

/** What the token of a job has to say beside its numbers, by claim: the very text, or what stands before a * at its end. */
export type ClaimPins = Partial<Record<PinnedClaim, string>>;

/** Whether a job may act for a repository with these pins. A claim that its token does not have, or that only a newer version knows, fits none. */
export function matchesPins(
  pins: ClaimPins | null,
  claims: Readonly<Record<PinnedClaim, string | undefined>>,
): boolean {
  const saidOf = new Map(Object.entries(claims));
  return Object.entries(pins ?? {}).every(([name, wanted]) => {
    const said = saidOf.get(name);
    return wanted.endsWith('*') ? said?.startsWith(wanted.slice(0, -1)) === true : said === wanted;
  });
}
