import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { shopFiles, worsenedPrompt } from '../demo/shop.ts';
import { asUser } from '../stack/github/as-user.ts';
import { openPullRequest } from '../stack/github/pull-request.ts';
import { createRepository, pushCommit } from '../stack/github/repository.ts';
import { openShopWorld, type Shop, type ShopWorld, sureSuite } from './shop-world.ts';

let world: ShopWorld;

beforeAll(async () => {
  world = await openShopWorld({ withCoordinator: true });
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

const agentPath = 'agents/support.agent.yaml';
let repositories = 0;

async function newShop(): Promise<{ repository: string; push: (files: Record<string, string>) => Promise<string> }> {
  repositories += 1;
  const files = { ...(await shopFiles()), ...(await sureSuite()) };
  const { full_name: repository } = await createRepository(world.github, { name: `ladder-${repositories}`, files });
  const push = (changed: Record<string, string>) =>
    pushCommit(world.github, { repository, branch: 'main', files: changed });
  return { repository, push };
}

/** Runs the suites of a commit of main, so that others can be compared with it. */
async function record(repository: string, sha: string): Promise<void> {
  const result = await world.job(repository, sha, { name: 'push', branch: 'main' });
  expect(result.outputs['run-id'], result.log).not.toBe('');
}

/** A pull request that leaves main where it is now, with the verdict of its job. */
async function propose(repository: string, baseSha: string, inputs: Record<string, string> = {}) {
  const headSha = await pushCommit(world.github, {
    repository,
    branch: 'change',
    from: baseSha,
    files: await worsenedPrompt(),
  });
  const { number } = await openPullRequest(world.github, { repository, head: 'change' });
  const shop: Shop = { repository, pullRequest: number, baseSha, headSha };
  const result = await world.gate(shop, { inputs });
  return { shop, result };
}

const note = (text: string) => ({ 'NOTES.md': text });

test('3.8 rung 3: the nearest first-parent ancestor with a run is the base, however many commits a merge brought', async () => {
  const { repository, push } = await newShop();
  const first = await push(note('first'));
  await record(repository, first);
  const side = await pushCommit(world.github, { repository, branch: 'side', from: first, files: note('side') });
  const sideToo = await pushCommit(world.github, { repository, branch: 'side', files: note('side, too') });
  expect(side).not.toBe(sideToo);
  const git = `/repos/${repository}/git`;
  const Commit = z.looseObject({ sha: z.string(), tree: z.looseObject({ sha: z.string() }) });
  const { tree } = Commit.parse(await asUser(world.github, { path: `${git}/commits/${sideToo}` }));
  const body = { message: 'Merge side', tree: tree.sha, parents: [first, sideToo] };
  const merge = Commit.parse(await asUser(world.github, { method: 'POST', path: `${git}/commits`, body }));
  await asUser(world.github, { method: 'PATCH', path: `${git}/refs/heads/main`, body: { sha: merge.sha } });
  // Another agent than the recorded one, or the run of that would be as good as one of the merge base.
  const tip = await push({ [agentPath]: `${(await shopFiles())[agentPath]}  Be kind.\n` });
  const { shop, result } = await propose(repository, tip);
  expect(result.outputs, result.log).toMatchObject({ verdict: 'regressed', conclusion: 'failure' });
  const [comment] = await world.commentsLike(shop, /Regressed/);
  // The merge and the commit after it; the two commits of the side branch do not count.
  expect(comment?.body).toContain(`against \`${first.slice(0, 7)}\` (2 commits older)`);
});

test('3.8 rung 2: a run of the agent that stands at the merge base counts before a nearer one of another agent', async () => {
  const { repository, push } = await newShop();
  const agent = (await shopFiles())[agentPath] ?? '';
  const original = await push(note('as it was'));
  await record(repository, original);
  await record(repository, await push({ [agentPath]: `${agent}  Be kind.\n` }));
  const reverted = await push({ [agentPath]: agent });
  const { shop, result } = await propose(repository, reverted);
  expect(result.outputs, result.log).toMatchObject({ verdict: 'regressed' });
  const [comment] = await world.commentsLike(shop, /Regressed/);
  expect(comment?.body).toContain(`against \`${original.slice(0, 7)}\` (equal agent)`);
});

test('3.8 rung 5: without any base there is no baseline, and with `baseline: run` the merge base runs beside the head', async () => {
  const { repository, push } = await newShop();
  const tip = await push(note('never run'));
  const { shop, result } = await propose(repository, tip);
  expect(result.outputs, result.log).toMatchObject({ verdict: 'no-baseline', conclusion: 'neutral' });
  const again = await world.gate(shop, { inputs: { baseline: 'run' }, attempt: 2 });
  expect(again.outputs, again.log).toMatchObject({ verdict: 'regressed', conclusion: 'failure' });
  const [comment, ...others] = await world.commentsLike(shop, /Regressed/);
  expect(others).toEqual([]);
  expect(comment?.body).toContain(`against \`${tip.slice(0, 7)}\` (merge base)`);
});
