import type { Verdict } from '@proofmark/contracts/verdict';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideCells, decideVerdict, type VerdictInput } from './decide-verdict.ts';
import { cases, mixed, read, settings, trials } from './sample-trials.fixture.ts';
import { decide } from './sample-verdict.fixture.ts';

describe('what a verdict says', () => {
  it('names the cases that broke by themselves', () => {
    const base = [...cases(18, 'pass', 21), ...trials('refund', 'pass', 21), ...trials('cancel', 'pass', 21)];
    const head = [...cases(18, 'pass', 3), ...trials('refund', 'fail', 3), ...trials('cancel', 'fail', 3)];
    const verdict = decide({ base, head });
    expect(verdict).toMatchObject({ word: 'regressed', reason: 'cases', conclusion: 'failure' });
    expect(verdict.flagged).toEqual(['refund', 'cancel']);
    expect(read(verdict)).toMatchInlineSnapshot(`
      "Regressed: 2 cases broke
      \`refund\` 0/3, was 21/21. \`cancel\` 0/3, was 21/21. Suite as a whole: 100% → 90%.
      The alert rule fires, too; newly failing: \`refund\`, \`cancel\`."
    `);
  });

  it('states size, certainty and interval when the suite as a whole got worse', () => {
    const verdict = decide({
      base: cases(10, 'pass', 3),
      head: [...cases(6, 'pass', 3), ...cases(10, 'fail', 3).slice(18)],
    });
    expect(verdict).toMatchObject({ word: 'regressed', reason: 'suite', conclusion: 'failure', flagged: [] });
    expect(read(verdict)).toMatchInlineSnapshot(`
      "Regressed: pass rate 100% → 60% (−40.0 points)
      10 cases, 3 repetitions each, against 3 on the base. Without a real change a drop this large shows up in <0.1% of comparisons (mid-p <0.001). 95% interval −76.9 to −3.1 points.
      The alert rule fires, too; newly failing: \`case-7\`, \`case-8\`, \`case-9\`, \`case-10\`."
    `);
  });

  it('says "possible" and stays grey when chance could explain the drop', () => {
    const head = [...cases(8, 'pass', 1), ...trials('case-9', 'fail', 1), ...trials('case-10', 'fail', 1)];
    const verdict = decide({ base: cases(10, 'pass', 1), head });
    expect(verdict).toMatchObject({ word: 'suspected', conclusion: 'neutral' });
    expect(read(verdict)).toMatchInlineSnapshot(`
      "Possible regression: −20.0 points, not proven
      A drop like this appears by chance in 12.5% of comparisons. Raise \`repetitions\` to 24 to prove or rule out 10 points.
      Alert rule, which asks for no proof: pass rate fell 20.0 points, limit 10; newly failing: \`case-9\`, \`case-10\`.
      10 cases, 1 repetition and 1 base trial each show drops of 48.2 points or more in 4 of 5 comparisons."
    `);
  });

  it('says that the alert rule decides where it does, though the verdict is not proven', () => {
    const head = [...cases(8, 'pass', 1), ...trials('case-9', 'fail', 1), ...trials('case-10', 'fail', 1)];
    const verdict = decide({ base: cases(10, 'pass', 1), head, settings: settings({ decide_by: 'alert' }) });
    expect(verdict).toMatchObject({ word: 'suspected', conclusion: 'failure' });
    expect(read(verdict)).toContain('Alert rule, which asks for no proof and decides here: pass rate fell 20.0 points');
  });

  it('is green when the interval rules out a drop that would matter', () => {
    const verdict = decide({ base: cases(30, 'pass', 21), head: cases(30, 'pass', 3) });
    expect(verdict).toMatchObject({ word: 'unchanged', conclusion: 'success' });
    expect(read(verdict)).toMatchInlineSnapshot(`
      "No regression beyond 10 points
      100% → 100%; the 95% interval −4.1 to +0.6 points rules out a drop of 10 points."
    `);
  });

  it('says what is still possible when there is too little evidence', () => {
    const verdict = decide({ base: cases(10, 'pass', 1), head: cases(10, 'pass', 1) });
    expect(verdict).toMatchObject({ word: 'inconclusive', conclusion: 'neutral' });
    expect(read(verdict)).toMatchInlineSnapshot(`
      "Not enough evidence
      Nothing suspicious, but a drop of up to 27.8 points is still possible. For 10 points run 24 repetitions per case (now 1).
      10 cases, 1 repetition and 1 base trial each show drops of 48.2 points or more in 4 of 5 comparisons."
    `);
  });

  it('says that it improved', () => {
    const base = [...trials('a', 'fail', 10), ...cases(5, 'pass', 10)];
    const verdict = decide({ base, head: [...trials('a', 'pass', 5), ...cases(5, 'pass', 5)] });
    expect(verdict).toMatchObject({
      word: 'improved',
      conclusion: 'success',
      title: 'Improved: pass rate 83.3% → 100% (+16.7 points)',
    });
  });
});

describe('who may fail the check', () => {
  const regressed = { base: cases(10, 'pass', 3), head: cases(10, 'fail', 3) };

  it('a pass rate below the minimum fails with or without a base', () => {
    const minimum = settings({ min_pass_rate: 90 });
    const head = [...cases(8, 'pass', 1), ...trials('x', 'fail', 1), ...trials('y', 'fail', 1)];
    expect(decide({ base: null, head, settings: minimum })).toMatchObject({
      belowMinimum: true,
      conclusion: 'failure',
      title: 'Pass rate 80% is below the minimum of 90%',
    });
  });

  it('where nothing could be judged there is no rate below a minimum, and nothing is green', () => {
    const head = [...trials('x', 'judge-error', 2), ...trials('y', 'agent-error', 1)];
    for (const onError of ['block', 'allow'] as const) {
      const verdict = decide({ base: null, head, settings: settings({ min_pass_rate: 90 }, { onError }) });
      expect(verdict).toMatchObject({
        word: 'error',
        belowMinimum: false,
        conclusion: onError === 'allow' ? 'neutral' : 'failure',
        title: 'No verdict: errors in 3 of 3 test runs',
      });
    }
  });

  it('`fail_on` adds verdicts that fail and may take "regressed" away', () => {
    const suspectedInput = {
      base: cases(10, 'pass', 1),
      head: [...cases(8, 'pass', 1), ...cases(10, 'fail', 1).slice(8)],
    };
    const strict = settings({ fail_on: ['regressed', 'suspected'] });
    expect(decide({ ...suspectedInput, settings: strict })).toMatchObject({ word: 'suspected', conclusion: 'failure' });
    expect(decide({ ...regressed, settings: settings({ fail_on: [] }) }).conclusion).toBe('neutral');
  });

  it('`decide_by: alert` fails on the raw drop of seed 002 alone', () => {
    const head = [...cases(8, 'pass', 1), ...cases(10, 'fail', 1).slice(8)];
    const byAlert = decide({ base: cases(10, 'pass', 1), head, settings: settings({ decide_by: 'alert' }) });
    expect(byAlert).toMatchObject({ word: 'suspected', conclusion: 'failure' });
  });

  it('an alert made only of quarantined cases is quiet', () => {
    const base = [...cases(40, 'pass', 21), ...trials('flaky', 'pass', 15), ...trials('flaky', 'fail', 6)];
    const head = [...cases(40, 'pass', 3), ...trials('flaky', 'fail', 3)];
    const windows = new Map([['flaky', { passed: 14, scored: 20 }]]);
    expect(decide({ base, head, windows })).toMatchObject({
      word: 'unchanged',
      conclusion: 'success',
    });
    expect(decide({ base, head }).conclusion).not.toBe('success');
  });
});

it('history of the base adds evidence but no cases', () => {
  const history = [...cases(5, 'pass', 18), ...trials('gone', 'fail', 18)];
  const verdict = decide({ base: cases(5, 'pass', 3), head: cases(5, 'pass', 3), history, isConcurrent: true });
  expect(verdict.cases.map((one) => one.caseName)).not.toContain('gone');
  expect(verdict.cases[0]?.base?.passed).toBe(21);
});

describe('how much history counts', () => {
  const base = cases(5, 'pass', 3);

  it('a base that ran earlier is part of the newest 20 trials', () => {
    const verdict = decide({ base, head: base, history: cases(5, 'pass', 40) });
    expect(verdict.cases[0]?.base?.planned).toBe(20);
    const fewer = decide({
      base,
      head: base,
      history: cases(5, 'pass', 40),
      settings: settings({ history_trials: 5 }),
    });
    expect(fewer.cases[0]?.base?.planned).toBe(5);
  });

  it("history of another case content or judge is nobody's history", () => {
    const other = trials('case-1', 'fail', 20, 'old content');
    const verdict = decide({ base, head: base, history: [...other, ...trials('case-1', 'pass', 4)] });
    expect(verdict.cases[0]?.base).toMatchObject({ passed: 7, failed: 0 });
  });

  it('errors among the history stay in it, or a base would look too healthy', () => {
    const history = [
      ...trials('case-1', 'pass', 1),
      ...trials('case-1', 'agent-error', 2),
      ...trials('case-1', 'pass', 9),
    ];
    const verdict = decide({ base, head: base, history, settings: settings({ history_trials: 5 }) });
    expect(verdict.cases[0]?.base).toEqual({ planned: 7, passed: 5, failed: 0, errored: 2, invalid: 0 });
  });

  it('a base that drifted away from its history is compared without it, and the line says so', () => {
    const history = cases(20, 'pass', 20);
    const now = [...cases(12, 'pass', 1), ...cases(20, 'fail', 1).slice(12)];
    const verdict = decide({ base: now, head: now, history, isConcurrent: true, baseName: 'main' });
    expect(verdict.drift?.cases).toBe(20);
    expect(verdict.cases[0]?.base?.planned).toBe(1);
    expect(verdict.diffPoints).toBe(0);
    expect(read(verdict)).toContain(
      'Main itself answers otherwise than in its history (chance <0.001 over 20 cases): the history was left out, only trials of now count.',
    );
    expect(decide({ base: now, head: now, history }).drift).toBeNull();
  });
});

describe('earlier runs of the same pull request', () => {
  it('are evidence, but neither the alert rule nor the pass rate of this run', () => {
    const pooled = cases(10, 'fail', 3);
    const verdict = decide({ base: cases(10, 'pass', 3), head: cases(10, 'pass', 3), pooled, pooledRuns: 2 });
    expect(verdict.cases[0]?.head).toMatchObject({ passed: 3, failed: 3 });
    expect(verdict).toMatchObject({ word: 'regressed', pooledRuns: 2, alert: { fired: false } });
    expect(read(verdict)).toContain('2 runs of this agent in this pull request, pooled.');
  });

  it('of another case content do not count', () => {
    const pooled = trials('case-1', 'fail', 3, 'old content');
    expect(decide({ base: cases(2, 'pass', 3), head: cases(2, 'pass', 3), pooled }).cases[0]?.head?.planned).toBe(3);
  });
});

it('a base that is too old proves nothing: regressed is capped at suspected', () => {
  const baseline = { rung: 4, label: '40 commits older' };
  const verdict = decide({ base: cases(10, 'pass', 3), head: cases(10, 'fail', 3), baseline });
  expect(verdict).toMatchObject({ word: 'suspected', reason: 'old_base', conclusion: 'neutral', baseline });
  expect(read(verdict)).toContain('Possible regression: 10 cases broke');
  expect(read(verdict)).toContain(
    'The base is no good match (40 commits older), so this is shown as possible and not as proven.',
  );
});

it('a spent budget is never green, and the line says what was not run', () => {
  const cut = trials('case-1', 'skip', 1).map((trial) => ({ ...trial, skipReason: 'budget' }));
  const verdict = decide({ base: cases(30, 'pass', 21), head: [...cases(30, 'pass', 3).slice(1), ...cut] });
  expect(verdict).toMatchObject({ word: 'unchanged', conclusion: 'neutral', cutTestRuns: 1 });
  expect(read(verdict)).toContain('The budget was spent: 1 of 90 test runs were not run.');
});

it('names quarantined cases with the counts by which they were measured', () => {
  const base = [...cases(9, 'pass', 21), ...mixed('shaky', 15, 21)];
  const windows = new Map([
    ['shaky', { passed: 15, scored: 20 }],
    ['case-1', { passed: 20, scored: 20 }],
  ]);
  const head = [...cases(9, 'pass', 3), ...mixed('shaky', 2, 3)];
  const verdict = decide({ base, head, windows });
  expect(read(verdict)).toContain('Quarantined as flaky, never flagged alone: `shaky` 15/20.');
  expect(decide({ base, head, windows, settings: settings({ quarantine: false }) }).cases.at(-1)?.quarantined).toBe(
    false,
  );
});

it('reducers make one status of the repetitions, for the alert rule too', () => {
  const base = cases(2, 'pass', 3);
  const head = [...mixed('case-1', 2, 3), ...mixed('case-2', 3, 3)];
  const statuses = (verdict: Verdict) => verdict.cases.map(({ headStatus }) => headStatus);
  expect(statuses(decide({ base, head }))).toEqual(['passed', 'passed']);
  const all = decide({ base, head, settings: settings({ reducer: 'all' }) });
  expect(statuses(all)).toEqual(['failed', 'passed']);
  expect(all.alert).toMatchObject({ fired: true, newlyFailing: ['case-1'] });
  expect(statuses(decide({ base, head, settings: settings({ reducer: 'at_least', reducer_k: 3 }) }))).toEqual([
    'failed',
    'passed',
  ]);
});

it('cases of one cluster are not independent evidence for "unchanged"', () => {
  const base = cases(20, 'pass', 21);
  const shaky = [...cases(4, 'pass', 2), ...cases(4, 'fail', 1)];
  const head = [...shaky, ...cases(20, 'pass', 3).slice(12)].map((trial) => ({
    ...trial,
    cluster: Number(trial.caseName.slice(5)) <= 4 ? 'billing' : Number(trial.caseName.slice(5)) <= 12 ? 'a' : 'b',
  }));
  const clustered = decide({ base, head });
  const alone = decide({ base, head: head.map((trial) => ({ ...trial, cluster: null })) });
  expect(clustered.midp).toBe(alone.midp);
  expect(clustered.ciLoPoints).toBeCloseTo(-41.1, 1);
  expect(alone.ciLoPoints).toBeCloseTo(-13.1, 1);
});

it('reports pass@k, pass^k and what time, tokens and money did', () => {
  const measured = (latencyMs: number) => (trial: VerdictInput['head'][number]) => ({
    ...trial,
    latencyMs,
    tokens: 50,
    costUsd: 0.01,
  });
  const head = [...mixed('a', 3, 5), ...mixed('b', 5, 5)].map(measured(200));
  const base = [...mixed('a', 5, 5), ...mixed('b', 5, 5)].map(measured(100));
  const verdict = decide({ base, head, settings: settings({ pass_k: [1, 2, 8] }) });
  expect(verdict.passK).toEqual([
    { k: 1, passAtK: expect.closeTo(0.8, 12), passHatK: expect.closeTo(0.8, 12), cases: 2 },
    { k: 2, passAtK: expect.closeTo(0.95, 12), passHatK: expect.closeTo(0.65, 12), cases: 2 },
    { k: 8, passAtK: null, passHatK: null, cases: 0 },
  ]);
  expect(verdict.measures?.latencyMs.diff).toEqual({ mean: 100, lo: 100, hi: 100 });
  expect(verdict.measures?.tokens.head).toEqual({ mean: 50, p50: 50, p95: 50 });
  expect(decide({ base, head }).passK.map(({ k }) => k)).toEqual([5]);
});

it('a suite that broke everywhere names the first cases and counts the rest', () => {
  const verdict = decide({ base: cases(200, 'pass', 3), head: cases(200, 'fail', 3) });
  expect(read(verdict)).toContain('`case-10` 0/3, was 3/3. And 190 more. Suite as a whole: 100% → 0%.');
  expect(read(verdict)).toContain('`case-10` and 190 more.');
});

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
