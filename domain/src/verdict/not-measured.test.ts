import { describe, expect, it } from 'vitest';
import { comparabilityKey, withParts } from '../plan/comparability-key.ts';
import { cases, mixed, read, settings, trials } from './sample-trials.fixture.ts';
import { decide } from './sample-verdict.fixture.ts';

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
      'Regressed: no answer in 30 of 30 test runs\nThe base failed to answer in 0 of 30. Nothing was judged.',
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

  /** Three trials of ten cases, measured as `parts` say. */
  const measured = (parts: Record<string, string>, outcome: 'pass' | 'fail' = 'pass', task = 'task') => {
    const instrument = withParts(JSON.stringify(parts), parts);
    return cases(10, outcome, 3).map((trial) => ({
      ...trial,
      comparabilityKey: comparabilityKey(`${task} of ${trial.caseName}`, instrument, '{}'),
    }));
  };
  const usual = { judge: 'gpt-4o', mock: 'none' };
  const renamed = (outcome: 'pass' | 'fail') =>
    measured(usual, outcome).map((trial) => ({ ...trial, caseName: `new ${trial.caseName}` }));

  it.each([
    ['nothing was executed', [], 'error', 'No case was executed'],
    ['every test run errored', cases(10, 'judge-error', 3), 'error', 'No verdict: errors in 30 of 30 test runs'],
    [
      'the agent never answered',
      cases(10, 'agent-error', 3),
      'regressed',
      'Regressed: no answer in 30 of 30 test runs',
    ],
    ['every case was skipped', cases(10, 'skip', 3), 'error', 'No case was executed'],
    ['all cases are new', renamed('pass'), 'no-baseline', 'No baseline: the case set changed, 10/10 passed'],
    ['all cases changed', measured(usual, 'pass', 'other'), 'no-baseline', 'No baseline: every case changed'],
    [
      'the judge changed',
      measured({ ...usual, judge: 'x' }),
      'no-baseline',
      'No baseline: the measuring setup changed',
    ],
    [
      'the judge of some cases changed',
      [...measured(usual).slice(0, 21), ...measured({ ...usual, judge: 'x' }).slice(21)],
      'insufficient',
      'Not compared: results for 7 of 10 cases',
    ],
  ] as const)('D-16: %s: its own verdict, and never green', (_, head, word, title) => {
    const base = word === 'regressed' || title.includes('errors') ? cases(10, 'pass', 3) : measured(usual);
    const verdict = decide({ base, head: [...head] });
    expect(verdict).toMatchObject({ word, title });
    expect(verdict.conclusion).not.toBe('success');
    const green = decide({ base, head: [...head], settings: settings({ decide_by: 'either' }, { onError: 'allow' }) });
    expect(green.conclusion).not.toBe('success');
  });

  it('says of each case which part changed, and of all of them together', () => {
    const head = [...measured({ ...usual, judge: 'x' }).slice(0, 27), ...measured({ judge: 'x', mock: 'y' }).slice(27)];
    const verdict = decide({ base: measured(usual), head });
    expect(verdict).toMatchObject({ reason: 'not_comparable', diffPoints: null });
    expect(verdict.cases.map(({ changedParts }) => changedParts.join()).slice(-2)).toEqual(['judge', 'judge,mock']);
    expect(read(verdict)).toMatchInlineSnapshot(`
      "No baseline: the measuring setup changed
      The judge in 10 cases, the mocks in 1 case changed and the base cannot be executed. A run on the base branch with the new setup makes a base.
      10 changed cases, not compared: \`case-1\` (the judge), \`case-2\` (the judge), \`case-3\` (the judge), \`case-4\` (the judge), \`case-5\` (the judge), \`case-6\` (the judge), \`case-7\` (the judge), \`case-8\` (the judge), \`case-9\` (the judge), \`case-10\` (the judge, the mocks).
      10 cases, 3 repetitions and as many base trials show drops of 21.2 points or more in 4 of 5 comparisons. For 10 points run 14 repetitions per case."
    `);
  });

  it('a changed case is never a delta', () => {
    const verdict = decide({ base: measured(usual), head: measured(usual, 'fail', 'other') });
    expect(verdict).toMatchObject({ word: 'no-baseline', reason: 'not_comparable', diffPoints: null });
  });

  it('lists new, removed and changed cases apart', () => {
    const others = [...measured({ ...usual, judge: 'x' }).slice(0, 3), ...measured(usual).slice(6)];
    const verdict = decide({ base: measured(usual), head: [...others, ...trials('fresh', 'pass', 3)] });
    expect(read(verdict)).toMatchInlineSnapshot(`
      "Not enough evidence
      Nothing suspicious, but a drop of up to 13.8 points is still possible. For 10 points run 17 repetitions per case (now 3).
      1 new case, not compared: \`fresh\`.
      1 removed case, not compared: \`case-2\` (3/3 on the base).
      1 changed case (the judge), not compared: \`case-1\`.
      8 cases, 3 repetitions and 3 base trials each show drops of 23.7 points or more in 4 of 5 comparisons."
    `);
  });

  it('lists cases that the base alone defines, although nobody ran them beside the head', () => {
    const verdict = decide({
      base: cases(20, 'pass', 5),
      head: cases(20, 'pass', 5),
      removed: new Map([
        ['gone', []],
        ['case-1', []],
      ]),
    });
    expect(verdict).toMatchObject({ word: 'unchanged', conclusion: 'success' });
    expect(read(verdict)).toContain('1 removed case, not compared: `gone`.');
  });

  it('tells a removed case by its last result on the base, which counts for nothing', () => {
    const removed = new Map([['gone', trials('gone', 'fail', 3)]]);
    const verdict = decide({ base: cases(20, 'pass', 5), head: cases(20, 'pass', 5), removed });
    expect(verdict).toMatchObject({ word: 'unchanged', basePassRate: 100 });
    expect(read(verdict)).toContain('1 removed case, not compared: `gone` (0/3 on the base).');
  });

  it('does not call all cases new because one was removed, where no base was run', () => {
    const removed = new Map([['gone', trials('gone', 'fail', 3)]]);
    const verdict = decide({ base: null, head: cases(3, 'pass', 3), removed });
    expect(verdict).toMatchObject({ word: 'no-baseline', title: 'No baseline yet: 3/3 passed', basePassRate: null });
    expect(read(verdict)).toContain('1 removed case, not compared: `gone` (0/3 on the base).');
    expect(read(verdict)).not.toContain('new case');
  });

  it.each([
    ['failed', 'fail', 0],
    ['passed half of the time', 'mixed', 0],
  ] as const)('a removed case that %s does not look like an improvement', (_, kind, diffPoints) => {
    const broken = kind === 'fail' ? trials('broken', 'fail', 21) : mixed('broken', 10, 21);
    const base = [...cases(20, 'pass', 21), ...broken];
    const verdict = decide({ base, head: cases(20, 'pass', 3) });
    expect(verdict).toMatchObject({ word: 'unchanged', basePassRate: 100, headPassRate: 100, diffPoints });
    expect(read(verdict)).toContain('1 removed case, not compared: `broken`');
  });

  it('too few scored cases are insufficient, with the reasons counted', () => {
    const head = [...cases(10, 'pass', 1), ...cases(20, 'judge-error', 1).slice(10)];
    const verdict = decide({ base: cases(20, 'pass', 1), head });
    expect(verdict).toMatchObject({ word: 'insufficient', conclusion: 'neutral' });
    expect(read(verdict)).toContain(
      'Not compared: results for 10 of 20 cases\n80% are needed. Missing: 10 judge errors.',
    );
  });

  /** The same trials with a metric that works, and one that works in the first so many cases. */
  const measuredBy = (head: ReturnType<typeof cases>, works: number) =>
    head.map((trial) => {
      const isDead = Number(trial.caseName.slice('case-'.length)) > works;
      return {
        ...trial,
        metrics: [
          { name: 'relevance', error: null },
          { name: 'fluency', error: isDead ? '503 down' : null },
        ],
      };
    });

  it.each(['statistics', 'alert', 'either'] as const)(
    'S0-37 a metric that was measured nowhere is never accepted, though every test run passed (decide_by: %s)',
    (decide_by) => {
      const strict = { settings: settings({ decide_by }, { onError: 'allow' }) };
      const base = cases(20, 'pass', 20);
      const verdict = decide({ base, head: measuredBy(cases(20, 'pass', 3), 0), ...strict });
      expect(verdict).toMatchObject({
        ...{ word: 'insufficient', reason: 'not_measured', conclusion: 'neutral' },
        unmeasured: [{ metric: 'fluency', measured: 0, wanted: 60, reason: '503 down', isEnough: false }],
      });
      expect(read(verdict)).toMatchInlineSnapshot(`
        "No verdict: 1 of 2 metrics not measured
        Too little was measured by \`fluency\`: 80% of the cases are needed. What was measured says: No regression beyond 10 points. 100% → 100%; the 95% interval −6.0 to +1.0 points rules out a drop of 10 points.
        The metric \`fluency\` was not measured in any of 60 test runs: \`503 down\`.
        Worst case, with all that was not measured counted as failed: 0%."
      `);
      const alone = settings({ decide_by }, { onError: 'allow', withoutBase: 'cases' });
      const first = decide({ base: null, head: measuredBy(cases(20, 'pass', 3), 0), settings: alone });
      expect(first).toMatchObject({
        ...{ word: 'no-baseline', conclusion: 'neutral' },
        title: 'No baseline yet: 20/20 passed, 1 of 2 metrics not measured',
      });
    },
  );

  it('S0-37 a metric that was measured in as many cases as the gate demands is told and changes nothing', () => {
    const input = { base: cases(20, 'pass', 20), head: measuredBy(cases(20, 'pass', 3), 16) };
    const verdict = decide(input);
    expect(verdict).toMatchObject({ word: 'unchanged', conclusion: 'success' });
    expect(read(verdict)).toContain('The metric `fluency` was measured in 48 of 60 test runs only: `503 down`.');
    const demanding = decide({ ...input, settings: settings({ min_coverage_percent: 81 }) });
    expect(demanding).toMatchObject({ word: 'insufficient', reason: 'not_measured', conclusion: 'neutral' });
    expect(demanding.title).toBe('No verdict: 1 of 2 metrics not measured enough');
    expect(
      decide({ ...input, settings: settings({ min_coverage_percent: 81, fail_on: ['insufficient'] }) }),
    ).toMatchObject({ conclusion: 'failure' });
  });

  it('S0-37 a regression stays one where a metric is dead', () => {
    const head = measuredBy([...cases(19, 'pass', 3), ...trials('case-20', 'fail', 3)], 0);
    const verdict = decide({ base: cases(20, 'pass', 21), head });
    expect(verdict).toMatchObject({ word: 'regressed', conclusion: 'failure' });
    expect(read(verdict)).toContain('The metric `fluency` was not measured in any of 60 test runs');
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
