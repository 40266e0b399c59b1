import type { CaseComparison, ChangedPart, Drift, TrialCounts, UnmeasuredMetric } from '@proofmark/contracts/verdict';
import { changedParts } from '../plan/comparability-key.ts';
import type { CaseCounts } from '../statistics/case-counts.ts';
import { exactStratified } from '../statistics/exact-tests.ts';
import {
  caseStatus,
  countTrials,
  groupByCase,
  isScored,
  scored,
  type Trial,
  type TrialsByCase,
} from './count-trials.ts';
import { isFlaky } from './flakiness.ts';
import { openMetricTally } from './unmeasured-metrics.ts';
import type { VerdictInput } from './verdict-input.ts';

/** One cell, counted and ready for the gate. */
export interface PreparedCell {
  input: VerdictInput;
  /** The trials of both sides; of a base that is not there none. */
  byCase: Record<'base' | 'head', TrialsByCase>;
  /** Every case of either side, in suite order. */
  cases: CaseComparison[];
  /** Those with a scored trial on both sides, with their counts and clusters in the same order. */
  compared: CaseComparison[];
  counts: CaseCounts[];
  clusters: string[] | undefined;
  /** Cases that exist on both sides, whatever became of them and whether or not they can be compared. */
  planned: number;
  drift: Drift | null;
  /** Metrics of the head that gave no measure somewhere, and how many metrics it has. */
  unmeasured: { metrics: UnmeasuredMetric[]; of: number };
  /** This suite run alone, without earlier runs of the pull request. */
  own: TrialCounts;
}

/** Brings the trials of both sides together, case by case. History that the base has drifted away from is left out. */
export function prepareCell(input: VerdictInput): PreparedCell {
  const byCase = { head: groupByCase(input.head), base: groupByCase(input.base ?? []) };
  const sides = readSides(input, byCase);
  const drift = input.isConcurrent === true ? findDrift([...sides.values()].map(comparableBase)) : null;
  const ofSides = [...sides].map(([caseName, side]) => compareCase(input, caseName, withoutDrifted(side, drift)));
  const cases = [...ofSides, ...removedCases(input, sides)];
  const compared = cases.filter(isComparable);
  return {
    input,
    byCase,
    cases,
    compared,
    counts: compared.flatMap(countsOf),
    clusters: clustersOf(input, compared),
    planned: cases.filter((one) => one.head !== null && (one.base !== null || one.notComparable)).length,
    drift,
    unmeasured: findUnmeasured(input),
    own: countTrials(input.head),
  };
}

function findUnmeasured({ head, settings }: VerdictInput): PreparedCell['unmeasured'] {
  const tally = openMetricTally();
  for (const { caseName, metrics } of head) tally.add(caseName, metrics ?? []);
  return { metrics: tally.end(settings.gate.min_coverage_percent), of: tally.count() };
}

/** Cases that only the definitions of the base have: beside the head nobody ran them, so they are told by their last trials. */
function removedCases(input: VerdictInput, sides: ReadonlyMap<string, CaseSides>): CaseComparison[] {
  const removed = [...(input.removed ?? [])].filter(([name]) => !sides.has(name));
  return removed.map(([caseName, last]) => {
    const compared = compareCase(input, caseName, { head: null, base: last, history: [], afterDrift: [] });
    return { ...compared, base: compared.base ?? countTrials([]) };
  });
}

/** All trials of one case. Null: the case does not exist there. */
interface CaseSides {
  head: readonly Trial[] | null;
  base: readonly Trial[] | null;
  /** As far as it counts: the newest trials that the suite allows. */
  history: readonly Trial[];
  afterDrift: readonly Trial[];
}

function readSides(input: VerdictInput, { head, base }: PreparedCell['byCase']): Map<string, CaseSides> {
  const history = groupByCase(input.history ?? []);
  const pooled = groupByCase(input.pooled ?? []);
  const afterDrift = groupByCase(input.afterDrift ?? []);
  const names = [...new Set([...head.keys(), ...base.keys()])];
  return new Map(
    names.map((name) => {
      const ofHead = head.get(name);
      const ofBase = base.get(name) ?? null;
      const sides = {
        head: ofHead === undefined ? null : [...ofHead, ...sameKey(pooled.get(name) ?? [], ofHead)],
        base: ofBase,
        // History of cases that the baseline no longer has says nothing about this comparison.
        history: ofBase === null ? [] : newest(sameKey(history.get(name) ?? [], ofHead), roomFor(input, ofBase)),
        afterDrift: afterDrift.get(name) ?? [],
      };
      return [name, sides];
    }),
  );
}

/** A case that the head no longer has keeps all of its history. */
const sameKey = (trials: readonly Trial[], head: readonly Trial[] | undefined): readonly Trial[] =>
  head === undefined ? trials : trials.filter((trial) => trial.comparabilityKey === head[0]?.comparabilityKey);

/** A base that ran earlier is itself the newest part of the history. */
function roomFor({ settings, isConcurrent }: VerdictInput, base: readonly Trial[]): number {
  const { history_trials: most } = settings.gate;
  return isConcurrent === true ? most : Math.max(0, most - base.filter(isScored).length);
}

/** The newest trials up to so many scored ones; what errored among them stays, or a base would look too healthy. */
function newest(trials: readonly Trial[], most: number): readonly Trial[] {
  let left = most;
  const end = trials.findIndex((trial) => {
    if (left <= 0) return true;
    if (isScored(trial)) left -= 1;
    return false;
  });
  return end === -1 ? trials : trials.slice(0, end);
}

function comparableBase({ head, base, history }: CaseSides) {
  const key = head?.[0]?.comparabilityKey ?? base?.[0]?.comparabilityKey;
  const isKey = (trial: Trial): boolean => trial.comparabilityKey === key;
  return { concurrent: (base ?? []).filter(isKey), history: history.filter(isKey) };
}

const withoutDrifted = (side: CaseSides, drift: Drift | null): CaseSides =>
  drift === null ? side : { ...side, history: [] };

function compareCase({ settings, windows }: VerdictInput, caseName: string, side: CaseSides): CaseComparison {
  const { head, base: executed } = side;
  const base = executed && [...executed, ...side.afterDrift, ...side.history];
  const key = head?.[0]?.comparabilityKey;
  const comparable = key === undefined ? base : base?.filter((trial) => trial.comparabilityKey === key);
  const baseCounts = comparable && comparable.length > 0 ? countTrials(comparable) : null;
  const headCounts = head && countTrials(head);
  const changed = baseCounts === null ? changeOf(base, key) : null;
  const window = windows?.get(caseName) ?? null;
  return {
    caseName,
    base: baseCounts,
    head: headCounts,
    notComparable: changed !== null,
    changedParts: changed ?? [],
    quarantined: settings.gate.quarantine && window !== null && isFlaky(window),
    window,
    baseStatus: baseCounts && caseStatus(baseCounts, settings.gate),
    headStatus: headCounts && caseStatus(headCounts, settings.gate),
    p: null,
    adjustedP: null,
  };
}

/** What the case differs in from the newest trial of its name; null without one, or without a head. */
const changeOf = (base: readonly Trial[] | null, key: string | undefined): ChangedPart[] | null =>
  base?.[0] === undefined || key === undefined ? null : changedParts(base[0].comparabilityKey, key);

function isComparable({ base, head }: CaseComparison): boolean {
  return base !== null && head !== null && scored(base) > 0 && scored(head) > 0;
}

function countsOf({ base, head }: CaseComparison): CaseCounts[] {
  return base === null || head === null ? [] : [[base.passed, scored(base), head.passed, scored(head)]];
}

/** Undefined when every case stands alone: then there is nothing to group. */
function clustersOf({ head }: VerdictInput, compared: readonly CaseComparison[]): string[] | undefined {
  const known = new Map(head.flatMap(({ caseName, cluster }) => (cluster ? [[caseName, cluster] as const] : [])));
  if (known.size === 0) return undefined;
  return compared.map(({ caseName }) => {
    const cluster = known.get(caseName);
    return cluster === undefined ? `case ${caseName}` : `cluster ${cluster}`;
  });
}

/** Below this two-sided chance the world counts as moved (docs/statistics.md#what-is-compared-with-what). */
const driftLevel = 0.01;

/** The base's trials of one case: earlier ones, and those that ran beside the head. */
export interface BaseSides {
  history: readonly Trial[];
  concurrent: readonly Trial[];
}

/**
 * What happened to the base between its history and now, although its agent is the same: a provider that changed a
 * model, for instance. Null when the two agree or no case has both.
 */
export function findDrift(cases: readonly BaseSides[]): Drift | null {
  const both = cases
    .map(({ history, concurrent }) => [countTrials(history), countTrials(concurrent)] as const)
    .map(([then, now]) => [then.passed, then.passed + then.failed, now.passed, now.passed + now.failed] as const)
    .filter(([, earlier, , fresh]) => earlier > 0 && fresh > 0);
  if (both.length === 0) return null;
  const { midp } = exactStratified(both);
  return 2 * Math.min(midp, 1 - midp) < driftLevel ? { midp, cases: both.length } : null;
}
