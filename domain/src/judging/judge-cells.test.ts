import { expect, test } from 'vitest';
import { comparabilityKey, withParts } from '../plan/comparability-key.ts';
import type { Trial } from '../verdict/count-trials.ts';
import { cases, settings } from '../verdict/sample-trials.fixture.ts';
import {
  type CellFacts,
  endAfterRound,
  evidenceOf,
  hasVerdict,
  judgeCells,
  type SideOfCell,
  type StoredBase,
  sidesOfCell,
} from './judge-cells.ts';

const side = (variant: SideOfCell['variant'], purpose: SideOfCell['purpose'] = 'first', cellKey = 'a') => ({
  cellKey,
  variant,
  purpose,
});

/** Ten passed cases whose answers this judge has judged. */
const judgedBy = (judge: string): Trial[] =>
  cases(10, 'pass', 1).map((trial) => ({
    ...trial,
    comparabilityKey: comparabilityKey(trial.caseName, withParts(judge, { judge, mock: 'none' }), '{}'),
  }));

const head = judgedBy('new');

const stored = (parts: Partial<StoredBase> = {}): StoredBase => ({
  trials: judgedBy('old'),
  again: null,
  isTaken: false,
  commit: 'abc1234567',
  choice: { rung: 3, label: 'two commits older' },
  ...parts,
});

const evidence = (parts: Partial<CellFacts> = {}) =>
  evidenceOf({ head, beside: null, stored: null, canRerun: true, settings: settings(), ...parts });

test('of the suite runs of a suite those of the cell are its sides, each by what it was made for', () => {
  const [candidate, base] = [side('candidate'), side('baseline')];
  const fresh = { head: side('candidate', 'confirm'), base: side('baseline', 'confirm') };
  const [drift, rejudged] = [side('baseline', 'drift'), side('baseline', 'rejudge')];
  const elsewhere = [side('baseline', 'first', 'b'), side('candidate', 'first', 'b')];
  const ofCell = [candidate, base, fresh.head, fresh.base, drift, rejudged];
  const sides = sidesOfCell(candidate, [...elsewhere, ...ofCell]);
  expect(sides).toEqual({ head: candidate, beside: base, fresh, drift, rejudged, all: ofCell });
  expect(sidesOfCell(candidate, [candidate, fresh.head]).fresh).toBeNull();
  expect([...ofCell, ...elsewhere].filter(hasVerdict)).toEqual([candidate, elsewhere[1]]);
});

test('a base that ran beside goes before a stored one, and takes its place on the ladder where nobody knows its own', () => {
  const beside = judgedBy('new').slice(0, 3);
  const { input, isJudgedOtherwise } = evidence({ beside, stored: stored() });
  expect(input).toMatchObject({ base: beside, isConcurrent: true, canConfirm: true, judgedAgain: null });
  expect([input.baseline?.rung, input.previous, isJudgedOtherwise]).toEqual([3, judgedBy('old'), false]);
  const placed = evidence({ beside, stored: stored(), besideChoice: { rung: 1, label: 'merge base' } });
  expect(placed.input.baseline?.rung).toBe(1);
  expect(evidence({ beside, canRerun: false }).input.canConfirm).toBe(false);
});

test('what a base took over from merged heads is what the alert rule looks at, and no base', () => {
  const { input, isJudgedOtherwise } = evidence({ stored: stored({ isTaken: true }) });
  expect(input).toMatchObject({ base: [], previous: judgedBy('old'), judgedAgain: null, canConfirm: false });
  expect(isJudgedOtherwise).toBe(false);
  expect(evidence({ stored: stored(), previous: head }).input.previous).toBe(head);
});

test('answers that only another judge has judged ask for this one, until it has been asked', () => {
  const before = evidence({ stored: stored() });
  expect(before.input.judgedAgain).toMatchObject({ answers: 0, leftOut: 10, commit: 'abc1234567' });
  expect(judgeCells([before])).toMatchObject([{ verdict: { word: 'no-baseline' }, asks: ['rejudge'] }]);
  const after = evidence({ stored: stored({ again: judgedBy('new') }) });
  expect(after.input.judgedAgain).toMatchObject({ answers: 10, leftOut: 0 });
  expect(judgeCells([after])).toMatchObject([{ verdict: { word: 'inconclusive', basePassRate: 100 }, asks: [] }]);
  // Nothing of it could be judged again: there is nothing left to ask for.
  expect(judgeCells([evidence({ stored: stored({ again: [] }) })])).toMatchObject([{ asks: [] }]);
});

test('a base that drifted runs again before a suspicion is confirmed', () => {
  const [good, bad] = [cases(10, 'pass', 1), [...cases(2, 'fail', 1), ...cases(10, 'pass', 1).slice(2)]];
  const suspicious = { head: bad, beside: good, settings: settings({ confirm: 'auto' }) };
  const drifted = { ...suspicious, history: cases(10, 'fail', 3) };
  expect(judgeCells([evidence(suspicious)])).toMatchObject([{ verdict: { word: 'suspected' }, asks: ['confirm'] }]);
  expect(judgeCells([evidence(drifted)])[0]?.asks[0]).toBe('drift');
});

test('a cell ends early with what it has cost, and what all of it would have', () => {
  const { input } = evidence({ head: cases(10, 'fail', 3), beside: cases(10, 'pass', 20) });
  const candidate = side('candidate');
  const round = { completeRounds: 3, rounds: 4, outstanding: new Map(), head: candidate };
  const spending = { spentUsd: 0.3, priced: 30, planned: 40 };
  const ended = endAfterRound({ ...round, input, ofSuite: [candidate], spending });
  expect(ended).toEqual({
    ...{ rule: 'curtailment', eValue: null, round: 3, rounds: 4, spentUsd: 0.3 },
    plannedUsd: expect.closeTo(0.4, 12),
  });
  const unpriced = { ...spending, spentUsd: null, priced: 0 };
  expect(endAfterRound({ ...round, input, ofSuite: [candidate], spending: unpriced })).toMatchObject({
    spentUsd: null,
    plannedUsd: null,
  });
  expect(endAfterRound({ ...round, input: { ...input, base: null }, ofSuite: [candidate], spending })).toBeNull();
});
