import { EarlyStop } from '@proofmark/contracts/verdict';
import type { PlannedSuiteRun, PlannedTestRun } from '@proofmark/domain/plan-run';
import { z } from 'zod';
import { appendLater, readJsonLines } from '../results/result-files.ts';
import type { TestRunRow } from '../results/test-run-row.ts';

/** A cell with both of its sides in which a further round is complete. */
export interface RunningRound {
  /** Positions of the sides in the plan: all suite runs of one suite and cell. */
  sides: readonly number[];
  completeRounds: number;
  rounds: number;
  rows: readonly (readonly TestRunRow[])[];
  /** Test runs without a result, by position in the plan and name of the case. */
  open: ReadonlyMap<number, ReadonlyMap<string, number>>;
}

export type CellQuestion = (round: RunningRound) => boolean;

interface Watched {
  suiteRuns: readonly PlannedSuiteRun[];
  rows: readonly (readonly TestRunRow[])[];
  ordered: readonly OrderedTestRun[];
  decide: CellQuestion;
}

interface Cell {
  sides: number[];
  /** Open test runs of each round. */
  open: Map<number, number>;
  rounds: number;
  completeRounds: number;
  isStopped: boolean;
}

/** Follows the rounds of each cell, and asks after each complete one whether the cell may stop. */
export function watchRounds({ suiteRuns, rows, ordered, decide }: Watched) {
  const cells = new Map<string, Cell>();
  const openByCase = suiteRuns.map(() => new Map<string, number>());
  const cellOf = (suiteRun: number): Cell => {
    const planned = suiteRuns[suiteRun];
    const key = JSON.stringify([planned?.suitePath, planned?.cellKey]);
    const cell = cells.get(key) ?? { sides: [], open: new Map(), rounds: 0, completeRounds: 0, isStopped: false };
    cells.set(key, cell);
    return cell;
  };
  for (const [suiteRun] of suiteRuns.entries()) cellOf(suiteRun).sides.push(suiteRun);
  for (const { suiteRun, testRun } of ordered) {
    const cell = cellOf(suiteRun);
    cell.rounds = Math.max(cell.rounds, testRun.repetition);
    add(cell.open, testRun.repetition, 1);
    add(openByCase[suiteRun], testRun.caseName, 1);
  }
  return {
    isStopped: (suiteRun: number): boolean => cellOf(suiteRun).isStopped,
    /** Told when the row of a test run is in `rows`. */
    ended: (suiteRun: number, { caseName, repetition }: Pick<PlannedTestRun, 'caseName' | 'repetition'>): void => {
      const cell = cellOf(suiteRun);
      add(cell.open, repetition, -1);
      add(openByCase[suiteRun], caseName, -1);
      const complete = completeRounds(cell);
      if (cell.isStopped || complete === cell.completeRounds || complete === cell.rounds) return;
      cell.completeRounds = complete;
      const { sides, rounds } = cell;
      const open = new Map(sides.map((side) => [side, openByCase[side] ?? new Map()]));
      cell.isStopped = decide({ sides, completeRounds: complete, rounds, rows, open });
    },
  };
}

function completeRounds({ open, rounds }: Cell): number {
  for (let round = 1; round <= rounds; round += 1) if ((open.get(round) ?? 0) > 0) return round - 1;
  return rounds;
}

function add<Key>(counts: Map<Key, number> | undefined, key: Key, amount: number): void {
  counts?.set(key, (counts.get(key) ?? 0) + amount);
}

/** One test run with the position of its suite run in the plan. */
export interface OrderedTestRun {
  suiteRun: number;
  testRun: PlannedTestRun;
}

/**
 * All test runs in the order in which they start: suite by suite and cell by cell, the two sides of a comparison side by
 * side, so that a provider that drifts meets both.
 */
export function orderTestRuns(suiteRuns: readonly PlannedSuiteRun[]): OrderedTestRun[] {
  const all = suiteRuns.flatMap(({ testRuns }, suiteRun) => testRuns.map((testRun) => ({ suiteRun, testRun })));
  const groups = Map.groupBy(all, ({ suiteRun }) => sideBySide(suiteRuns[suiteRun]));
  return [...groups.values()].flatMap((group) => group.sort(byRound));
}

const sideBySide = (suiteRun: PlannedSuiteRun | undefined): string =>
  JSON.stringify([suiteRun?.suitePath, suiteRun?.cellKey]);

const byRound = (a: OrderedTestRun, b: OrderedTestRun): number =>
  a.testRun.repetition - b.testRun.repetition || a.testRun.sortOrder - b.testRun.sortOrder || a.suiteRun - b.suiteRun;

const DecisionLine = z.strictObject({
  /** Position of the judged side in the plan. */
  suite_run: z.int().min(0),
  round: z.int().min(1),
  /** Null: it went on. */
  stop: EarlyStop.nullable(),
});

/** Whether cells were stopped after their rounds: asked again with more results, the answer might be another one. */
export interface RoundDecisions {
  /** Undefined: not decided yet. */
  find: (suiteRun: number, round: number) => EarlyStop | null | undefined;
  keep: (suiteRun: number, round: number, stop: EarlyStop | null) => void;
}

/** The decisions of a run in a file, with those of an earlier process. Closing waits for the last one. */
export async function recordDecisions(path: string): Promise<RoundDecisions & AsyncDisposable> {
  const earlier = await readJsonLines(path, DecisionLine);
  const known = new Map(earlier.map(({ suite_run, round, stop }) => [`${suite_run} ${round}`, stop]));
  const lines = appendLater(path);
  return {
    find: (suiteRun, round) => known.get(`${suiteRun} ${round}`),
    keep: (suiteRun, round, stop) => {
      known.set(`${suiteRun} ${round}`, stop);
      lines.append(JSON.stringify({ suite_run: suiteRun, round, stop } satisfies z.infer<typeof DecisionLine>));
    },
    [Symbol.asyncDispose]: () => lines[Symbol.asyncDispose](),
  };
}

/** Positions in the plan of the suite runs that were stopped early, as the file of a run has them. */
export async function readStoppedSuiteRuns(path: string): Promise<ReadonlySet<number>> {
  const decisions = await readJsonLines(path, DecisionLine);
  return new Set(decisions.flatMap(({ suite_run, stop }) => (stop === null ? [] : suite_run)));
}
