import { canonicalJson } from '@proofmark/contracts/canonical-json';
import type { LoadedDefinitions, LoadedSuite } from '@proofmark/contracts/load-definitions';
import { findBaseline } from './find-baseline.ts';

type OwnGate = Pick<LoadedSuite['suite'], 'gate' | 'alert_on_regression' | 'alert_threshold_percent'>;

/**
 * The suites with the gates of the base: a change cannot loosen the gate that it has to pass. Also which it would change.
 * Labelled answers are part of it: wrong ones would make the judge look weak, and a weak judge stops nobody.
 */
export function withGatesOf(
  base: LoadedDefinitions,
  suites: readonly LoadedSuite[],
): { suites: LoadedSuite[]; changed: string[] } {
  const changed: string[] = [];
  const gated = suites.map((loaded) => {
    const before = findBaseline(loaded, base);
    if (before === undefined) return loaded;
    const gate = gateOf(before);
    const isOther = canonicalJson(gate) !== canonicalJson(gateOf(loaded));
    if (isOther || before.calibration?.digest !== loaded.calibration?.digest) changed.push(loaded.suite.name);
    return { ...withLabelsOf(before, loaded), suite: { ...loaded.suite, ...gate } };
  });
  return { suites: gated, changed };
}

/** The suite with the labelled answers that its judge is held against at the base, or with none. */
export function withLabelsOf(before: LoadedSuite, { calibration: _own, ...loaded }: LoadedSuite): LoadedSuite {
  return { ...loaded, ...(before.calibration && { calibration: before.calibration }) };
}

function gateOf({ suite: { gate, alert_on_regression, alert_threshold_percent } }: LoadedSuite): OwnGate {
  return { gate, alert_on_regression, alert_threshold_percent };
}
