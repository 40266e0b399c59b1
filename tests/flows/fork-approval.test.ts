import { afterAll, beforeAll, expect, test } from 'vitest';
import { shopFiles, worsenedPrompt } from '../demo/shop.ts';
import { asUser } from '../stack/github/as-user.ts';
import { pressButton } from '../stack/github/press-button.ts';
import { openPullRequest } from '../stack/github/pull-request.ts';
import type { CheckRun } from '../stack/github/read-back.ts';
import { createRepository, pushCommit } from '../stack/github/repository.ts';
import { PullRequest, User } from '../stack/github/shapes.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { openShopWorld, type Shop, type ShopWorld, sureSuite } from './shop-world.ts';

let world: ShopWorld;

beforeAll(async () => {
  world = await openShopWorld({ withCoordinator: true });
  world.github.webhooks.target = `${world.product?.url}/webhooks/github`;
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

let shops = 0;

/** A pull request of a stranger: its head is reachable by its commit here, as on GitHub, and stands in another repository. */
async function openFork(changes: Record<string, string | null>): Promise<Shop> {
  shops += 1;
  const files = { ...(await shopFiles()), ...(await sureSuite()) };
  const { full_name: repository } = await createRepository(world.github, { name: `forked-${shops}`, files });
  const baseSha = await pushCommit(world.github, { repository, branch: 'main', files: { 'NOTES.md': 'first' } });
  await world.job(repository, baseSha, { name: 'push', branch: 'main' });
  const headSha = await pushCommit(world.github, { repository, branch: 'change', files: changes });
  world.github.world.forkBranches.add(`${repository}:change`);
  const { number } = await openPullRequest(world.github, { repository, head: 'change' });
  return { repository, pullRequest: number, baseSha, headSha };
}

const aggregates = async (shop: Shop): Promise<CheckRun[]> =>
  (await world.checksOf(shop)).filter(({ name }) => name === 'proofmark').toSorted((a, b) => a.id - b.id);

const aggregate = (shop: Shop, what: string, isExpected: (check: CheckRun) => boolean) =>
  waitUntil(async () => (await aggregates(shop)).find(isExpected), {
    what,
    detail: () => world.product?.coordinator.log() ?? '',
  });
const awaited = (shop: Shop) =>
  aggregate(shop, 'a maintainer is asked', ({ conclusion }) => conclusion === 'action_required');
const settled = async () => {
  const isAnswered = () => world.github.webhooks.deliveries.every(({ status }) => status === 202);
  await waitUntil(isAnswered, { what: 'every delivery was accepted' });
};

const suitePath = 'evals/support.suite.yaml';
const agentPath = 'agents/support.agent.yaml';

test('a fork is run once a maintainer approves its commit, with models, gate and limits of the base; a push needs another approval', {
  timeout: 300_000,
}, async () => {
  const suite = (await sureSuite())[suitePath] ?? '';
  const worse = await worsenedPrompt();
  const shop = await openFork({
    [agentPath]: worse[agentPath] ?? '',
    // It would silence its own gate, and ask for many more calls than the base.
    [suitePath]: suite.replace('repetitions: 3\n', 'repetitions: 50\ngate: { fail_on: [] }\n'),
    'evals/own.suite.yaml': suite.replace('name: Support desk', 'name: Own'),
  });
  const before = world.model.requests.length;
  const check = await awaited(shop);
  expect(check.output.title).toBe(`Maintainer approval needed for ${shop.headSha.slice(0, 7)}`);
  const press = { repository: shop.repository, checkRunId: check.id, identifier: 'approve_fork' };
  await pressButton(world.github, { ...press, by: 'stranger' });
  await settled();
  expect(world.model.requests.length).toBe(before);

  await pressButton(world.github, press);
  await pressButton(world.github, press);
  await aggregate(shop, 'the approved commit is judged', ({ conclusion }) => conclusion === 'failure');
  expect(await aggregates(shop)).toHaveLength(2);
  const checks = await world.completedChecks(shop, 3);
  const suites = checks.filter(({ name }) => name !== 'proofmark');
  expect(suites.map(({ name, conclusion }) => [name, conclusion])).toEqual([['proofmark / Support desk', 'failure']]);
  // Eight cases, three repetitions as the base has them, on both sides at most.
  expect(world.model.requests.length - before).toBeLessThanOrEqual(48);

  const pushed = await world.push(shop, { 'NOTES.md': 'once more', [agentPath]: `${worse[agentPath]}  Be kind.\n` });
  await awaited(pushed);
  const calls = world.model.requests.length;
  // The old approval says nothing about the new commit.
  await pressButton(world.github, press);
  await settled();
  expect(world.model.requests.length).toBe(calls);
  expect(await aggregates(pushed)).toHaveLength(1);
});

test('an approval that cannot be followed says why on the check, and may be given again', {
  timeout: 300_000,
}, async () => {
  const { product } = world;
  if (product === null) throw new Error('there is no coordinator');
  const shop = await openFork(await worsenedPrompt());
  const { id, repository } = { ...(await awaited(shop)), ...shop };
  const press = { repository, checkRunId: id, identifier: 'approve_fork' };
  await product.coordinator.stop();
  await product.restartCoordinator({ PROOFMARK_MAX_OPEN_TEST_RUNS: '1' });
  const before = world.model.requests.length;
  await pressButton(world.github, press);
  const refused = await aggregate(shop, 'the check says why', ({ output }) => /not started/.test(output.summary ?? ''));
  expect([refused.id, refused.conclusion]).toEqual([id, 'action_required']);
  expect(refused.output.summary).toMatch(
    /olivia approved this commit, but its run was not started[\s\S]*\n0 test runs are open and this run has \d+: more than 1 at a time are not taken/,
  );
  expect(world.model.requests.length).toBe(before);

  await product.coordinator.stop();
  await product.restartCoordinator();
  await pressButton(world.github, press);
  await aggregate(shop, 'the approved commit is judged', ({ conclusion }) => conclusion === 'failure');

  const newer = await world.push(shop, { 'NOTES.md': 'once more', ...(await worsenedPrompt()) });
  await awaited(newer);
  await pressButton(world.github, press);
  const old = await aggregate(shop, 'the old check says so', ({ output }) => /newer/.test(output.summary ?? ''));
  expect(old.output.summary).toContain(
    `the pull request has a newer commit, ${newer.headSha.slice(0, 7)}, which has a check of its own`,
  );
});

test('nobody is asked about a fork that can change no suite', async () => {
  const shop = await openFork({ 'NOTES.md': 'a typo' });
  const check = await aggregate(shop, 'the commit has its check', ({ status }) => status === 'completed');
  expect([check.conclusion, check.output.title]).toEqual(['neutral', 'No suite is affected by this change']);
});

test('a pull request of Dependabot needs an approval, too', async () => {
  const files = { ...(await shopFiles()), ...(await sureSuite()) };
  const { full_name: repository } = await createRepository(world.github, { name: 'bumped', files });
  const baseSha = await pushCommit(world.github, { repository, branch: 'main', files: { 'NOTES.md': 'first' } });
  await world.job(repository, baseSha, { name: 'push', branch: 'main' });
  const headSha = await pushCommit(world.github, { repository, branch: 'bump', files: await worsenedPrompt() });
  const { number } = await openPullRequest(world.github, { repository, head: 'bump' });
  world.github.world.authors.set(`${repository}#${number}`, 'dependabot[bot]');
  await world.github.webhooks.send('pull_request', {
    action: 'reopened',
    number,
    pull_request: PullRequest.parse(await asUser(world.github, { path: `/repos/${repository}/pulls/${number}` })),
    repository: await asUser(world.github, { path: `/repos/${repository}` }),
    sender: User.parse(await asUser(world.github, { path: '/users/olivia' })),
  });
  await awaited({ repository, pullRequest: number, baseSha, headSha });
});
