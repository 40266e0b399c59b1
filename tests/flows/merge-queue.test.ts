import { afterAll, beforeAll, expect, test } from 'vitest';
import { worsenedPrompt } from '../demo/shop.ts';
import { asUser } from '../stack/github/as-user.ts';
import { pushCommit } from '../stack/github/repository.ts';
import { Repository } from '../stack/github/shapes.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { openShopWorld, type Shop, type ShopWorld, sureSuite } from './shop-world.ts';

let world: ShopWorld;
const queueMs = 1500;

beforeAll(async () => {
  world = await openShopWorld({
    withCoordinator: true,
    coordinatorEnv: { PROOFMARK_GITHUB_QUEUE_MS: String(queueMs) },
  });
  world.github.webhooks.target = `${world.product?.url}/webhooks/github`;
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

/** What GitHub's queue makes of a pull request: a branch of its own on top of the base branch. */
async function enqueue(shop: Shop, files: Record<string, string>): Promise<Shop> {
  const branch = `gh-readonly-queue/main/pr-${shop.pullRequest}-${shop.baseSha}`;
  const headSha = await pushCommit(world.github, { repository: shop.repository, branch, files });
  return { ...shop, headSha };
}

async function tell(action: 'checks_requested' | 'destroyed', { repository, headSha, baseSha }: Shop): Promise<void> {
  await world.github.webhooks.send('merge_group', {
    action,
    merge_group: {
      head_sha: headSha,
      head_ref: 'refs/heads/gh-readonly-queue/main',
      base_sha: baseSha,
      base_ref: 'refs/heads/main',
    },
    repository: Repository.parse(await asUser(world.github, { path: `/repos/${repository}` })),
  });
}

const callsDuring = async (work: () => Promise<void>): Promise<number> => {
  const before = world.model.requests.length;
  await work();
  return world.model.requests.length - before;
};
const groupRuns = async (shop: Shop) => (await world.checksOf(shop)).filter(({ name }) => name === 'proofmark');

test('a queued commit of equal content has its result at once, without a job and without a call of a model', async () => {
  const shop = await world.openShop({ files: await sureSuite(), changes: await worsenedPrompt() });
  await world.gate(shop);
  const queued = await enqueue(shop, await worsenedPrompt());
  const calls = await callsDuring(async () => {
    await tell('checks_requested', queued);
    const checks = await world.completedChecks(queued, 2);
    expect(checks.map(({ conclusion }) => conclusion)).toEqual(['failure', 'failure']);
    for (const { output } of checks) expect(output.title).toMatch(/^Regressed.* \(reused from [0-9a-f]{8}\)$/);
  });
  expect(calls).toBe(0);
  // A commit of the queue has no comment of its own: the one of the pull request still tells of its head.
  const [comment] = await world.commentsLike(shop, /Regressed/);
  expect(comment?.body).toContain(shop.headSha.slice(0, 7));
  expect(comment?.body).not.toContain(queued.headSha.slice(0, 7));
});

test('other content is run by its job, or from here when no job has come', async () => {
  const shop = await world.openShop({ files: await sureSuite(), changes: { 'NOTES.md': 'nothing that is tested' } });
  const worse = await enqueue(shop, await worsenedPrompt());
  await tell('checks_requested', worse);
  const checks = await world.completedChecks(worse, 2);
  expect(checks.map(({ name, conclusion }) => [name, conclusion])).toEqual([
    ['proofmark', 'failure'],
    ['proofmark / Support desk', 'failure'],
  ]);

  const again = await world.openShop({ files: await sureSuite(), changes: { 'NOTES.md': 'nothing that is tested' } });
  const byJob = await enqueue(again, await worsenedPrompt());
  const { outputs, log } = await world.job(byJob.repository, byJob.headSha, {
    name: 'merge_group',
    headSha: byJob.headSha,
    baseSha: byJob.baseSha,
  });
  expect(outputs, log).toMatchObject({ conclusion: 'failure' });
  await tell('checks_requested', byJob);
  // Deliveries are acted on in their order: once the next one has had its effect, this one has had none.
  const next = await enqueue(shop, await worsenedPrompt());
  await tell('checks_requested', next);
  await world.completedChecks(next, 2);
  expect(await groupRuns(byJob)).toHaveLength(1);
});

test('a queued commit shows its check at once, which the run takes over that comes later', async () => {
  const shop = await world.openShop({ files: await sureSuite(), changes: { 'NOTES.md': 'nothing that is tested' } });
  const queued = await enqueue(shop, await worsenedPrompt());
  await tell('checks_requested', queued);
  // A slow machine may see the run take the check over before it has looked at it; what was written first stays written.
  const opened = await world.github.journal.waitFor(
    ({ method, path, body }) =>
      method === 'POST' && path.endsWith('/check-runs') && JSON.stringify(body).includes(queued.headSha),
  );
  expect(opened.body).toMatchObject({
    name: 'proofmark',
    status: 'in_progress',
    output: { title: 'Waiting for the job of this merge group' },
  });
  await world.completedChecks(queued, 2);
  const [own, ...others] = await groupRuns(queued);
  expect(others).toEqual([]);
  expect(own).toMatchObject({ conclusion: 'failure', external_id: expect.stringMatching(/:0$/) });
});

test('the check of a queued commit without suites ends as a failure, and that of one that left as cancelled', async () => {
  const shop = await world.openShop({ files: await sureSuite(), changes: { 'NOTES.md': 'nothing that is tested' } });
  const broken = await enqueue(shop, { 'evals/support.suite.yaml': 'name: [' });
  await tell('checks_requested', broken);
  const [ended] = await world.completedChecks(broken, 1);
  expect([ended?.conclusion, ended?.output.title]).toEqual(['failure', 'Invalid definition: 1 problem']);

  const other = await world.openShop({ files: await sureSuite(), changes: { 'NOTES.md': 'nothing that is tested' } });
  const left = await enqueue(other, await worsenedPrompt());
  await tell('checks_requested', left);
  await waitUntil(async () => (await world.checksOf(left)).length === 1, { what: 'a check on the queued commit' });
  await tell('destroyed', left);
  const [cancelled] = await world.completedChecks(left, 1);
  expect([cancelled?.conclusion, cancelled?.output.title]).toEqual([
    'cancelled',
    'Cancelled: taken out of the merge queue',
  ]);
  // Deliveries are acted on in their order: by the end of this one a run of the commit that left would have begun.
  const next = await enqueue(other, await worsenedPrompt());
  await tell('checks_requested', next);
  await world.completedChecks(next, 2);
  expect(await groupRuns(left)).toHaveLength(1);
});

test('a commit that leaves the queue is not run any further', async () => {
  const shop = await world.openShop({ files: await sureSuite(), changes: { 'NOTES.md': 'nothing that is tested' } });
  const queued = await enqueue(shop, await worsenedPrompt());
  world.model.hold();
  try {
    await tell('checks_requested', queued);
    await waitUntil(async () => (await world.checksOf(queued)).length === 2, {
      what: 'the queued commit is run',
    });
    await tell('destroyed', queued);
    const checks = await world.completedChecks(queued, 2);
    expect(checks.map(({ conclusion, output }) => [conclusion, output.title])).toEqual([
      ['cancelled', 'Cancelled: taken out of the merge queue'],
      ['cancelled', 'Cancelled: taken out of the merge queue'],
    ]);
  } finally {
    world.model.release();
  }
});
