import { describe, expect, test } from 'vitest';
import { lookAtPairs, type TrialPair } from './sequential-look.ts';

const lost: TrialPair = { basePassed: true, headPassed: false, round: 1 };
const won: TrialPair = { basePassed: false, headPassed: true, round: 1 };
const same: TrialPair = { basePassed: true, headPassed: true, round: 1 };
const times = (count: number, pair: TrialPair) => Array.from({ length: count }, () => [pair]);

describe('sequential stopping', () => {
  test('six losses go on, seven stop', () => {
    const look = (losses: number) => lookAtPairs(times(losses, lost), 1);
    expect(look(6).stops).toBe(false);
    expect(look(7)).toMatchObject({ losses: 7, wins: 0, diff: -1, stops: true });
  });

  test('losses that hardly lower the rate of a huge suite do not stop it', () => {
    const suite = [...times(7, lost), ...times(993, same)];
    expect(lookAtPairs(suite, 1)).toMatchObject({ diff: -0.007, stops: false });
  });

  test('cases weigh the same whatever their number of pairs, and cases without pairs not at all', () => {
    expect(lookAtPairs([[lost, lost, lost, same], [won], []], 1).diff).toBe((-0.75 + 1) / 2);
  });

  test('rounds that are not complete are not looked at', () => {
    const later = times(20, { ...lost, round: 2 });
    expect(lookAtPairs([...times(3, lost), ...later], 1)).toMatchObject({ losses: 3, stops: false });
    expect(lookAtPairs([...times(3, lost), ...later], 2)).toMatchObject({ losses: 23, stops: true });
  });

  test('a look pays for those before it: what stops at first need not stop later', () => {
    const early = (wins: number) => [...times(7, lost), ...times(wins, won)];
    expect(lookAtPairs(early(0), 1).stops).toBe(true);
    // Ten losses against one win stop a first look. After a look at seven pairs, which 7–0 would have stopped, they
    // would bring the chance of a false alarm over its budget.
    const first = [...times(10, lost), ...times(1, won)];
    expect(lookAtPairs(first, 1).stops).toBe(true);
    const second = [...times(6, lost), ...times(1, won), ...times(4, { ...lost, round: 2 })];
    expect(lookAtPairs(second, 2)).toMatchObject({ losses: 10, wins: 1, stops: false });
  });

  test('good news never stops a run', () => {
    expect(lookAtPairs(times(50, won), 1).stops).toBe(false);
    expect(lookAtPairs([], 1)).toEqual({ losses: 0, wins: 0, eValue: 1, diff: 0, stops: false });
    expect(lookAtPairs([], 0).stops).toBe(false);
  });
});
