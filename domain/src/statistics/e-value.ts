import { logIncompleteBeta } from './incomplete-beta.ts';
import { logBeta } from './log-gamma.ts';
import type { Discordant } from './mcnemar.ts';

/**
 * Evidence against "head is no worse" from discordant pairs: the likelihood ratio of a uniform loss share above ½
 * against exactly ½, valid at every look (Ville 1939; Grünwald et al. 2024). 1 when nothing differs.
 */
export function eValue({ losses, wins }: Discordant): number {
  return Math.exp(
    (losses + wins + 1) * Math.LN2 +
      logBeta(losses + 1, wins + 1) +
      logIncompleteBeta({ a: wins + 1, b: losses + 1, x: 0.5 }),
  );
}
