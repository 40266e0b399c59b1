import { execFile } from 'node:child_process';
import { expect, test } from 'vitest';
import { judgedRuns, push, sha } from '../judging/judged-runs.fixture.ts';
import { newRepository, openStory, suiteFile } from '../story.fixture.ts';

const { ledger, tenant } = await openStory();
await newRepository(ledger, tenant, '5');
const path = 'a.suite.yaml';
const text = suiteFile({ name: 'Verified' });

/** By git itself: what it calls the content. */
function gitSha(content: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const git = execFile('git', ['hash-object', '--stdin'], (error, stdout) =>
      error === null ? resolve(stdout.trim()) : reject(error),
    );
    git.stdin?.end(content);
  });
}

async function runOfBase(committed: Record<string, string> | null, letter: string, sent = text) {
  const shas = new Map<string, string>();
  for (const [name, content] of Object.entries(committed ?? {})) shas.set(name, await gitSha(content));
  const files = {
    paths: new Set(shas.keys()),
    size: () => 0,
    blobSha: (name: string) => shas.get(name) ?? null,
    read: () => Promise.reject(new Error('nothing has to be read')),
  };
  const runs = judgedRuns(ledger, tenant, {
    mergeBase: async () => null,
    ancestors: async () => null,
    committed: async () => (committed === null ? null : files),
  });
  const runId = await runs.start({ trigger: { ...push, headSha: sha(letter) }, text: sent });
  const rows = await ledger.query<{ isBase: boolean; unverified: string[] | null }>(
    'select is_base as "isBase", unverified from runs where id = $1',
    [runId],
  );
  return rows[0];
}

test('what stands at the commit is a base, also after a checkout with other line ends', async () => {
  const committed = { [path]: text, 'another.yaml': 'x: 1' };
  expect(await runOfBase(committed, 'a')).toEqual({ isBase: true, unverified: null });
  expect(await runOfBase(committed, 'b', text.replaceAll('\n', '\r\n'))).toEqual({ isBase: true, unverified: null });
});

test.for([
  ['is another one at the commit', { [path]: `${text}# more\n` }, [path]],
  ['is not at the commit', { 'another.yaml': text }, [path]],
  ['nobody could read', null, []],
] as const)('what %s is marked, and no later run is compared with it', async ([_what, committed, unverified]) => {
  expect(await runOfBase(committed, 'c')).toEqual({ isBase: false, unverified });
});
