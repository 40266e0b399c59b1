import type { MeasuredJudge } from '@proofmark/contracts/judge-measurement';
import type { LoadedDefinitions } from '@proofmark/contracts/loaded';
import type { EarlyStop, VerdictSettings } from '@proofmark/contracts/verdict';
import { removedCases } from '@proofmark/domain/base-definitions';
import { clustersOf } from '@proofmark/domain/cluster-of';
import type { Trial } from '@proofmark/domain/decide-verdict';
import {
  type CellEvidence,
  type CellSides,
  endAfterRound,
  evidenceOf,
  hasVerdict,
  type JudgedCell,
  judgeCells,
  type SideOfCell,
  sidesOfCell,
} from '@proofmark/domain/judge-cells';
import type { PlannedSuiteRun } from '@proofmark/domain/plan-run';
import { sumKnown } from '@proofmark/domain/totals';
import { loadedSuite } from '../definitions/loaded-suite.ts';
import { type TestRunRow, trialsOfRows } from '../results/test-run-row.ts';
import type { RoundDecisions, RunningRound } from './watch-rounds.ts';

/** What an earlier run came to in one suite and cell. */
export interface EarlierSuiteRun {
  trials: readonly Trial[];
  /** Where its answers stand; null where only what they came to is known. */
  resultsPath: string | null;
}

/** Results of an earlier run to compare with, for a suite and a cell; null when it has none of them. */
export type EarlierResults = (suiteName: string, cellKey: string) => EarlierSuiteRun | null;

interface Judging {
  definitions: LoadedDefinitions;
  /** What it is compared with; absent: results of an earlier run, or nothing. */
  baselineDefinitions?: LoadedDefinitions | undefined;
  /** The plan. */
  suiteRuns: readonly PlannedSuiteRun[];
  onError: VerdictSettings['onError'];
  /** Absent: a run without a base is neutral. */
  withoutBase?: VerdictSettings['withoutBase'];
  /** Absent: only what ran beside. */
  earlier?: EarlierResults | undefined;
  /** How sentences call the base. */
  baseName?: string | undefined;
  /** What labelled answers say about the judges of suites, by the path of the suite. */
  judges?: ReadonlyMap<string, MeasuredJudge> | undefined;
  /** What was decided after rounds, also by an earlier process of this run. */
  decisions: RoundDecisions;
}

/** A suite run with what it has come to: one of the plan, or one that was run beside the plan for it. */
export interface ExecutedSuiteRun extends SideOfCell {
  planned: PlannedSuiteRun;
  /** Of the suite run of the plan that it is, or that it was run for. */
  position: number;
  rows: readonly TestRunRow[];
}

export interface JudgedHead extends JudgedCell {
  sides: CellSides<ExecutedSuiteRun>;
}

export interface RunJudge {
  /** Whether the cell may end after this round. */
  isStopped: (round: RunningRound) => boolean;
  /** Those of the plan that are compared with answers that only another judge has judged. */
  judgedOtherwise: (executed: readonly ExecutedSuiteRun[]) => ExecutedSuiteRun[];
  /** What each suite run of the plan that has a verdict comes to, by its position. */
  judge: (executed: readonly ExecutedSuiteRun[], options?: { canRerun: boolean }) => Map<number, JudgedHead>;
}

/** Runs suite runs beside the plan and returns their rows in the same order. */
export type RunApart = (suiteRuns: readonly PlannedSuiteRun[]) => Promise<readonly (readonly TestRunRow[])[]>;

export interface FurtherSuiteRun extends Pick<ExecutedSuiteRun, 'planned' | 'purpose'> {
  /** Of the plan: for which it runs. */
  of: ExecutedSuiteRun;
}

/** Runs what a verdict asks for. Nothing is started where it asks for nothing. */
export async function runFurther(further: readonly FurtherSuiteRun[], run: RunApart): Promise<ExecutedSuiteRun[]> {
  if (further.length === 0) return [];
  const rows = await run(further.map(({ planned }) => planned));
  return further.map(({ of, planned, purpose }, index) => {
    const { cellKey, variant } = planned;
    return { cellKey, variant, purpose, planned, position: of.position, rows: rows[index] ?? [] };
  });
}

/** The suite runs of the plan with their rows, which may still grow. */
export const executedPlan = (
  suiteRuns: readonly PlannedSuiteRun[],
  rows: readonly (readonly TestRunRow[])[],
): ExecutedSuiteRun[] =>
  suiteRuns.map((planned, position) => {
    const { cellKey, variant } = planned;
    return { cellKey, variant, purpose: 'first', planned, position, rows: rows[position] ?? [] };
  });

/** Judges a run in this process: while it runs, whether it is decided, and in the end all cells of each suite together. */
export function openJudge(judging: Judging): RunJudge {
  const { suiteRuns, decisions } = judging;
  const stops = new Map<number, EarlyStop>();
  return {
    isStopped: (round) => {
      const position = round.sides.find((side) => suiteRuns[side]?.variant !== 'baseline');
      if (position === undefined) return false;
      const known = decisions.find(position, round.completeRounds);
      const stop = known === undefined ? whyStop(judging, round, executedPlan(suiteRuns, round.rows), position) : known;
      if (known === undefined) decisions.keep(position, round.completeRounds, stop);
      if (stop !== null) stops.set(position, stop);
      return stop !== null;
    },
    judgedOtherwise: (executed) =>
      [...bySuite(executed).values()].flatMap((ofSuite) =>
        ofSuite.filter(hasVerdict).filter((head) => evidence(judging, sidesOfCell(head, ofSuite)).isJudgedOtherwise),
      ),
    judge: (executed, options) => {
      const judged = new Map<number, JudgedHead>();
      for (const ofSuite of bySuite(executed).values()) {
        const cells = ofSuite.filter(hasVerdict).map((head) => sidesOfCell(head, ofSuite));
        const verdicts = judgeCells(
          cells.map((sides) => evidence(judging, sides, { ...options, early: stops.get(sides.head.position) ?? null })),
        );
        for (const [index, sides] of cells.entries()) {
          const verdict = verdicts[index];
          if (verdict !== undefined) judged.set(sides.head.position, { ...verdict, sides });
        }
      }
      return judged;
    },
  };
}

const bySuite = (executed: readonly ExecutedSuiteRun[]): Map<string, ExecutedSuiteRun[]> =>
  Map.groupBy(executed, ({ planned }) => planned.suitePath);

function evidence(
  { definitions, baselineDefinitions, onError, withoutBase, earlier, baseName, judges }: Judging,
  { head, beside, fresh, rejudged }: CellSides<ExecutedSuiteRun>,
  { early = null, canRerun = true }: { early?: EarlyStop | null; canRerun?: boolean } = {},
): CellEvidence {
  const { planned } = head;
  const loaded = loadedSuite(definitions, planned);
  const { gate, alert_on_regression, alert_threshold_percent } = loaded.suite;
  const stored = beside === null ? (earlier?.(planned.suiteName, planned.cellKey)?.trials ?? null) : null;
  return evidenceOf({
    head: trialsOfRows(planned, head.rows, clustersOf(loaded, gate.cluster_by)),
    beside: beside && trialsOf(beside),
    stored: stored && {
      trials: stored,
      again: rejudged && trialsOf(rejudged),
      isTaken: false,
      commit: null,
      choice: null,
    },
    fresh: fresh && { head: trialsOf(fresh.head), base: trialsOf(fresh.base) },
    // Nobody can press a button here: a suspicion is followed up at once or not at all.
    canRerun: canRerun && gate.confirm === 'auto',
    removed: new Map(removedCases(loaded, baselineDefinitions).map((name) => [name, []])),
    settings: {
      gate,
      alertOnRegression: alert_on_regression,
      alertThresholdPercent: alert_threshold_percent,
      onError,
      ...(withoutBase === undefined ? {} : { withoutBase, isTyped: true }),
    },
    ...(baseName === undefined ? {} : { baseName }),
    early,
    judge: judges?.get(planned.suitePath) ?? null,
  });
}

const trialsOf = ({ planned, rows }: ExecutedSuiteRun) => trialsOfRows(planned, rows);

function whyStop(
  judging: Judging,
  round: RunningRound,
  executed: readonly ExecutedSuiteRun[],
  position: number,
): EarlyStop | null {
  const head = executed[position];
  if (head === undefined) throw new Error(`The plan has no suite run ${position}`);
  const ofSuite = executed.filter(({ planned }) => planned.suitePath === head.planned.suitePath);
  const sides = sidesOfCell(head, ofSuite);
  const { completeRounds, rounds } = round;
  const { input } = evidence(judging, sides);
  const both = round.sides.flatMap((side) => executed[side] ?? []);
  const costs = both.flatMap(({ rows }) => rows.flatMap(({ spentUsd }) => spentUsd ?? []));
  const planned = both.reduce((sum, side) => sum + side.planned.testRuns.length, 0);
  return endAfterRound({
    head,
    ofSuite,
    input,
    completeRounds,
    rounds,
    outstanding: outstandingOf(round, sides),
    spending: { spentUsd: sumKnown(costs), priced: costs.length, planned },
  });
}

function outstandingOf(
  { open }: RunningRound,
  { head, beside }: CellSides<ExecutedSuiteRun>,
): Map<string, { base: number; head: number }> {
  const [ofHead, ofBase] = [open.get(head.position), beside === null ? undefined : open.get(beside.position)];
  const names = new Set([...(ofHead?.keys() ?? []), ...(ofBase?.keys() ?? [])]);
  return new Map([...names].map((name) => [name, { base: ofBase?.get(name) ?? 0, head: ofHead?.get(name) ?? 0 }]));
}
