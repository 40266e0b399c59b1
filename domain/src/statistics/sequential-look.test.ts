import { describe, expect, test } from 'vitest';
import { lookAtPairs, type TrialPair } from './sequential-look.ts';

const lost: TrialPair = { basePassed: true, headPassed: false };
const won: TrialPair = { basePassed: false, headPassed: true };
const same: TrialPair = { basePassed: true, headPassed: true };

describe('sequential stopping', () => {
  test('six losses go on, seven stop', () => {
    const look = (losses: number) => lookAtPairs(Array.from({ length: losses }, () => [lost]));
    expect(look(6).stops).toBe(false);
    expect(look(7)).toMatchObject({ losses: 7, wins: 0, diff: -1, stops: true });
  });

  test('losses that hardly lower the rate of a huge suite do not stop it', () => {
    const suite = [...Array.from({ length: 7 }, () => [lost]), ...Array.from({ length: 993 }, () => [same])];
    expect(lookAtPairs(suite)).toMatchObject({ diff: -0.007, stops: false });
  });

  test('cases weigh the same whatever their number of pairs, and cases without pairs not at all', () => {
    expect(lookAtPairs([[lost, lost, lost, same], [won], []]).diff).toBe((-0.75 + 1) / 2);
  });

  test('good news never stops a run', () => {
    expect(lookAtPairs(Array.from({ length: 50 }, () => [won])).stops).toBe(false);
    expect(lookAtPairs([])).toEqual({ losses: 0, wins: 0, eValue: 1, diff: 0, stops: false });
  });
});
