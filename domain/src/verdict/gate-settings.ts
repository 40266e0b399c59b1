import type { VerdictSettings } from '@proofmark/contracts/verdict';
import type { GateParameters } from './ladder.ts';

/** What of `alpha` the first look spends when a fresh rerun follows every suspicion (statistics, section 7). */
export const firstLookShare = 0.4;

/** The suite's settings as fractions, as the gate wants them. `isFirstLook`: a suspicion is confirmed at once. */
export function gateParameters(
  settings: VerdictSettings,
  { isFirstLook = false }: { isFirstLook?: boolean } = {},
): { parameters: Partial<GateParameters> } {
  const { gate } = settings;
  return {
    parameters: {
      alpha: isFirstLook ? gate.alpha * firstLookShare : gate.alpha,
      strict: gate.strict,
      minEffect: gate.min_effect_percent / 100,
      alertDrop: settings.alertThresholdPercent / 100,
      fdr: gate.fdr,
      screen: gate.screen,
      minCoverage: gate.min_coverage_percent / 100,
    },
  };
}
