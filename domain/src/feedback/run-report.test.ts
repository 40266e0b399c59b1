import { expect, test } from 'vitest';
import { aggregateCheck } from './check-output.ts';
import { commentBody } from './comment.ts';
import { wantedComment } from './comment-update.ts';
import { mergeReports } from './merge-reports.ts';
import { runConclusion, runOutcome } from './outcome.ts';
import { invalidHeadline, noSuiteFound, type ReportedProblem } from './run-report.ts';
import { good, sampleCell, sampleRunReport, sampleSuiteReport } from './sample-run-report.fixture.ts';

const problem = (line: number, more: Partial<ReportedProblem> = {}): ReportedProblem => ({
  file: 'evals/support.suite.yaml',
  line,
  message: 'Unknown key "casse" (at casse); hint: cases',
  ...more,
});
const run = sampleRunReport([], { baseSha: null, baseLabel: null, invalid: [problem(6), problem(9)] });

test('the check of a commit whose definitions cannot be run is a failure with the problems on their lines', () => {
  const check = aggregateCheck(run);
  expect([check.conclusion, check.title]).toEqual(['failure', 'Invalid definition: 2 problems']);
  expect(check.annotations).toEqual([
    {
      path: 'evals/support.suite.yaml',
      line: 6,
      level: 'failure',
      title: 'Invalid definition',
      message: 'Unknown key "casse" (at casse); hint: cases',
    },
    expect.objectContaining({ line: 9 }),
  ]);
  expect(runOutcome(run)).toBe('invalid');
});

test('the comment says what to repair, with a link to each line, and shows no numbers', () => {
  expect(
    commentBody(sampleRunReport([], { ...run, invalid: [problem(6, { message: 'missing' })] }), 'pr'),
  ).toMatchInlineSnapshot(`
    "<!-- proofmark:v1 key=pr -->
    ### Proofmark: Invalid definition: 1 problem
    \`1edbf6a\`

    Nothing was run.

    - [<code>evals&#47;support&#46;suite&#46;yaml&#58;6</code>](https://github.example.com/o/r/blob/1edbf6a/evals/support.suite.yaml#L6) <code>missing</code>

    No test run · [full report](https://proofmark.example.com/runs/run-1)"
  `);
  expect(wantedComment(run, 'pr', 'regressions')?.createsComment).toBe(true);
});

test('that nothing was found to run is said in these words', () => {
  expect(invalidHeadline([{ file: '', line: 1, message: noSuiteFound }])).toBe('No suite matches the patterns');
});

test('of two jobs of a commit the one whose definitions are broken decides', () => {
  const fine = sampleRunReport([sampleSuiteReport('Support agent', sampleCell(good, good))]);
  const both = mergeReports([
    { job: 'one', report: fine },
    { job: 'two', report: run },
  ]);
  expect(runConclusion(both)).toBe('failure');
  expect(commentBody(both, 'pr')).toContain('Support agent');
});

test('what a file says cannot become markup', () => {
  const body = commentBody(
    sampleRunReport([], { ...run, invalid: [problem(1, { message: '<img src=x> @team' })] }),
    'pr',
  );
  expect(body).not.toContain('<img');
  expect(body).not.toContain('@team');
});
