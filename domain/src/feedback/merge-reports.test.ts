import { describe, expect, it } from 'vitest';
import { commentBody, summaryMarkdown } from './comment.ts';
import { mergeReports } from './merge-reports.ts';
import { type RunReport, unaffectedSuite } from './run-report.ts';
import { broken, good, sampleCell, sampleRunReport, sampleSuiteReport } from './sample-run-report.fixture.ts';

const page = (id: string) => ({ detailsUrl: `https://proofmark.example.com/runs/${id}` });
const desk = sampleRunReport([sampleSuiteReport('Desk', sampleCell(good, broken))], page('1'));
const garden = (rest: Partial<RunReport> = {}): RunReport =>
  sampleRunReport([sampleSuiteReport('Garden', sampleCell(good, good))], { ...page('2'), ...rest });
const together = (first: RunReport, second: RunReport): RunReport =>
  mergeReports([
    { job: 'first', report: first },
    { job: 'second', report: second },
  ]);
const namesOf = ({ suites }: RunReport) => suites.map(({ suiteName }) => suiteName);

describe('what two jobs of a commit have found', () => {
  it('stands in one comment, each suite with the page of its job', () => {
    const body = commentBody(together(desk, garden({ durationMs: 9_000, costUsd: null })), 'pr');
    const [, heading, commits, , , , ...rows] = body.split('\n');
    expect([heading, commits, ...rows.slice(0, 2)].join('\n')).toMatchInlineSnapshot(`
      "### Proofmark: 1 of 2 suites regressed
      \`1edbf6a\` against \`37da56c\` (merge base)
      | [<code>Desk</code>](https://proofmark.example.com/runs/1) | 100% | 66.7% | −33.3 | **regressed** |
      | [<code>Garden</code>](https://proofmark.example.com/runs/2) | 100% | 100% | 0.0 (−17.6 to 17.6) | inconclusive |"
    `);
    expect(body).toContain(
      '36 test runs in 9.0s, $0.42 · full reports: [<code>first</code>](https://proofmark.example.com/runs/1), [<code>second</code>](https://proofmark.example.com/runs/2)',
    );
  });

  it('is what the only one has found where there is one', () => {
    expect(mergeReports([{ job: 'first', report: desk }])).toBe(desk);
  });

  it('names the job of a suite that both have run, and leaves out that one had no reason to', () => {
    expect(namesOf(together(desk, desk))).toEqual(['Desk (first)', 'Desk (second)']);
    const idle = { ...desk, suites: [unaffectedSuite('Desk', '')] };
    expect(namesOf(together(desk, idle))).toEqual(['Desk']);
    expect(namesOf(together(idle, idle))).toEqual(['Desk']);
    expect(together(idle, desk).suites[0]?.cells[0]?.outcome).toBe('regressed');
  });

  it('does not call a suite removed that another job runs', () => {
    const removedSuites = ['Garden', 'Billing'].map((suiteName) => ({ suiteName, last: null }));
    const report = together({ ...desk, removedSuites }, garden({ removedSuites }));
    expect(report.removedSuites).toEqual([{ suiteName: 'Billing', last: null }]);
  });

  it('says when they were compared with different commits', () => {
    const lineOf = (run: RunReport) => commentBody(run, 'pr').split('\n')[2];
    const older = garden({ baseSha: 'c'.repeat(40), baseLabel: '3 commits older' });
    expect(lineOf(together(desk, older))).toBe(
      '`1edbf6a` against `37da56c` (merge base; some suites have another base)',
    );
    expect(lineOf(together(garden({ baseSha: null, baseLabel: null }), desk))).toBe(
      '`1edbf6a` against `37da56c` (merge base)',
    );
  });
});

it('a regression of a job that has no result yet stands below the commits, whatever the job is called', () => {
  const openRegressions = [{ job: 'desk|[x](y)', headSha: 'f'.repeat(40) }];
  const run = garden({ openRegressions });
  expect(summaryMarkdown(run).split('\n').slice(0, 4).join('\n')).toMatchInlineSnapshot(`
    "### Proofmark: Not enough evidence
    \`1edbf6a\` against \`37da56c\` (merge base)

    <code>desk&#124;&#91;x&#93;&#40;y&#41;</code> found a regression on \`fffffff\` and has no result for this commit yet."
  `);
  expect(commentBody(run, 'pr')).toContain('<!-- shows regression -->');
});
