import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shopFiles, worsenedPrompt } from '../demo/shop.ts';
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

/** A prompt that is edited and no worse. */
async function kinderPrompt(): Promise<Record<string, string>> {
  return { [agentPath]: `${(await shopFiles())[agentPath]}  Be kind.\n` };
}

/** What the model was asked while this happened. */
async function callsDuring(work: () => Promise<void>): Promise<number> {
  const before = world.model.requests.length;
  await work();
  return world.model.requests.length - before;
}

const titles = async (shop: Shop) => (await world.completedChecks(shop, 2)).map(({ output }) => output.title);

test('no base, then a push to main, then the pull request again, then its merge: neutral, success, verdict, promoted', async () => {
  const files = { ...(await shopFiles()), ...(await sureSuite()) };
  const { full_name: repository } = await createRepository(world.github, { name: 'merged', files });
  const baseSha = await pushCommit(world.github, { repository, branch: 'main', files: { 'NOTES.md': 'first' } });
  const headSha = await pushCommit(world.github, { repository, branch: 'change', files: await kinderPrompt() });
  const { number } = await openPullRequest(world.github, { repository, head: 'change' });
  const shop: Shop = { repository, pullRequest: number, baseSha, headSha };

  const none = await world.gate(shop);
  expect(none.outputs, none.log).toMatchObject({ verdict: 'no-baseline', conclusion: 'neutral' });
  const main = await world.job(repository, baseSha, { name: 'push', branch: 'main' });
  expect(main.outputs, main.log).toMatchObject({ conclusion: 'neutral', outcome: 'no-baseline' });
  const again = await world.gate(shop, { attempt: 2 });
  expect(again.outputs, again.log).toMatchObject({ verdict: 'unchanged', conclusion: 'success' });

  const squashed = await pushCommit(world.github, { repository, branch: 'main', files: await kinderPrompt() });
  const calls = await callsDuring(async () => {
    const merged = await world.job(repository, squashed, { name: 'push', branch: 'main' });
    expect(merged.exitCode, merged.log).toBe(0);
    for (const title of await titles({ ...shop, headSha: squashed }))
      expect(title).toMatch(new RegExp(` \\(promoted from #${number}\\)$`));
  });
  expect(calls).toBe(0);

  // The next pull request is compared with what was promoted.
  const nextSha = await pushCommit(world.github, { repository, branch: 'next', files: await worsenedPrompt() });
  const next = await openPullRequest(world.github, { repository, head: 'next' });
  const proposal: Shop = { repository, pullRequest: next.number, baseSha: squashed, headSha: nextSha };
  await world.gate(proposal);
  const [comment] = await world.commentsLike(proposal, /Regressed/);
  expect(comment?.body).toContain(`against \`${squashed.slice(0, 7)}\` (merge base)`);
});

test('3.6: equal content on a new commit is told at once with the results of the commit before, unless nobody wants that', async () => {
  const shop = await world.openShop({ files: await sureSuite(), changes: await worsenedPrompt() });
  const first = await world.gate(shop);
  const pushed = await world.push(shop, { 'NOTES.md': 'nothing that is tested' });
  const calls = await callsDuring(async () => {
    const again = await world.gate(pushed, { inputs: { 'only-affected': 'false' } });
    expect(again.outputs, again.log).toMatchObject({ verdict: 'regressed', conclusion: 'failure' });
    const name = first.outputs['run-id']?.slice(0, 8);
    for (const title of await titles(pushed))
      expect(title).toMatch(new RegExp(`^Regressed.* \\(reused from ${name}\\)$`));
  });
  expect(calls).toBe(0);
  const [comment] = await world.commentsLike(pushed, new RegExp(pushed.headSha.slice(0, 7)));
  expect(comment?.body).toMatch(/, \$0\.00 \(\$\d+\.\d+ saved by reuse\)/);

  const asked = await world.push(pushed, { 'NOTES.md': 'and again nothing' });
  expect(
    await callsDuring(async () => {
      await world.gate(asked, { inputs: { reuse: 'false' } });
    }),
  ).toBeGreaterThan(0);
});

test('a job whose files are not those of its commit says so, and nothing is compared with it', async () => {
  const shop = await world.openShop({ files: await sureSuite(), changes: {} });
  const headSha = await pushCommit(world.github, {
    repository: shop.repository,
    branch: 'main',
    files: { 'NOTES.md': 'x' },
  });
  const other = (await kinderPrompt())[agentPath] ?? '';
  const { log } = await world.job(
    shop.repository,
    headSha,
    { name: 'push', branch: 'main' },
    { prepare: (workspace) => writeFile(join(workspace, agentPath), other) },
  );
  const said = `**Content not verified**: <code>agents&#47;support&#46;agent&#46;yaml</code> is not as committed in \`${headSha.slice(0, 7)}\``;
  const [aggregate] = await world.completedChecks({ ...shop, headSha }, 2);
  expect(aggregate?.output.summary, log).toContain(said);
  const proposed = await pushCommit(world.github, {
    repository: shop.repository,
    branch: 'next',
    files: await worsenedPrompt(),
  });
  const next = await openPullRequest(world.github, { repository: shop.repository, head: 'next' });
  const proposal: Shop = { ...shop, pullRequest: next.number, baseSha: headSha, headSha: proposed };
  await world.gate(proposal);
  const [comment] = await world.commentsLike(proposal, /Regressed/);
  expect(comment?.body).toContain(`against \`${shop.baseSha.slice(0, 7)}\` (`);
});
