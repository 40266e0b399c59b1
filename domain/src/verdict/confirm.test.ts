import { describe, expect, it } from 'vitest';
import { confirmationLevel, wantsConfirmation } from './confirm.ts';
import { decideVerdict, type VerdictInput } from './decide-verdict.ts';
import { cases, mixed, read, settings, trials } from './sample-trials.fixture.ts';

const tenCases = (passed: readonly number[], scored: number) =>
  passed.flatMap((count, index) => mixed(`case-${index + 1}`, count, scored));
const first = {
  base: tenCases([4, 3, 5, 4, 5, 4, 3, 5, 4, 5], 5),
  head: tenCases([3, 3, 5, 4, 4, 3, 3, 5, 4, 4], 5),
};
/** So many of ten cases lose one of three fresh trials. */
const freshWith = (worse: number) => ({
  base: cases(10, 'pass', 3),
  head: tenCases(
    Array.from({ length: 10 }, (_, index) => (index < worse ? 2 : 3)),
    3,
  ),
});
const decide = (given: Partial<VerdictInput>, gate: Parameters<typeof settings>[0] = {}) =>
  decideVerdict({ ...first, settings: settings(gate, { alertOnRegression: false }), canConfirm: true, ...given });

describe('confirming a suspicion', () => {
  it('fresh trials that are worse too make it a regression', () => {
    const verdict = decide({ fresh: freshWith(4) });
    expect(verdict).toMatchObject({ word: 'regressed', reason: 'confirmed', conclusion: 'failure' });
    expect(verdict.confirmation).toMatchObject({ isConfirmed: true, midp: 0.03125, level: 0.05 });
  });

  it('the same fresh trials confirm where every suspicion is run again, and do not where somebody asked for it', () => {
    expect(decide({ fresh: freshWith(2) }, { confirm: 'auto' })).toMatchObject({
      word: 'regressed',
      reason: 'confirmed',
    });
    const asked = decide({ fresh: freshWith(2) });
    expect(asked.confirmation).toMatchObject({ isConfirmed: false, midp: 0.125 });
    expect(['unchanged', 'inconclusive', 'improved']).toContain(asked.word);
  });

  it('what is not confirmed counts together, and the ladder goes on below the suspicion', () => {
    const verdict = decide({ fresh: { base: cases(10, 'pass', 30), head: cases(10, 'pass', 30) } });
    expect(verdict.word).toBe('unchanged');
    expect(verdict.cases[0]?.head?.planned).toBe(35);
    expect(read(verdict)).toContain('a fresh rerun of all cases did not confirm it (mid-p 0.500).');
  });

  it('a rerun with too few results settles nothing', () => {
    const fresh = {
      base: cases(10, 'pass', 3),
      head: [...cases(7, 'pass', 3), ...cases(10, 'judge-error', 3).slice(21)],
    };
    const verdict = decide({ fresh });
    expect(verdict).toMatchObject({ word: 'suspected', confirmation: { midp: null, isConfirmed: false } });
    expect(read(verdict)).toContain('gave too few results to tell');
    expect(read(verdict)).not.toContain('Confirm runs');
  });

  it('is wanted where the suite settles suspicions by itself, once, and never for an old base or after the budget was spent', () => {
    const auto = decide({}, { confirm: 'auto' });
    expect(auto.word).toBe('suspected');
    expect(wantsConfirmation(auto)).toBe(true);
    expect(wantsConfirmation(decide({}))).toBe(false);
    expect(wantsConfirmation(decide({ fresh: freshWith(4) }, { confirm: 'auto' }))).toBe(false);
    expect(wantsConfirmation({ ...auto, reason: 'old_base' })).toBe(false);
    expect(wantsConfirmation({ ...auto, cutTestRuns: 1 })).toBe(false);
  });

  it('nothing is settled that was not suspected', () => {
    const calm = { base: cases(30, 'pass', 5), head: cases(30, 'pass', 5) };
    expect(decide({ ...calm, fresh: freshWith(4) }).confirmation).toBeNull();
  });

  it('the first look is stricter where every suspicion is run again, so that both together stay within alpha', () => {
    // mid-p 0.03125: below alpha, above what the first look may spend.
    const once = { base: cases(10, 'pass', 1), head: [...cases(6, 'pass', 1), ...cases(10, 'fail', 1).slice(6)] };
    expect(decide(once).word).toBe('regressed');
    expect(decide(once, { confirm: 'auto' }).word).toBe('suspected');
    expect(decide({ ...once, canConfirm: false }, { confirm: 'auto' }).word).toBe('regressed');
  });

  it('a suspicion from the raw drop alone has spent nothing of alpha', () => {
    const auto = settings({ confirm: 'auto' });
    expect(confirmationLevel(auto, 0.15)).toBeCloseTo(1 / 6, 12);
    expect(confirmationLevel(auto, 0.21)).toBe(0.05);
    expect(confirmationLevel(settings(), 0.15)).toBe(0.05);
  });

  it('cases of other content in the rerun are not evidence', () => {
    const fresh = { base: trials('case-1', 'pass', 3, 'old'), head: trials('case-1', 'fail', 3, 'new') };
    expect(decide({ fresh }).confirmation).toMatchObject({ midp: null });
  });
});
