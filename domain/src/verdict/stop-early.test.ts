import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideCells, type Trial, type VerdictInput } from './decide-verdict.ts';
import { alphaAtEnd, earlyBudget } from './gate-settings.ts';
import { cases, settings } from './sample-trials.fixture.ts';
import { findEarlyStop, type RunningCell } from './stop-early.ts';

/** Numbers the trials of each case from 1, as rounds do. */
function inRounds(trials: readonly Trial[]): Trial[] {
  const seen = new Map<string, number>();
  return trials.map((trial) => {
    const repetition = (seen.get(trial.caseName) ?? 0) + 1;
    seen.set(trial.caseName, repetition);
    return { ...trial, repetition };
  });
}

const outstanding = (count: number, base: number, head: number) =>
  new Map(Array.from({ length: count }, (_, index) => [`case-${index + 1}`, { base, head }]));

function running(given: Partial<RunningCell> & Pick<VerdictInput, 'head' | 'base'>, gate = {}): RunningCell {
  const { head, base, ...rest } = given;
  return {
    input: { head: inRounds(head), base: base && inRounds(base), isConcurrent: true, settings: settings(gate) },
    outstanding: new Map(),
    completeRounds: 1,
    others: { cells: 0, cases: 0 },
    ...rest,
  };
}

const sequential = { stop: 'sequential' } as const;
/** Of ten cases so many lost, none won, one round. */
const oneRound = (losses: number) => ({
  base: cases(10, 'pass', 1),
  head: [...cases(losses, 'fail', 1), ...cases(10, 'pass', 1).slice(losses)],
});

describe('stopping on pairs', () => {
  it('seven losses and no win stop, six go on', () => {
    const waiting = { outstanding: outstanding(10, 4, 4) };
    expect(findEarlyStop(running({ ...oneRound(7), ...waiting }, sequential))).toEqual({
      rule: 'e_value',
      eValue: expect.closeTo(31.875, 9),
    });
    expect(findEarlyStop(running({ ...oneRound(6), ...waiting }, sequential))).toBeNull();
  });

  it('only complete rounds count: fast results are not a fair sample', () => {
    const { base, head } = oneRound(7);
    const early = running({ base, head, completeRounds: 0, outstanding: outstanding(10, 4, 4) }, sequential);
    expect(findEarlyStop(early)).toBeNull();
  });

  it('is off unless the suite asks for it', () => {
    expect(findEarlyStop(running({ ...oneRound(7), outstanding: outstanding(10, 4, 4) }))).toBeNull();
  });

  it('several cells share the risk of a false alarm', () => {
    const others = { cells: 1, cases: 10 };
    const two = running({ ...oneRound(7), others, outstanding: outstanding(10, 4, 4) }, sequential);
    expect(findEarlyStop(two)).toBeNull();
    const clear = running({ ...oneRound(8), others, outstanding: outstanding(10, 4, 4) }, sequential);
    expect(findEarlyStop(clear)?.rule).toBe('e_value');
  });
});

describe('the risk of a false alarm', () => {
  /** Ten cases of two rounds, of which the head loses so many once each. */
  const mixedRounds = (lost: number) => ({
    base: inRounds(cases(10, 'pass', 2)),
    head: inRounds([...cases(10, 'pass', 1), ...cases(lost, 'fail', 1), ...cases(10, 'pass', 1).slice(lost)]),
  });

  it('is shared by looks and end, so that both together stay within alpha', () => {
    const { head } = mixedRounds(5);
    const given = { head, isConcurrent: true, settings: settings(sequential) };
    expect(earlyBudget(given.settings) + alphaAtEnd(given)).toBeCloseTo(0.05, 12);
    expect(earlyBudget(given.settings, 4) * 4).toBeCloseTo(0.01, 12);
  });

  it('is left to the end alone where no look was possible', () => {
    const { head } = mixedRounds(5);
    expect(alphaAtEnd({ head, isConcurrent: true, settings: settings() })).toBe(0.05);
    expect(alphaAtEnd({ head, isConcurrent: false, settings: settings(sequential) })).toBe(0.05);
    const oneRepetition = inRounds(cases(10, 'pass', 1));
    expect(alphaAtEnd({ head: oneRepetition, isConcurrent: true, settings: settings(sequential) })).toBe(0.05);
  });

  it('makes the gate at the end a little stricter than that of a fixed plan', () => {
    const given = { ...mixedRounds(4), isConcurrent: true };
    const [fixed] = decideCells([{ ...given, settings: settings({ alpha: 0.035 }) }]);
    const [stopping] = decideCells([{ ...given, settings: settings({ ...sequential, alpha: 0.035 }) }]);
    expect(fixed).toMatchObject({ midp: 0.03125, word: 'regressed' });
    expect(stopping).toMatchObject({ midp: 0.03125, word: 'suspected' });
  });
});

describe('stopping when nothing can change any more', () => {
  it('a collapse against a long history stops with one round open', () => {
    const cell = running({ base: cases(10, 'pass', 1), head: cases(10, 'fail', 2) });
    const input = { ...cell.input, history: cases(10, 'pass', 20) };
    expect(findEarlyStop({ ...cell, input, outstanding: outstanding(10, 0, 1) })).toEqual({
      rule: 'curtailment',
      eValue: null,
    });
  });

  it('a base that proves nothing stops nothing, and neither does no base', () => {
    const cell = running({ base: cases(10, 'pass', 20), head: cases(10, 'fail', 3) });
    expect(findEarlyStop(cell)?.rule).toBe('curtailment');
    expect(findEarlyStop({ ...cell, input: { ...cell.input, baseline: { rung: 4, label: 'old' } } })).toBeNull();
    expect(findEarlyStop({ ...cell, input: { ...cell.input, base: null } })).toBeNull();
  });

  it('holds whatever the outstanding trials and the other cells bring', () => {
    const trial = fc.record({ passed: fc.boolean(), isIn: fc.integer({ min: 0, max: 9 }).map((roll) => roll < 8) });
    const arm = (most: number) => fc.array(trial, { minLength: 1, maxLength: most });
    const suite = fc.array(fc.record({ base: arm(8), head: arm(4) }), { minLength: 2, maxLength: 6 });
    const trialsOf = (all: readonly { passed: boolean; isIn: boolean }[], name: string, isEnd: boolean): Trial[] =>
      all.flatMap(({ passed, isIn }, index) =>
        isIn || isEnd
          ? [
              {
                caseName: name,
                comparabilityKey: name,
                status: passed ? 'passed' : 'failed',
                errorKind: null,
                repetition: index + 1,
              } as const,
            ]
          : [],
      );
    let stopped = 0;
    fc.assert(
      fc.property(suite, suite, (one, other) => {
        // The head of the cell in question is worse than its base in most draws.
        const worse = one.map(({ base, head }) => ({
          base: base.map((each) => ({ ...each, passed: true })),
          head: head.map((each, index) => ({ ...each, passed: each.passed && index === 0 })),
        }));
        const read = (all: typeof one, isEnd: boolean): VerdictInput => ({
          base: all.flatMap(({ base }, index) => trialsOf(base, `case-${index}`, isEnd)),
          head: all.flatMap(({ head }, index) => trialsOf(head, `case-${index}`, isEnd)),
          settings: settings(),
        });
        const open = worse.map(
          ({ base, head }, index) =>
            [
              `case-${index}`,
              { base: base.filter(({ isIn }) => !isIn).length, head: head.filter(({ isIn }) => !isIn).length },
            ] as const,
        );
        const others = { cells: 1, cases: other.length };
        const cell = { input: read(worse, false), outstanding: new Map(open), completeRounds: 1, others };
        if (findEarlyStop(cell) === null) return;
        stopped += 1;
        expect(decideCells([read(worse, true), read(other, true)])[0]?.word).toBe('regressed');
      }),
      { numRuns: 400 },
    );
    expect(stopped).toBeGreaterThan(20);
  });
});
