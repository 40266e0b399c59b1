import { Gate } from '@proofmark/contracts/gate';
import type { Verdict, VerdictSettings } from '@proofmark/contracts/verdict';
import { type AnswerComparison, compareAnswers } from '@proofmark/domain/compare-answers';
import { decideCells } from '@proofmark/domain/decide-cells';
import type { StoredSuiteRun } from './stored-suite-run.ts';

/** One suite and cell on both sides. */
export interface ComparedSuiteRun {
  suiteName: string;
  cellKey: string;
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
        head: pair.head.trials,
        base: pair.base.trials,
        settings: pair.base.settings ?? pair.head.settings ?? usualSettings,
      })),
    );
    return verdicts.flatMap((verdict, index) => {
      const pair = ofSuite[index];
      return pair === undefined ? [] : [{ ...nameOf(pair.head), verdict, answers: answersOf(pair) }];
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
  return head.flatMap((one) => {
    const partner = base.find((other) => other.suiteName === one.suiteName && other.cellKey === one.cellKey);
    return partner === undefined ? [] : [{ base: partner, head: one }];
  });
}

const nameOf = ({ suiteName, cellKey }: StoredSuiteRun) => ({ suiteName, cellKey });

const title = ({ suiteName, cellKey }: StoredSuiteRun): string =>
  cellKey === '' ? suiteName : `${suiteName} [${cellKey}]`;

function answersOf({ base, head }: Pair): Map<string, AnswerComparison> {
  const names = [...new Set([...base.answers.keys(), ...head.answers.keys()])];
  return new Map(
    names.map((name) => [name, compareAnswers(base.answers.get(name) ?? [], head.answers.get(name) ?? [])]),
  );
}
