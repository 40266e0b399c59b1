import { Gate } from '@proofmark/contracts/gate';
import type { Verdict, VerdictSettings } from '@proofmark/contracts/verdict';
import { withoutSetting } from '@proofmark/domain/comparability-key';
import { type AnswerComparison, compareAnswers } from '@proofmark/domain/compare-answers';
import { decideCells, type Trial } from '@proofmark/domain/decide-verdict';
import type { StoredSuiteRun } from './read-stored-results.ts';

/** One suite and cell on both sides. */
export interface ComparedSuiteRun {
  suiteName: string;
  cellKey: string;
  /** Another one than `cellKey` where two cells of a matrix are compared with each other. */
  baseCellKey: string;
  verdict: Verdict;
  /** By the name of the case. */
  answers: ReadonlyMap<string, AnswerComparison>;
}

export interface ComparedResults {
  compared: ComparedSuiteRun[];
  /** Suites and cells of one side only. */
  onlyBase: string[];
  onlyHead: string[];
}

const usualSettings: VerdictSettings = {
  gate: Gate.parse({}),
  alertOnRegression: true,
  alertThresholdPercent: 10,
  onError: 'block',
};

/** What the gate says of results that were kept; the gate is the base's, so that a head cannot loosen its own. */
export function compareResults(base: readonly StoredSuiteRun[], head: readonly StoredSuiteRun[]): ComparedResults {
  const pairs = pairUp(base, head);
  const compared = [...Map.groupBy(pairs, (pair) => pair.head.suiteName).values()].flatMap((ofSuite) => {
    const verdicts = decideCells(
      ofSuite.map((pair) => ({
        ...trialsOf(pair),
        judge: pair.head.judge,
        // Two runs that cannot be compared say nothing about each other, whatever their cases came to.
        settings: { ...(pair.base.settings ?? pair.head.settings ?? usualSettings), withoutBase: 'neutral' },
      })),
    );
    return verdicts.flatMap((verdict, index) => {
      const pair = ofSuite[index];
      return pair === undefined
        ? []
        : [{ ...nameOf(pair.head), baseCellKey: pair.base.cellKey, verdict, answers: answersOf(pair) }];
    });
  });
  const [pairedBase, pairedHead] = [new Set(pairs.map((pair) => pair.base)), new Set(pairs.map((pair) => pair.head))];
  return {
    compared,
    onlyBase: base.filter((one) => !pairedBase.has(one)).map(title),
    onlyHead: head.filter((one) => !pairedHead.has(one)).map(title),
  };
}

interface Pair {
  base: StoredSuiteRun;
  head: StoredSuiteRun;
}

/** By suite and cell; two results that stand alone belong together whatever they are called. */
function pairUp(base: readonly StoredSuiteRun[], head: readonly StoredSuiteRun[]): Pair[] {
  const [onlyBase, onlyHead] = [base[0], head[0]];
  if (base.length === 1 && head.length === 1 && onlyBase && onlyHead) return [{ base: onlyBase, head: onlyHead }];
  const headCells = new Set(head.map(({ cellKey }) => cellKey)).size;
  return head.flatMap((one) => {
    const ofSuite = base.filter(({ suiteName }) => suiteName === one.suiteName);
    const isOneCell = new Set(base.map(({ cellKey }) => cellKey)).size === 1 && headCells === 1;
    // One cell was chosen on each side: whatever they are, they are meant.
    const partner = ofSuite.find(({ cellKey }) => cellKey === one.cellKey) ?? (isOneCell ? ofSuite[0] : undefined);
    return partner === undefined ? [] : [{ base: partner, head: one }];
  });
}

/** Two cells of a matrix differ in their setting, and are compared for just that. */
function trialsOf({ base, head }: Pair): { base: Trial[]; head: Trial[] } {
  if (base.cellKey === head.cellKey) return { base: base.trials, head: head.trials };
  const across = (trials: readonly Trial[]) =>
    trials.map((trial) => ({ ...trial, comparabilityKey: withoutSetting(trial.comparabilityKey) }));
  return { base: across(base.trials), head: across(head.trials) };
}

/** The suite runs of one cell; an empty list when none has it. */
export const inCell = (suiteRuns: readonly StoredSuiteRun[], cell: string | undefined): StoredSuiteRun[] =>
  suiteRuns.filter(({ cellKey }) => cell === undefined || cellKey === cell);

const nameOf = ({ suiteName, cellKey }: StoredSuiteRun) => ({ suiteName, cellKey });

const title = ({ suiteName, cellKey }: StoredSuiteRun): string =>
  cellKey === '' ? suiteName : `${suiteName} [${cellKey}]`;

function answersOf({ base, head }: Pair): Map<string, AnswerComparison> {
  const names = [...new Set([...base.answers.keys(), ...head.answers.keys()])];
  return new Map(
    names.map((name) => [name, compareAnswers(base.answers.get(name) ?? [], head.answers.get(name) ?? [])]),
  );
}
