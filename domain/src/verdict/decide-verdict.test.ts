import { Gate } from '@proofmark/contracts/gate';
import type { Verdict, VerdictSettings } from '@proofmark/contracts/verdict';
import { describe, expect, it } from 'vitest';
import { decideVerdict, type Trial, type VerdictInput } from './decide-verdict.ts';
import { plainPhrase } from './phrase.ts';

type Outcome = 'pass' | 'fail' | 'agent-error' | 'judge-error' | 'skip';

const states: Record<Outcome, Pick<Trial, 'status' | 'errorKind'>> = {
  pass: { status: 'passed', errorKind: null },
  fail: { status: 'failed', errorKind: null },
  'agent-error': { status: 'error', errorKind: 'timeout' },
  'judge-error': { status: 'error', errorKind: 'judge' },
  skip: { status: 'skipped', errorKind: null },
};

function trials(caseName: string, outcome: Outcome, count: number, comparabilityKey = caseName): Trial[] {
  return Array.from({ length: count }, () => ({ caseName, comparabilityKey, ...states[outcome] }));
}

function cases(count: number, outcome: Outcome, repetitions: number): Trial[] {
  return Array.from({ length: count }, (_, index) => trials(`case-${index + 1}`, outcome, repetitions)).flat();
}

function settings(gate: Partial<Gate> = {}, rest: Partial<VerdictSettings> = {}): VerdictSettings {
  const defaults = { alertOnRegression: true, alertThresholdPercent: 10, onError: 'block' as const };
  return { gate: Gate.parse(gate), ...defaults, ...rest };
}

function decide(input: Partial<VerdictInput> & Pick<VerdictInput, 'head' | 'base'>): Verdict {
  return decideVerdict({ settings: settings(), ...input });
}

function read(verdict: Verdict): string {
  return [verdict.title, plainPhrase(verdict.paragraph), ...verdict.lines.map(plainPhrase)].join('\n');
}

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
      Alert rule: pass rate fell 10.0 points, limit 10; newly failing: \`refund\`, \`cancel\`."
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
      Alert rule: pass rate fell 40.0 points, limit 10; newly failing: \`case-7\`, \`case-8\`, \`case-9\`, \`case-10\`."
    `);
  });

  it('says "possible" and stays grey when chance could explain the drop', () => {
    const head = [...cases(8, 'pass', 1), ...trials('case-9', 'fail', 1), ...trials('case-10', 'fail', 1)];
    const verdict = decide({ base: cases(10, 'pass', 1), head });
    expect(verdict).toMatchObject({ word: 'suspected', conclusion: 'neutral' });
    expect(read(verdict)).toMatchInlineSnapshot(`
      "Possible regression: −20.0 points, not proven
      A drop like this appears by chance in 12.5% of comparisons.
      Alert rule: pass rate fell 20.0 points, limit 10; newly failing: \`case-9\`, \`case-10\`."
    `);
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
      Nothing suspicious, but a drop of up to 27.8 points is still possible."
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

describe('what was not measured never looks green', () => {
  it('D-16: nothing executed is an error, red unless errors are allowed', () => {
    const skipped = cases(4, 'skip', 1);
    expect(decide({ base: null, head: skipped })).toMatchObject({
      word: 'error',
      conclusion: 'failure',
      title: 'No case was executed',
    });
    const allowed = decide({ base: null, head: skipped, settings: settings({}, { onError: 'allow' }) });
    expect(allowed.conclusion).toBe('neutral');
    expect(decide({ base: null, head: [] })).toMatchObject({ word: 'error', conclusion: 'failure' });
  });

  it('D-16: a broken judge in every test run is an error, not a regression', () => {
    const verdict = decide({ base: cases(5, 'pass', 3), head: cases(5, 'judge-error', 3) });
    expect(verdict).toMatchObject({ word: 'error', conclusion: 'failure', headPassRate: 0 });
    expect(verdict.title).toBe('No verdict: errors in 15 of 15 test runs');
  });

  it('a head whose every trial errors fails the check with the reason "errors"', () => {
    const verdict = decide({ base: cases(10, 'pass', 3), head: cases(10, 'agent-error', 3) });
    expect(verdict).toMatchObject({ word: 'regressed', reason: 'errors', conclusion: 'failure' });
    expect(read(verdict)).toContain(
      'Regressed: no answer in 30 of 30 test runs\nThe base failed to answer in 0 of 30.',
    );
  });

  it('a first run has no baseline and is grey', () => {
    const verdict = decide({
      base: null,
      head: [...cases(18, 'pass', 1), ...trials('x', 'fail', 1), ...trials('y', 'fail', 1)],
    });
    expect(verdict).toMatchObject({
      word: 'no-baseline',
      reason: 'no_base',
      conclusion: 'neutral',
      title: 'No baseline yet: 18/20 passed',
    });
  });

  it('C18: a changed case or judge is not comparable, and never a delta', () => {
    const base = trials('a', 'pass', 3, 'old content');
    const verdict = decide({ base, head: trials('a', 'fail', 3, 'new content') });
    expect(verdict).toMatchObject({
      word: 'no-baseline',
      reason: 'not_comparable',
      conclusion: 'neutral',
      diffPoints: null,
    });
  });

  it('a removed failing case does not look like an improvement', () => {
    const base = [...cases(20, 'pass', 21), ...trials('broken', 'fail', 21)];
    const verdict = decide({ base, head: cases(20, 'pass', 3) });
    expect(verdict.word).not.toBe('improved');
    expect(verdict.diffPoints).toBe(0);
    expect(read(verdict)).toContain('Not compared: 1 removed.');
  });

  it('too few scored cases are insufficient, with the reasons counted', () => {
    const head = [...cases(10, 'pass', 1), ...cases(20, 'judge-error', 1).slice(10)];
    const verdict = decide({ base: cases(20, 'pass', 1), head });
    expect(verdict).toMatchObject({ word: 'insufficient', conclusion: 'neutral' });
    expect(read(verdict)).toContain(
      'Not compared: results for 10 of 20 cases\n80% are needed. Missing: 10 measuring errors.',
    );
  });

  it('a success with an errored test run is grey while errors block', () => {
    const head = [...cases(30, 'pass', 3).slice(1), ...trials('case-1', 'judge-error', 1)];
    const input = { base: cases(30, 'pass', 21), head };
    expect(decide(input)).toMatchObject({
      word: 'unchanged',
      conclusion: 'neutral',
      title: 'No regression beyond 10 points, 1 error',
    });
    expect(decide({ ...input, settings: settings({}, { onError: 'allow' }) }).conclusion).toBe('success');
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
    expect(decide({ base, head, quarantined: new Set(['flaky']) })).toMatchObject({
      word: 'unchanged',
      conclusion: 'success',
    });
    expect(decide({ base, head }).conclusion).not.toBe('success');
  });
});

it('history of the base adds evidence but no cases', () => {
  const history = [...cases(5, 'pass', 18), ...trials('gone', 'fail', 18)];
  const verdict = decide({ base: cases(5, 'pass', 3), head: cases(5, 'pass', 3), history });
  expect(verdict.cases.map((one) => one.caseName)).not.toContain('gone');
  expect(verdict.cases[0]?.base?.passed).toBe(21);
});
