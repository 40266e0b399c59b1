import { canonicalJson } from '@proofmark/contracts/canonical-json';
import type { LoadedDefinitions, LoadedSuite } from '@proofmark/contracts/load-definitions';
import { findBaseline } from './find-baseline.ts';

type OwnGate = Pick<LoadedSuite['suite'], 'gate' | 'alert_on_regression' | 'alert_threshold_percent'>;

/** The suites with the gates of the base: a change cannot loosen the gate that it has to pass. Also which it would change. */
export function withGatesOf(
  base: LoadedDefinitions,
  suites: readonly LoadedSuite[],
): { suites: LoadedSuite[]; changed: string[] } {
  const changed: string[] = [];
  const gated = suites.map((loaded) => {
    const before = findBaseline(loaded, base);
    if (before === undefined) return loaded;
    const gate = gateOf(before);
    if (canonicalJson(gate) !== canonicalJson(gateOf(loaded))) changed.push(loaded.suite.name);
    return { ...loaded, suite: { ...loaded.suite, ...gate } };
  });
  return { suites: gated, changed };
}

function gateOf({ suite: { gate, alert_on_regression, alert_threshold_percent } }: LoadedSuite): OwnGate {
  return { gate, alert_on_regression, alert_threshold_percent };
}
