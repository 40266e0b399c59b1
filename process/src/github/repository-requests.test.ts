import { expect, test } from 'vitest';
import { type Ask, compareCommits, hideComment, listChecks, listComments } from './repository-requests.ts';

test.for([
  [false, ['query IC_7', 'mutation IC_7']],
  [true, ['query IC_7']],
] as const)('a comment is folded away once (is folded: %s)', async ([isMinimized, expected]) => {
  const asked: string[] = [];
  await hideComment((query, { id }) => {
    asked.push(`${query.split(' ', 1)[0]} ${String(id)}`);
    return Promise.resolve({ node: { isMinimized } });
  }, 'IC_7');
  expect(asked).toEqual(expected);
});

const check = (id: number) => ({
  ...{ id, external_id: `e${id}`, status: id % 2 === 0 ? 'completed' : 'in_progress', conclusion: null },
  output: { title: 'Title', summary: null, annotations_count: 2 },
});

test('a list is read page by page until one is not full, and checks stand newest first', async () => {
  const pages: unknown[] = [];
  const read: Ask = (route, parameters) => {
    pages.push({ route, ...parameters });
    const length = pages.length === 1 ? 100 : 3;
    return Promise.resolve({ check_runs: Array.from({ length }, (_, index) => check(pages.length * 1_000 + index)) });
  };
  const found = await listChecks(read, { headSha: 'abc', name: 'Proofmark', appId: 7 });
  expect(found).toHaveLength(103);
  expect(found[0]).toEqual({
    ...{ id: 2_002, externalId: 'e2002', isCompleted: true, conclusion: null },
    ...{ title: 'Title', summary: null, text: null, annotationsCount: 2 },
  });
  const route = 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs';
  const asked = { route, ref: 'abc', check_name: 'Proofmark', app_id: 7, filter: 'all', per_page: 100 };
  expect(pages).toEqual([
    { ...asked, page: 1 },
    { ...asked, page: 2 },
  ]);
});

test('a comment of a deleted account has no author, and an empty one no text', async () => {
  const read: Ask = () => Promise.resolve([{ id: 1, node_id: 'IC_1', user: null }]);
  expect(await listComments(read, 5)).toEqual([{ id: 1, nodeId: 'IC_1', author: null, body: '' }]);
});

test('a renamed file counts with both of its names, and a full list is not all of it', async () => {
  const renamed = { filename: 'new.md', previous_filename: 'old.md' };
  const answer = (files: unknown) => () => Promise.resolve({ merge_base_commit: { sha: 'm' }, files });
  expect(await compareCommits(answer([renamed]), 'a', 'b')).toEqual({
    mergeBaseSha: 'm',
    change: { paths: ['new.md', 'old.md'], isComplete: true },
  });
  const full = await compareCommits(answer(Array.from({ length: 300 }, () => ({ filename: 'x' }))), 'a', 'b');
  expect(full.change.isComplete).toBe(false);
});
