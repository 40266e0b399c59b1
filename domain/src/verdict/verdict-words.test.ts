import { describe, expect, it } from 'vitest';
import { decideVerdict, type VerdictInput } from './decide-verdict.ts';
import { cases, mixed, read, settings, trials } from './sample-trials.fixture.ts';

const say = (input: Partial<VerdictInput> & Pick<VerdictInput, 'head' | 'base'>): string =>
  read(decideVerdict({ settings: settings({}, { alertOnRegression: false }), baseName: 'main', ...input }));

/** Ten cases of five trials, shaky ones among them: 84% on the base, 76% on the head. */
const shaky = {
  base: [4, 3, 5, 4, 5, 4, 3, 5, 4, 5].flatMap((passed, index) => mixed(`case-${index}`, passed, 5)),
  head: [3, 3, 5, 4, 4, 3, 3, 5, 4, 4].flatMap((passed, index) => mixed(`case-${index}`, passed, 5)),
};

// One test for each sentence (docs/verdicts.md#every-verdict-in-its-own-words).
describe('what each verdict prints', () => {
  it('regressed, by the suite', () => {
    const head = [...cases(26, 'pass', 3), ...[27, 28, 29, 30].flatMap((n) => mixed(`case-${n}`, 2, 3))];
    expect(say({ base: cases(30, 'pass', 21), head })).toMatchInlineSnapshot(`
      "Regressed: pass rate 100% → 95.6% (−4.4 points)
      30 cases, 3 repetitions each, against 21 on main. Without a real change a drop this large shows up in <0.1% of comparisons (mid-p <0.001). 95% interval −8.7 to −0.1 points."
    `);
  });

  it('regressed, by cases', () => {
    const base = [
      ...cases(48, 'pass', 21),
      ...trials('refund-happy-path', 'pass', 21),
      ...trials('cancel-order', 'pass', 21),
    ];
    const head = [
      ...cases(48, 'pass', 3),
      ...trials('refund-happy-path', 'fail', 3),
      ...trials('cancel-order', 'fail', 3),
    ];
    expect(say({ base, head })).toMatchInlineSnapshot(`
      "Regressed: 2 cases broke
      \`refund-happy-path\` 0/3, was 21/21. \`cancel-order\` 0/3, was 21/21. Suite as a whole: 100% → 96%."
    `);
  });

  it('regressed, by errors', () => {
    const silent = cases(30, 'agent-error', 1).map((trial, index) => ({
      ...trial,
      errorMessage: index < 24 ? 'Timeout after\n30000ms' : 'Connection reset',
    }));
    const base = [...cases(49, 'pass', 1), ...trials('case-50', 'agent-error', 1)];
    const head = [...silent, ...cases(30, 'pass', 2), ...cases(50, 'pass', 3).slice(90)];
    expect(say({ base: [...base, ...trials('case-50', 'pass', 1)], head })).toMatchInlineSnapshot(`
      "Regressed: no answer in 30 of 150 test runs
      Main failed to answer in 1 of 51. Most common: \`Timeout after 30000ms\` (24).
      30 test runs without a result (30 agent errors, 0 measuring errors).
      Worst case, with all that was not measured counted as failed: 80%."
    `);
  });

  it('regressed, confirmed', () => {
    const fresh = {
      base: cases(10, 'pass', 3),
      head: [...cases(6, 'pass', 3), ...[7, 8, 9, 10].flatMap((n) => mixed(`case-${n}`, 2, 3))],
    };
    const renamed = (list: typeof fresh.base) =>
      list.map((trial) => ({
        ...trial,
        caseName: `case-${Number(trial.caseName.slice(5)) - 1}`,
        comparabilityKey: `case-${Number(trial.caseName.slice(5)) - 1}`,
      }));
    expect(say({ ...shaky, fresh: { base: renamed(fresh.base), head: renamed(fresh.head) } })).toMatchInlineSnapshot(`
      "Regressed: pass rate 84% → 76% (−8.0 points)
      10 cases, 5 repetitions each, against 5 on main. Without a real change a drop this large shows up in 16.2% of comparisons (mid-p 0.162). 95% interval −15.4 to −0.6 points. First look −8.0 points (mid-p 0.162); a fresh rerun of all cases confirmed it (mid-p 0.031)."
    `);
  });

  it('regressed, early', () => {
    const early = { rule: 'e_value', round: 3, rounds: 5, eValue: 31.875, spentUsd: 1.841, plannedUsd: 3.1 } as const;
    const head = [...cases(13, 'pass', 3), ...cases(20, 'fail', 3).slice(39)];
    expect(say({ base: cases(20, 'pass', 3), head, early })).toMatchInlineSnapshot(`
      "Regressed: pass rate 100% → 65% (−35.0 points)
      20 cases, 3 repetitions each, against 3 on main. Without a real change a drop this large shows up in <0.1% of comparisons (mid-p <0.001). 95% interval −57.9 to −12.1 points. Decided after round 3 of 5 (E = 31.9), $1.84 of $3.10 planned."
    `);
    const spent = (spentUsd: number, plannedUsd: number) =>
      say({ base: cases(20, 'pass', 3), head, early: { ...early, spentUsd, plannedUsd } });
    expect(spent(0.00123, 0.00205)).toContain('Decided after round 3 of 5 (E = 31.9), $0.0012 of $0.0021 planned.');
    expect(spent(0.84, 1.4)).toContain('(E = 31.9), $0.84 of $1.40 planned.');
    expect(spent(0, 0)).toContain('Decided after round 3 of 5 (E = 31.9).');
    expect(spent(4e-10, 7e-10)).toContain('Decided after round 3 of 5 (E = 31.9).');
    expect(say({ base: cases(20, 'pass', 3), head, early: { ...early, rule: 'curtailment', eValue: null } })).toContain(
      'Decided after round 3 of 5: nothing that was left could change the verdict, $1.84 of $3.10 planned.',
    );
  });

  it('suspected, with a button and without', () => {
    expect(say({ ...shaky, canConfirm: true })).toMatchInlineSnapshot(`
      "Possible regression: −8.0 points, not proven
      A drop like this appears by chance in 16.2% of comparisons. Confirm runs all cases again, or raise \`repetitions\` to 20 to prove or rule out 10 points.
      10 cases, 5 repetitions and 5 base trials each show drops of 19.5 points or more in 4 of 5 comparisons."
    `);
    expect(say(shaky)).toContain('Raise `repetitions` to 20 to prove or rule out 10 points.');
  });

  it('suspected of less than the alert rule looks for', () => {
    const coins = (passed: (index: number) => number) =>
      Array.from({ length: 60 }, (_, index) => mixed(`case-${index}`, passed(index), 10)).flat();
    expect(say({ base: coins(() => 5), head: coins((index) => (index < 24 ? 4 : 5)) })).toMatchInlineSnapshot(`
      "Possible regression: −4.0 points, not proven
      A drop like this appears by chance in 8.8% of comparisons. Raise \`repetitions\` to 33 to prove or rule out 4 points.
      60 cases, 10 repetitions and 10 base trials each show drops of 7.2 points or more in 4 of 5 comparisons."
    `);
  });

  it('improved', () => {
    const base = [...trials('a', 'fail', 10), ...cases(5, 'pass', 10)];
    expect(say({ base, head: [...trials('a', 'pass', 5), ...cases(5, 'pass', 5)] })).toMatchInlineSnapshot(`
      "Improved: pass rate 83.3% → 100% (+16.7 points)
      Chance would do this in <0.1% of comparisons."
    `);
  });

  it('unchanged', () => {
    expect(say({ base: cases(50, 'pass', 5), head: cases(50, 'pass', 5) })).toMatchInlineSnapshot(`
      "No regression beyond 10 points
      100% → 100%; the 95% interval −1.5 to +1.5 points rules out a drop of 10 points."
    `);
  });

  it('inconclusive', () => {
    expect(say({ base: cases(10, 'pass', 1), head: cases(10, 'pass', 1) })).toMatchInlineSnapshot(`
      "Not enough evidence
      Nothing suspicious, but a drop of up to 27.8 points is still possible. For 10 points run 24 repetitions per case (now 1).
      10 cases, 1 repetition and 1 base trial each show drops of 48.2 points or more in 4 of 5 comparisons."
    `);
  });

  it('inconclusive, when repetitions alone cannot help', () => {
    expect(say({ base: cases(2, 'pass', 1), head: cases(2, 'pass', 1) })).toContain(
      'For 10 points 2 cases would need 116 repetitions each: add cases.',
    );
    expect(say({ base: cases(3, 'pass', 2), head: cases(3, 'pass', 1) })).toContain(
      'No number of repetitions shows 10 points against 2 trials of the base per case: the base has to run more often.',
    );
  });

  it('insufficient', () => {
    const head = [
      ...cases(10, 'pass', 1),
      ...cases(18, 'agent-error', 1).slice(10),
      ...cases(20, 'judge-error', 1).slice(18),
    ];
    const lost = settings({}, { alertOnRegression: false });
    expect(
      say({ base: [...cases(20, 'pass', 1), ...cases(20, 'agent-error', 2)], head, settings: lost }),
    ).toMatchInlineSnapshot(`
      "Not compared: results for 10 of 20 cases
      80% are needed. Missing: 8 agent errors, 2 judge errors.
      10 test runs without a result (8 agent errors, 2 measuring errors).
      Worst case, with all that was not measured counted as failed: 50%.
      10 cases, 1 repetition and 1 base trial each show drops of 48.2 points or more in 4 of 5 comparisons. For 10 points run 24 repetitions per case."
    `);
  });

  it('no-baseline: no base, or one that is not comparable', () => {
    const head = [...cases(18, 'pass', 1), ...trials('x', 'fail', 1), ...trials('y', 'fail', 1)];
    expect(say({ base: null, head })).toMatchInlineSnapshot(`
      "No baseline yet: 18/20 passed
      A run on main makes one: merge this, or push the suite there and run this again.
      20 cases, 1 repetition and as many base trials show drops of 34 points or more in 4 of 5 comparisons. For 10 points run 12 repetitions per case."
    `);
    const before = [...cases(19, 'pass', 1), ...trials('y', 'pass', 1)];
    expect(say({ base: null, head, previous: before }).split('\n').slice(0, 2)).toEqual([
      'Pass rate fell by 10.0 points since the run before: 18/20 passed',
      'There is no baseline: only the pass rate was compared, with the last completed run of the same cases.',
    ]);
    const titleAfter = (previous: VerdictInput['head']) => say({ base: null, head, previous }).split('\n')[0];
    expect(titleAfter(head)).toBe('Pass rate as in the run before: 18/20 passed');
    expect(titleAfter(cases(20, 'agent-error', 1))).toBe(
      'Pass rate rose by 90.0 points since the run before: 18/20 passed',
    );
    const typed = { ...settings({}, { alertOnRegression: false }), isTyped: true };
    expect(say({ base: null, head, previous: before, settings: typed })).toContain('No baseline yet: 18/20 passed');
    expect(
      say({ base: trials('a', 'pass', 3, 'old judge'), head: trials('a', 'pass', 3, 'new judge') }),
    ).toMatchInlineSnapshot(`
      "No baseline: the measuring setup changed
      The measurement changed and main cannot be executed. A run on main with the new setup makes a base.
      1 changed case (the measurement), not compared: \`a\`.
      1 case, 3 repetitions and as many base trials show drops of 67.1 points or more in 4 of 5 comparisons."
    `);
  });

  it('error', () => {
    const drafts = cases(12, 'skip', 1).map((trial) => ({ ...trial, skipReason: 'draft' }));
    expect(say({ base: null, head: drafts })).toMatchInlineSnapshot(`
      "No case was executed
      12 cases selected, 12 skipped (draft)."
    `);
    expect(
      say({ base: null, head: [...cases(10, 'agent-error', 1), ...trials('x', 'judge-error', 2)] }),
    ).toMatchInlineSnapshot(`
      "No verdict: errors in 12 of 12 test runs
      10 agent errors, 2 judge errors. Nothing was judged.
      12 test runs without a result (10 agent errors, 2 measuring errors)."
    `);
    const titleOf = (errorMessage: string) =>
      say({ base: null, head: cases(12, 'agent-error', 3).map((trial) => ({ ...trial, errorMessage })) }).split(
        '\n',
      )[0];
    const from = 'No verdict: HTTP 401 from api.example.com in 36 of 36 test runs';
    expect(titleOf('The provider at api.example.com answered 401 Incorrect API key')).toBe(from);
    expect(titleOf('The provider at [x](https://evil.example) answered 401 no')).toBe(
      'No verdict: HTTP 401 in 36 of 36 test runs',
    );
  });
});

it('pairs of trials that stopped the run are a regression, whatever the gate makes of them', () => {
  const early = { rule: 'e_value', round: 1, rounds: 5, eValue: 31.875, spentUsd: null, plannedUsd: null } as const;
  const base = cases(20, 'pass', 1);
  const head = [...cases(13, 'pass', 1), ...cases(20, 'fail', 1).slice(13)];
  const strict = settings({ alpha: 0.001, fdr: 0.001 }, { alertOnRegression: false });
  expect(say({ base, head, settings: strict })).toContain('not proven');
  expect(say({ base, head, settings: strict, early })).toMatchInlineSnapshot(`
    "Regressed: pass rate 100% → 65% (−35.0 points)
    Side by side, the head failed where the base passed so much more often than the other way round that chance does it in at most 0.02% of runs. Decided after round 1 of 5 (E = 31.9)."
  `);
});
