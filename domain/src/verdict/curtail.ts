import { bestEndForHead, type UnfinishedCase } from '../statistics/case-counts.ts';
import { benjaminiHochberg } from '../statistics/exact-tests.ts';
import { type GateInput, type GateLook, judgeMeasurement, measureGate } from './gate.ts';
import { ladderDefaults } from './ladder.ts';

/** A comparison that is still running; `cases` are all planned ones that exist on both sides. */
export type UnfinishedComparison = Omit<GateInput, 'cases' | 'planned'> & {
  readonly cases: readonly UnfinishedCase[];
  /** Other cells of the suite, of which nothing is known yet: the correction over all of them must hold as well. */
  readonly others?: { readonly cells: number; readonly cases: number } | undefined;
};

/** The cases that can still take part, with clusters and quarantine moved to their new places. */
function takingPart({ cases, clusters, quarantined, parameters }: UnfinishedComparison): GateInput {
  const best = cases.map(bestEndForHead);
  const places = best.flatMap(([, base, , head], place) => (base > 0 && head > 0 ? [place] : []));
  const isQuarantined = new Set(quarantined);
  return {
    cases: best.filter(([, base, , head]) => base > 0 && head > 0),
    clusters: clusters && places.map((place) => clusters[place] ?? ''),
    quarantined: places.flatMap((place, index) => (isQuarantined.has(place) ? [index] : [])),
    planned: cases.length,
    parameters,
  };
}

/**
 * True when the run will end as `regressed` whatever the outstanding trials bring, so it may stop now.
 * Never true while coverage could still turn out insufficient.
 */
export function isRegressionCertain(comparison: UnfinishedComparison): boolean {
  const { cases, parameters } = comparison;
  const compared = cases.filter(({ counts: [, base, , head] }) => base > 0 && head > 0).length;
  const minCoverage = parameters?.minCoverage ?? ladderDefaults.minCoverage;
  if (compared === 0 || compared / cases.length < minCoverage) return false;
  const input = takingPart(comparison);
  return judgeMeasurement(measureGate(input), input, worstLook(input, comparison)).verdict === 'regressed';
}

/** The correction over all cells if the others show nothing at all. */
function worstLook(input: GateInput, { others = { cells: 0, cases: 0 } }: UnfinishedComparison): GateLook {
  if (others.cells === 0) return {};
  const { casePValues, p, midp } = measureGate(input);
  const nothing = Array.from({ length: others.cases }, () => 1);
  const adjusted = benjaminiHochberg([...casePValues, ...nothing]).slice(0, casePValues.length);
  const probability = input.parameters?.strict === true ? p : midp;
  return { adjusted, regressionProbability: Math.min(1, probability * (others.cells + 1)) };
}
