import type { CaseComparison, EarlyStop } from '@proofmark/contracts/verdict';
import type { UnfinishedCase } from '../statistics/case-counts.ts';
import { lookAtPairs, type TrialPair } from '../statistics/sequential-look.ts';
import { groupByCase, isScored, scored, type Trial } from './count-trials.ts';
import { isRegressionCertain, type UnfinishedComparison } from './curtail.ts';
import { gateInput } from './find-verdict.ts';
import { earlyBudget } from './gate-settings.ts';
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
