import type { CaseComparison } from '@proofmark/contracts/verdict';
import { describe, expect, test } from 'vitest';
import {
  commentStep,
  commentsOfJobs,
  type FoundComment,
  ownComments,
  type WantedComment,
  wantedComment,
} from './comment-update.ts';
import type { RunReport } from './run-report.ts';
import { broken, good, sampleCell, sampleRunReport, sampleSuiteReport } from './sample-run-report.fixture.ts';

const bot = 'proofmark[bot]';
const ours = { id: 7, nodeId: 'IC_7', author: bot };
const worse = sampleRunReport([sampleSuiteReport('Support', sampleCell(good, broken))]);
const calm = sampleRunReport([sampleSuiteReport('Support', steady())], { headSha: `2${'0'.repeat(39)}` });
const later = { ...calm, headSha: `3${'0'.repeat(39)}` };

function steady() {
  const cell = sampleCell(good, good);
  return { ...cell, outcome: 'unchanged', conclusion: 'success' } as const;
}

const removedCase: CaseComparison = {
  ...{ caseName: 'Gone', base: { planned: 3, passed: 0, failed: 3, errored: 0, invalid: 0 }, head: null },
  ...{ notComparable: false, changedParts: [], quarantined: false, window: null },
  ...{ baseStatus: 'failed', headStatus: null, p: null, adjustedP: null },
};

const wanted = (run: RunReport): WantedComment => {
  const found = wantedComment(run, 'pr', 'changes');
  if (found === null) throw new Error('nothing is wanted');
  return found;
};

/** The body after a run was reported, starting from none. */
function bodyAfter(...runs: RunReport[]): string {
  let found: FoundComment | null = null;
  for (const run of runs) {
    const step = commentStep(found, wanted(run));
    if (step.do === 'create' || step.do === 'edit') found = { ...ours, body: step.body };
  }
  return found?.body ?? '';
}

describe('the one comment of a pull request', () => {
  test('is created for a regression, and an equal one is not sent again', () => {
    const step = commentStep(null, wanted(worse));
    expect(step.do).toBe('create');
    expect(commentStep({ ...ours, body: bodyAfter(worse) }, wanted(worse))).toEqual({ do: 'nothing' });
    const withCrLf = bodyAfter(worse).replaceAll('\n', '\r\n');
    expect(commentStep({ ...ours, body: withCrLf }, wanted(worse))).toEqual({ do: 'nothing' });
  });

  test('is not created for a run that says nothing new', () => {
    expect(commentStep(null, wanted(calm))).toEqual({ do: 'nothing' });
  });

  test('says after a shown regression that it is resolved, with the rest folded', () => {
    const body = bodyAfter(worse, calm);
    const lines = body.split('\n');
    expect(lines.slice(0, 3)).toEqual([
      '<!-- proofmark:v1 key=pr -->',
      '### Proofmark: Resolved in 2000000',
      '`2000000` against `37da56c` (merge base)',
    ]);
    expect(body.indexOf('<details>')).toBeLessThan(body.indexOf('| Suite |'));
    expect(body.indexOf('| Suite |')).toBeLessThan(body.indexOf('</details>'));
    expect(body).not.toContain('shows regression');
  });

  test('says nothing of the kind where a case or a suite was taken away', () => {
    const cell = steady();
    const verdict = cell.verdict && { ...cell.verdict, cases: [...cell.verdict.cases, removedCase] };
    const smaller = { ...calm, suites: [sampleSuiteReport('Support', { ...cell, verdict })] };
    expect(bodyAfter(worse, smaller)).toBe(wanted(smaller).body);
    const without = { ...calm, removedSuites: [{ suiteName: 'Billing', last: null }] };
    expect(bodyAfter(worse, without)).toBe(wanted(without).body);
  });

  test('stays resolved when the same run is reported again, and is an ordinary one after the next commit', () => {
    expect(bodyAfter(worse, calm, calm)).toBe(bodyAfter(worse, calm));
    expect(bodyAfter(worse, calm, later)).toBe(wanted(later).body);
    expect(bodyAfter(worse, calm, worse)).toBe(wanted(worse).body);
  });

  test('an answer that looks like the mark of a regression is none', () => {
    const { body } = wanted(calm);
    const forged = { ...ours, body: body.replace('\n\n', '\n\n<!-- shows regression -->\n\n') };
    expect(commentStep(forged, wanted(later))).toEqual({ do: 'edit', id: 7, body: wanted(later).body });
  });

  test('is left alone by a run that still runs or was given up', () => {
    const open = { ...steady(), outcome: 'running', conclusion: null } as const;
    const stopped = { ...steady(), outcome: 'cancelled', conclusion: 'cancelled' } as const;
    for (const cell of [open, stopped]) {
      expect(wantedComment(sampleRunReport([sampleSuiteReport('Support', cell)]), 'pr', 'always')).toBeNull();
    }
  });
});

test('with comment: off nothing is written, and one from before is folded away', () => {
  const off = wantedComment(worse, 'pr', 'off');
  expect(off && commentStep(null, off)).toEqual({ do: 'nothing' });
  expect(off && commentStep({ ...ours, body: bodyAfter(worse) }, off)).toEqual({ do: 'hide', nodeId: 'IC_7' });
});

test('ours is the oldest by author and first line; younger ones and those of jobs are told apart', () => {
  const body = '<!-- proofmark:v1 key=pr -->\n### Proofmark: x';
  const comment = (id: number, author: string | null, text: string) => ({ id, nodeId: `IC_${id}`, author, body: text });
  const all = [
    comment(9, bot, body),
    comment(3, 'mallory', body),
    comment(5, bot, `${body}\r\nlater`),
    comment(4, bot, '<!-- proofmark:v1 key=nightly -->\n'),
    comment(2, bot, `Quoted:\n${body}`),
    comment(1, null, body),
    comment(6, 'github-actions[bot]', body),
  ];
  expect(ownComments(all, { key: 'pr', author: bot })).toEqual({ oldest: all[2], younger: [all[0]] });
  expect(ownComments([], { key: 'pr', author: bot })).toEqual({ oldest: null, younger: [] });
  expect(commentsOfJobs(all, 'pr')).toEqual([all[6]]);
});
