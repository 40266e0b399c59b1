import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideCells } from './decide-cells.ts';
import { decideVerdict, type VerdictInput } from './decide-verdict.ts';
import { cases, mixed, settings } from './sample-trials.fixture.ts';

const cell = (input: Pick<VerdictInput, 'base' | 'head'>): VerdictInput => ({ settings: settings(), ...input });
const calm = cell({ base: cases(20, 'pass', 21), head: cases(20, 'pass', 3) });

/** Twenty stable cases of which one breaks: adjusted p 0.0099 alone. */
const broken = cell({
  base: cases(20, 'pass', 21),
  head: [...cases(20, 'pass', 3).slice(3), ...mixed('case-1', 0, 3)],
});

/** Ten cases of one trial, five lost: mid-p 0.016 alone. */
const lower = cell({ base: cases(10, 'pass', 1), head: [...cases(5, 'pass', 1), ...cases(10, 'fail', 1).slice(5)] });

describe('cells that are judged together', () => {
  it('a cell alone is judged as ever', () => {
    for (const one of [calm, broken, lower]) expect(decideCells([one])).toEqual([decideVerdict(one)]);
  });

  it('a case breaks in one of many cells: its chance is adjusted over the cases of all of them', () => {
    const [alone] = decideCells([broken]);
    const few = decideCells([broken, ...Array.from({ length: 4 }, () => calm)])[0];
    const many = decideCells([broken, ...Array.from({ length: 5 }, () => calm)])[0];
    expect(alone?.cases.find(({ caseName }) => caseName === 'case-1')?.adjustedP).toBeCloseTo(20 / 2024, 4);
    expect(few?.flagged).toEqual(['case-1']);
    expect(many?.flagged).toEqual([]);
  });

  it('a suite probability is adjusted over the cells for "regressed", and plain for "suspected"', () => {
    const quiet = cell({ base: cases(10, 'pass', 1), head: cases(10, 'pass', 1) });
    expect(decideCells([lower])[0]?.word).toBe('regressed');
    const [verdict] = decideCells([lower, quiet, quiet, quiet]);
    expect(verdict).toMatchObject({ word: 'suspected', midp: 1 / 64, adjustedMidp: 4 / 64 });
  });

  it('the same change in every cell is no less certain than in one', () => {
    expect(decideCells([lower, lower, lower]).map(({ word }) => word)).toEqual(['regressed', 'regressed', 'regressed']);
  });

  it('cells without anything to compare take no part in the correction', () => {
    const fresh = cell({ base: null, head: cases(10, 'pass', 1) });
    const [verdict, other] = decideCells([lower, fresh]);
    expect(verdict).toMatchObject({ word: 'regressed', adjustedMidp: null });
    expect(other?.word).toBe('no-baseline');
  });

  it('further cells only make flags and regressions rarer, and their order changes nothing', () => {
    const scored = fc.integer({ min: 0, max: 3 });
    const anyCell = fc.array(fc.tuple(scored, scored), { minLength: 1, maxLength: 8 }).map((passes) =>
      cell({
        base: passes.flatMap(([base], index) => mixed(`case-${index}`, base, 3)),
        head: passes.flatMap(([, head], index) => mixed(`case-${index}`, head, 3)),
      }),
    );
    fc.assert(
      fc.property(anyCell, fc.array(anyCell, { minLength: 1, maxLength: 4 }), (one, others) => {
        const alone = decideVerdict(one);
        const together = decideCells([one, ...others])[0];
        const last = decideCells([...others, one]).at(-1);
        for (const name of together?.flagged ?? []) expect(alone.flagged).toContain(name);
        if (together?.word === 'regressed') expect(alone.word).toBe('regressed');
        expect(last).toEqual(together);
      }),
    );
  });
});
