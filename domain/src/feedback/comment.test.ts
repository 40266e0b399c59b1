import { describe, expect, it } from 'vitest';
import { comparabilityKey, withParts } from '../plan/comparability-key.ts';
import { decideVerdict, type Trial } from '../verdict/decide-verdict.ts';
import { settings } from '../verdict/sample-trials.fixture.ts';
import { aggregateCheck, plainSummary, suiteCheck } from './check-output.ts';
import { commentBody } from './comment.ts';
import { shouldCreateComment } from './comment-update.ts';
import type { RemovedSuite } from './run-report.ts';
import {
  broken,
  sampleCell as cell,
  good,
  sampleRunReport as run,
  sampleSuiteReport as suite,
} from './sample-run-report.fixture.ts';

describe('what was not compared', () => {
  const key = (name: string, judge: string) => comparabilityKey(name, withParts(judge, { judge, mock: 'none' }), '{}');
  const trials = (judge: string, names: readonly string[]): Trial[] =>
    names.flatMap((caseName) =>
      [1, 2, 3].map((repetition) => ({
        ...{ caseName, repetition, status: 'passed' as const, errorKind: null, comparabilityKey: key(caseName, judge) },
      })),
    );
  const bodyOf = (base: Trial[], head: Trial[]) => {
    const verdict = decideVerdict({ base, head, settings: settings() });
    return commentBody(run([suite('Support agent', cell(good, good, { verdict }))]), 'pr');
  };

  it('is named case by case with the part that changed, new and removed cases apart', () => {
    const body = bodyOf(trials('gpt-4o', ['a', 'b', 'c', 'd', 'Hours', 'Gone']), [
      ...trials('gpt-4o', ['a', 'b', 'c', 'd']),
      ...trials('other', ['Hours']),
      ...trials('gpt-4o', ['Fresh']),
    ]);
    expect(body).toContain(
      '<details><summary>Not compared: 1 new, 1 removed (it passed on the base), 1 changed</summary>',
    );
    for (const line of [
      'New:\n\n- <code>Fresh</code>',
      'Removed:\n\n- <code>Gone</code> 3/3 on the base',
      '- <code>Hours</code> the judge',
    ]) {
      expect(body.split(line)).toHaveLength(2);
    }
    expect(body.split('Fresh')).toHaveLength(2);
  });

  it('says of removed cases and suites whether they failed on the base', () => {
    const last = (failed: readonly string[]) =>
      new Map(['Gone', 'Lost'].map((name) => [name, trials('gpt-4o', [name]).map((one) => ended(one, failed))]));
    const ended = (one: Trial, failed: readonly string[]): Trial =>
      failed.includes(one.caseName) ? { ...one, status: 'failed' } : one;
    const same = trials('gpt-4o', ['a', 'b']);
    const titleOf = (removed: Map<string, Trial[]>, removedSuites: readonly RemovedSuite[] = []) => {
      const verdict = decideVerdict({ base: same, head: same, settings: settings(), removed });
      const body = commentBody(run([suite('Support agent', cell(good, good, { verdict }))], { removedSuites }), 'pr');
      return /<summary>(Not compared.*)<\/summary>/.exec(body)?.[1];
    };
    expect(titleOf(last([]))).toBe('Not compared: 2 removed (all passed on the base)');
    expect(titleOf(last(['Gone']))).toBe('Not compared: 2 removed (1 failed on the base)');
    expect(titleOf(last(['Gone', 'Lost']))).toBe('Not compared: 2 removed (all failed on the base)');
    expect(titleOf(new Map([['Gone', []]]))).toBe('Not compared: 1 removed');
    const garden = { suiteName: 'Garden', last: { passed: 2, total: 3 } };
    expect(titleOf(new Map(), [garden])).toBe('Not compared: 1 removed suite (it failed on the base)');
    expect(titleOf(new Map())).toBeUndefined();
  });

  it('is listed as well when nothing at all can be compared', () => {
    const body = bodyOf(trials('gpt-4o', ['a', 'b']), trials('other', ['a', 'b']));
    expect(body).toContain('No baseline: the measuring setup changed');
    expect(body).toContain('The judge changed and the base cannot be executed.');
    expect(body).toContain('<summary>Not compared: 2 changed</summary>');
  });
});

describe('the comment', () => {
  it('D-12: names the suite, the change and the cases that broke', () => {
    const body = commentBody(run([suite('Support agent', cell(good, broken))]), 'pr');
    expect(body).toMatchInlineSnapshot(`
      "<!-- proofmark:v1 key=pr -->
      ### Proofmark: Regressed: pass rate 100% → 66.7% (−33.3 points)
      \`1edbf6a\` against \`37da56c\` (merge base)

      | Suite | Base | Head | Change (points, 95% interval) | Verdict |
      |---|--:|--:|--:|---|
      | [<code>Support agent</code>](https://proofmark.example.com/runs/run-1) | 100% | 66.7% | −33.3 | **regressed** |

      6 cases, 3 repetitions each, against 3 on the base. Without a real change a drop this large shows up in 0.1% of comparisons (mid-p 0.001).

      | Broken case (2) | Base | Head | By chance | What failed |
      |---|--:|--:|--:|---|
      | [<code>Hours</code>](https://github.example.com/o/r/blob/1edbf6a/evals/support-agent.suite.yaml#L14) | 3/3 | 0/3 | 5% | <code>contains&#95;phrases&#58; &#34;17&#34; missing</code> |
      | [<code>Refund</code>](https://github.example.com/o/r/blob/1edbf6a/evals/support-agent.suite.yaml#L15) | 3/3 | 0/3 | 5% | <code>contains&#95;phrases&#58; &#34;17&#34; missing</code> |

      <details><summary><code>Hours</code>: base and head answers</summary>

      Base:

      \`\`\`text
      Monday to Friday, 9 to 17.
      \`\`\`

      Head:

      \`\`\`text
      We are open whenever.
      \`\`\`

      </details>

      <details><summary><code>Refund</code>: base and head answers</summary>

      Base:

      \`\`\`text
      Monday to Friday, 9 to 17.
      \`\`\`

      Head:

      \`\`\`text
      We are open whenever.
      \`\`\`

      </details>

      To see it again on your machine:

      \`\`\`sh
      npx proofmark run evals/support-agent.suite.yaml --case Hours --compare 37da56c00000
      \`\`\`

      18 test runs in 4.2s, $0.42 · [full report](https://proofmark.example.com/runs/run-1)

      <!-- shows regression -->"
    `);
  });

  it('shows how to see again what is worse as a whole, in its cell, and nothing where nothing is worse', () => {
    const head = Object.fromEntries(Object.keys(good).map((name) => [name, 2]));
    const { verdict } = cell(good, good);
    if (verdict === null) throw new Error('a compared cell has a verdict');
    const worse = cell(good, head, {
      cellKey: 'Temperature=0',
      outcome: 'regressed',
      verdict: { ...verdict, flagged: [] },
    });
    const body = commentBody(run([suite('Garden', cell(good, good)), suite('Support desk', worse)]), 'pr');
    expect(body).toContain(
      'npx proofmark run evals/support-desk.suite.yaml --var Temperature=0 --compare 37da56c00000\n',
    );
    expect(commentBody(run([suite('Garden', cell(good, good))]), 'pr')).not.toContain('To see it again');
  });

  it('says which definitions are not those of the commit', () => {
    const bodyWith = (unverified: string[]) =>
      commentBody({ ...run([suite('Support agent', cell(good, broken))]), unverified }, 'pr');
    expect(bodyWith(['a.suite.yaml'])).toContain(
      '**Content not verified**: <code>a&#46;suite&#46;yaml</code> is not as committed in `1edbf6a`. No later run is compared with this one.',
    );
    expect(bodyWith([])).toContain('**Content not verified**: the files of `1edbf6a` could not be read.');
  });

  it('has one row per matrix cell, the worst first', () => {
    const first = cell(good, good, { cellKey: 'AIConfiguration=gpt-4o,Temperature=0' });
    const second = cell(good, broken, { cellKey: 'AIConfiguration=small,Temperature=0' });
    const body = commentBody(run([suite('Support agent', first, second)]), 'pr');
    const rows = body.split('\n').filter((line) => line.includes('AIConfiguration&#61;') && line.endsWith('| n/a |'));
    expect(rows.map((row) => row.includes('small'))).toEqual([true, false]);
    expect(body).toContain('Matrix: 2 cells, 1 failing');
  });

  it('stays below GitHub’s size and keeps marker, headline, commits and link', () => {
    const flood = '\u2713`'.repeat(20_000);
    const names = Array.from({ length: 400 }, (_, index) => `case ${index} ${'x'.repeat(150)}`);
    const many = (passed: number) => Object.fromEntries(names.map((name) => [name, passed]));
    const floods = cell(many(3), many(0));
    const flooded = { ...floods, cases: floods.cases.map((one) => ({ ...one, headAnswer: flood })) };
    const suites = Array.from({ length: 40 }, (_, index) => suite(`Suite ${index}`, flooded));
    const body = commentBody(run(suites), 'pr');
    expect(body.length).toBeLessThanOrEqual(60_000);
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(250_000);
    expect(body).toMatch(/^<!-- proofmark:v1 key=pr -->\n### Proofmark: 40 of 40 suites regressed\n`1edbf6a`/);
    expect(body).toContain('[full report](https://proofmark.example.com/runs/run-1)');
  });

  it('O3, O4: hostile names and answers stay text', () => {
    const name = '`]|<!-- proofmark:v1 key=pr --> @team fixes #1\n::error::x';
    const hostile = cell({ [name]: 3 }, { [name]: 0 });
    const answer = '```\n</details> @team <script>alert(1)</script> ::error::x';
    const attacked = { ...hostile, cases: hostile.cases.map((one) => ({ ...one, headAnswer: answer })) };
    const body = commentBody(run([suite('S | `x`', attacked)]), 'pr');
    const outsideFences = body.replaceAll(/^(`{3,})text\n[\s\S]*?\n\1$/gm, '');
    expect(outsideFences.match(/<!-- proofmark/g)).toHaveLength(1);
    expect(outsideFences).not.toMatch(/@team|fixes #1|<script|^::error/m);
  });
});

describe('check runs', () => {
  it('D-13: the suite check fails with an annotation on the line of each broken case', () => {
    const report = run([suite('Support agent', cell(good, broken))]);
    const [only] = report.suites;
    if (only === undefined) throw new Error('no suite');
    const output = suiteCheck(report, only);
    expect(output).toMatchObject({ conclusion: 'failure', title: 'Regressed: pass rate 100% → 66.7% (−33.3 points)' });
    expect(output.annotations).toEqual([
      {
        path: 'evals/support-agent.suite.yaml',
        line: 14,
        level: 'failure',
        title: 'Hours broke',
        message: 'contains_phrases: "17" missing',
      },
      {
        path: 'evals/support-agent.suite.yaml',
        line: 15,
        level: 'failure',
        title: 'Refund broke',
        message: 'contains_phrases: "17" missing',
      },
    ]);
  });

  it('the aggregate takes the worst suite; one still running keeps it open', () => {
    const running = cell(good, good, { outcome: 'running', conclusion: null, verdict: null, done: 4, total: 18 });
    expect(aggregateCheck(run([suite('A', cell(good, broken)), suite('B', cell(good, good))]))).toMatchObject({
      conclusion: 'failure',
      title: '1 of 2 suites regressed',
    });
    expect(aggregateCheck(run([suite('A', cell(good, broken)), suite('B', running)]))).toMatchObject({
      conclusion: null,
      title: '22/36 test runs, 1 of 2 suites done',
    });
  });

  it('a run that affects no suite is neutral, never green', () => {
    const untouched = cell(good, good, { outcome: 'unaffected', conclusion: 'skipped', verdict: null });
    expect(aggregateCheck(run([suite('A', untouched)]))).toMatchObject({
      conclusion: 'neutral',
      title: 'No suite is affected by this change',
    });
  });

  it('a terminal reads the same words without markup', () => {
    expect(plainSummary(run([suite('Support agent', cell(good, broken))]))).toMatchInlineSnapshot(`
      "Proofmark: Regressed: pass rate 100% → 66.7% (−33.3 points)
      Support agent: Regressed: pass rate 100% → 66.7% (−33.3 points)
        6 cases, 3 repetitions each, against 3 on the base. Without a real change a drop this large shows up in 0.1% of comparisons (mid-p 0.001).
        The alert rule fires, too; newly failing: \`Hours\`, \`Refund\`."
    `);
  });
});

it.each([
  ['regressions', false],
  ['changes', true],
  ['always', true],
  ['off', false],
] as const)('with `comment: %s` a change that only takes a suite away gets a comment: %s', (mode, expected) => {
  const report = run([suite('A', cell(good, good))], { removedSuites: [{ suiteName: 'B', last: null }] });
  expect(shouldCreateComment(report, mode)).toBe(expected);
});

it.each([
  ['regressions', broken, true],
  ['changes', broken, true],
  ['off', broken, false],
  ['regressions', good, false],
  ['always', good, true],
] as const)('with `comment: %s` a first comment is written only when asked for', (mode, head, expected) => {
  const base = Object.fromEntries(Object.entries(good).map(([name, passed]) => [name, passed]));
  const report = run([suite('A', cell(base, head))]);
  expect(shouldCreateComment(report, mode)).toBe(expected);
});
