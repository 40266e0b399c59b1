import type { VerdictSettings } from '@proofmark/contracts/verdict';
import type { GateParameters } from './ladder.ts';

/** The suite's settings as fractions, as the gate wants them. */
export function gateParameters(settings: VerdictSettings): { parameters: Partial<GateParameters> } {
  const { gate } = settings;
  return {
    parameters: {
      alpha: gate.alpha,
      strict: gate.strict,
      minEffect: gate.min_effect_percent / 100,
      alertDrop: settings.alertThresholdPercent / 100,
      fdr: gate.fdr,
      screen: gate.screen,
      minCoverage: gate.min_coverage_percent / 100,
    },
  };
}
