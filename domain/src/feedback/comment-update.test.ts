import { describe, expect, test } from 'vitest';
import { commentStep, type FoundComment, ownComments, type WantedComment, wantedComment } from './comment-update.ts';
import type { RunReport } from './run-report.ts';
import { broken, good, sampleCell, sampleRunReport, sampleSuiteReport } from './sample-run-report.ts';

const bot = 'proofmark[bot]';
const worse = sampleRunReport([sampleSuiteReport('Support', sampleCell(good, broken))]);
const calm = sampleRunReport([sampleSuiteReport('Support', steady())], { headSha: `2${'0'.repeat(39)}` });
const later = { ...calm, headSha: `3${'0'.repeat(39)}` };

function steady() {
  const cell = sampleCell(good, good);
  return { ...cell, outcome: 'unchanged', conclusion: 'success' } as const;
}

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
    if (step.do !== 'nothing') found = { id: 7, author: bot, body: step.body };
  }
  return found?.body ?? '';
}

describe('the one comment of a pull request', () => {
  test('is created for a regression, and an equal one is not sent again', () => {
    const step = commentStep(null, wanted(worse));
    expect(step.do).toBe('create');
    expect(commentStep({ id: 7, author: bot, body: bodyAfter(worse) }, wanted(worse))).toEqual({ do: 'nothing' });
    const withCrLf = bodyAfter(worse).replaceAll('\n', '\r\n');
    expect(commentStep({ id: 7, author: bot, body: withCrLf }, wanted(worse))).toEqual({ do: 'nothing' });
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

  test('stays resolved when the same run is reported again, and is an ordinary one after the next commit', () => {
    expect(bodyAfter(worse, calm, calm)).toBe(bodyAfter(worse, calm));
    expect(bodyAfter(worse, calm, later)).toBe(wanted(later).body);
    expect(bodyAfter(worse, calm, worse)).toBe(wanted(worse).body);
  });

  test('an answer that looks like the mark of a regression is none', () => {
    const { body } = wanted(calm);
    const forged = { id: 7, author: bot, body: body.replace('\n\n', '\n\n<!-- shows regression -->\n\n') };
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

test('ours is the oldest by author and first line; younger ones are named to be removed', () => {
  const body = '<!-- proofmark:v1 key=pr -->\n### Proofmark: x';
  const all = [
    { id: 9, author: bot, body },
    { id: 3, author: 'mallory', body },
    { id: 5, author: bot, body: `${body}\r\nlater` },
    { id: 4, author: bot, body: '<!-- proofmark:v1 key=nightly -->\n' },
    { id: 2, author: bot, body: `Quoted:\n${body}` },
    { id: 1, author: null, body },
  ];
  expect(ownComments(all, { key: 'pr', author: bot })).toEqual({ oldest: all[2], younger: [all[0]] });
  expect(ownComments([], { key: 'pr', author: bot })).toEqual({ oldest: null, younger: [] });
});
