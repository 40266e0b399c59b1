import { describe, expect, test } from 'vitest';
import { type RunningRound, watchRounds } from './watch-rounds.ts';

// Only these fields are looked at.
type Planned = Parameters<typeof watchRounds>[0]['suiteRuns'][number];
const planned = (suitePath: string, cellKey: string) => ({ suitePath, cellKey }) as Planned;
type Ordered = Parameters<typeof watchRounds>[0]['ordered'][number];
const testRun = (suiteRun: number, caseName: string, repetition: number) =>
  ({ suiteRun, testRun: { caseName, repetition } }) as Ordered;

const ordered = [1, 2, 3].flatMap((repetition) =>
  ['a', 'b'].flatMap((name) => [testRun(0, name, repetition), testRun(1, name, repetition)]),
);

function watch(decide: (round: RunningRound) => boolean) {
  const suiteRuns = [planned('x', ''), planned('x', ''), planned('y', '')];
  return watchRounds({ suiteRuns, rows: [[], [], []], ordered: [...ordered, testRun(2, 'c', 1)], decide });
}

describe('rounds of a cell', () => {
  test('are complete when both sides are, in whatever order results come', () => {
    const asked: number[] = [];
    const rounds = watch(({ completeRounds }) => {
      asked.push(completeRounds);
      return false;
    });
    for (const one of ordered.slice(4, 8)) rounds.ended(one.suiteRun, one.testRun);
    expect(asked).toEqual([]);
    for (const one of ordered.slice(0, 4)) rounds.ended(one.suiteRun, one.testRun);
    expect(asked).toEqual([2]);
    for (const one of ordered.slice(8)) rounds.ended(one.suiteRun, one.testRun);
    expect(asked).toEqual([2]);
  });

  test('tell which test runs are still open, and a stop holds for the cell alone', () => {
    const seen: RunningRound[] = [];
    const rounds = watch((round) => {
      seen.push(round);
      return true;
    });
    for (const one of ordered.slice(0, 4)) rounds.ended(one.suiteRun, one.testRun);
    expect(seen).toMatchObject([{ sides: [0, 1], completeRounds: 1, rounds: 3 }]);
    expect(seen[0]?.open.get(1)).toEqual(
      new Map([
        ['a', 2],
        ['b', 2],
      ]),
    );
    expect([0, 1, 2].map(rounds.isStopped)).toEqual([true, true, false]);
  });
});
