import { describe, expect, it } from 'vitest';
import { type HousedCase, type ListedCase, settleHomes } from './settle-homes.ts';

const listed = (suiteId: string, name: string, file: string | null = 'refund.case.yaml'): ListedCase => ({
  suiteId,
  name,
  file,
});
const housed = (id: string, suiteId: string, name = 'Refund'): HousedCase => ({
  id,
  suiteId,
  name,
  file: 'refund.case.yaml',
});
const all = { suiteIds: ['a', 'b'], mayMove: true };

describe('the home of a case (C43)', () => {
  it('is the first suite that lists its file; the next one includes it', () => {
    const [first, second] = [listed('a', 'Refund'), listed('b', 'Refund')];
    expect(settleHomes([first, second], [], all)).toEqual({
      own: [first],
      included: [{ listed: second, home: { suiteId: 'a' } }],
      moves: [],
    });
  });

  it('is the suite in whose own file it stands, whatever others call theirs', () => {
    const cases = [listed('a', 'Refund', null), listed('b', 'Refund', null)];
    expect(settleHomes(cases, [], all)).toEqual({ own: cases, included: [], moves: [] });
  });

  it('stays as long as it lists the case, also when another suite comes first now', () => {
    const [first, second] = [listed('a', 'Refund'), listed('b', 'Refund')];
    expect(settleHomes([first, second], [housed('1', 'b')], all)).toEqual({
      own: [second],
      included: [{ listed: first, home: { caseId: '1', suiteId: 'b' } }],
      moves: [],
    });
  });

  it('stays when it is not among the suites that are stored now', () => {
    const included = listed('a', 'Refund');
    const homes = settleHomes([included], [housed('1', 'elsewhere')], { suiteIds: ['a'], mayMove: true });
    expect(homes).toEqual({
      own: [],
      included: [{ listed: included, home: { caseId: '1', suiteId: 'elsewhere' } }],
      moves: [],
    });
  });

  it('moves to a suite that still lists the case when its own does no more, and for a proposal it does not', () => {
    const left = listed('b', 'Refund');
    expect(settleHomes([left], [housed('1', 'a')], all)).toEqual({
      own: [left],
      included: [],
      moves: [{ id: '1', suiteId: 'b', name: 'Refund' }],
    });
    expect(settleHomes([left], [housed('1', 'a')], { ...all, mayMove: false })).toEqual({
      own: [],
      included: [{ listed: left, home: { caseId: '1', suiteId: 'a' } }],
      moves: [],
    });
  });

  it('is that of the older row where one file was stored twice', () => {
    const [first, second] = [listed('a', 'Refund'), listed('b', 'Refund')];
    expect(settleHomes([first, second], [housed('1', 'b'), housed('2', 'a')], all).included).toEqual([
      { listed: first, home: { caseId: '1', suiteId: 'b' } },
    ]);
  });

  it('is a matter of file and name: a file with a list of cases has one home for each', () => {
    const [one, other] = [listed('a', 'Refund'), listed('b', 'Return')];
    expect(settleHomes([one, other], [], all)).toEqual({ own: [one, other], included: [], moves: [] });
  });
});
