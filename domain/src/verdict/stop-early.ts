import type { CaseComparison, EarlyStop } from '@proofmark/contracts/verdict';
import { bestEndForHead, type UnfinishedCase } from '../statistics/case-counts.ts';
import { benjaminiHochberg } from '../statistics/exact-tests.ts';
import { lookAtPairs, type TrialPair } from '../statistics/sequential-look.ts';
import { groupByCase, isScored, scored, type Trial } from './count-trials.ts';
import { gateInput } from './find-verdict.ts';
import { type GateInput, type GateLook, judgeMeasurement, measureGate } from './gate.ts';
import { earlyBudget } from './gate-settings.ts';
import { ladderDefaults } from './ladder.ts';
import { prepareCell } from './prepare-cell.ts';
import type { VerdictInput } from './verdict-input.ts';

/** A cell that is still running. */
export interface RunningCell {
  /** What is known so far. */
  input: VerdictInput;
  /** Trials that have no result yet, by case. */
  outstanding: ReadonlyMap<string, { base: number; head: number }>;
  /** Rounds of which every result is in. */
  completeRounds: number;
  /** Other cells of the suite, and their cases. */
  others: { cells: number; cases: number };
}

/**
 * Why the cell may stop now as `regressed`, null when it has to go on (docs/repetitions.md#stopping-early). Good news never ends a
 * run early, and against a base that proves nothing there is nothing to be certain of.
 */
export function findEarlyStop(cell: RunningCell): Pick<EarlyStop, 'rule' | 'eValue'> | null {
  const { input } = cell;
  if (input.base === null || input.baseline?.rung === 4) return null;
  const eValue = input.settings.gate.stop === 'sequential' ? evidenceOfPairs(cell) : null;
  if (eValue !== null) return { rule: 'e_value', eValue };
  return isRegressionCertain(unfinished(cell)) ? { rule: 'curtailment', eValue: null } : null;
}

/** The e-value of all complete rounds when it is large enough to stop; null when it is not. */
function evidenceOfPairs({ input, completeRounds, others }: RunningCell): number | null {
  const { alpha, min_effect_percent } = input.settings.gate;
  const cells = others.cells + 1;
  const base = groupByCase(input.base ?? []);
  const pairs = [...groupByCase(input.head)].map(([name, head]) => pairsOf(head, base.get(name) ?? []));
  const rules = { alpha: alpha / cells, budget: earlyBudget(input.settings, cells) };
  const look = lookAtPairs(pairs, completeRounds, { ...rules, minEffect: min_effect_percent / 100 });
  return look.stops ? look.eValue : null;
}

function pairsOf(head: readonly Trial[], base: readonly Trial[]): TrialPair[] {
  const byRepetition = new Map(base.filter(isScored).map((trial) => [trial.repetition, trial]));
  return head.filter(isScored).flatMap(({ repetition: round, status, comparabilityKey }) => {
    const partner = byRepetition.get(round);
    if (round === undefined || partner === undefined || partner.comparabilityKey !== comparabilityKey) return [];
    return [{ basePassed: partner.status === 'passed', headPassed: status === 'passed', round }];
  });
}

function unfinished({ input, outstanding, others }: RunningCell): UnfinishedComparison {
  const cell = prepareCell(input);
  const open = (name: string) => outstanding.get(name) ?? { base: 0, head: 0 };
  const planned = cell.cases.filter((one) => isOnBothSides(one, open(one.caseName)));
  const { parameters } = gateInput(cell);
  return {
    cases: planned.map((one) => (one.notComparable ? neverCompared : unfinishedCase(one, open(one.caseName)))),
    quarantined: planned.flatMap((one, index) => (one.quarantined ? [index] : [])),
    parameters,
    others,
  };
}

function isOnBothSides({ base, head, notComparable }: CaseComparison, open: { base: number; head: number }): boolean {
  return notComparable || ((base !== null || open.base > 0) && (head !== null || open.head > 0));
}

/** It was planned, and so lowers the coverage, but whatever is still to come says nothing. */
const neverCompared: UnfinishedCase = { counts: [0, 0, 0, 0], outstandingBase: 0, outstandingHead: 0 };

const unfinishedCase = ({ base, head }: CaseComparison, open: { base: number; head: number }): UnfinishedCase => ({
  counts: [base?.passed ?? 0, base ? scored(base) : 0, head?.passed ?? 0, head ? scored(head) : 0],
  outstandingBase: open.base,
  outstandingHead: open.head,
});

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
