import type { VerdictSettings } from '@proofmark/contracts/verdict';
import type { Trial } from './count-trials.ts';
import type { GateParameters } from './ladder.ts';
import type { VerdictInput } from './verdict-input.ts';

/** What of `alpha` the first look spends when a fresh rerun follows every suspicion (docs/repetitions.md#when-it-is-suspicious-run-everything-again). */
export const firstLookShare = 0.4;

/** What of `alpha` the looks at pairs spend at most where a run may stop between its rounds. */
const earlyShare = 0.2;

/** Chance that a look at pairs stops a run in which nothing has changed; `cells` share it. */
export const earlyBudget = ({ gate }: VerdictSettings, cells = 1): number => (gate.alpha * earlyShare) / cells;

/** What of `alpha` is left for the end of the run: all of it unless pairs were looked at before. */
export const alphaAtEnd = ({ settings, isConcurrent = false, head }: LookedAt): number =>
  isLookedAt({ settings, isConcurrent, head }) ? settings.gate.alpha * (1 - earlyShare) : settings.gate.alpha;

type LookedAt = Pick<VerdictInput, 'settings' | 'isConcurrent'> & { head: readonly Pick<Trial, 'repetition'>[] };

const isLookedAt = ({ settings, isConcurrent, head }: LookedAt): boolean =>
  settings.gate.stop === 'sequential' && isConcurrent === true && head.some(({ repetition = 1 }) => repetition > 1);

/** The suite's settings as fractions, as the gate wants them. `isFirstLook`: a suspicion is confirmed at once. */
export function gateParameters(
  settings: VerdictSettings,
  { isFirstLook = false, alpha = settings.gate.alpha }: { isFirstLook?: boolean; alpha?: number } = {},
): { parameters: Partial<GateParameters> } {
  const { gate } = settings;
  return {
    parameters: {
      alpha: isFirstLook ? alpha * firstLookShare : alpha,
      strict: gate.strict,
      minEffect: gate.min_effect_percent / 100,
      alertDrop: settings.alertThresholdPercent / 100,
      fdr: gate.fdr,
      screen: gate.screen,
      minCoverage: gate.min_coverage_percent / 100,
    },
  };
}
