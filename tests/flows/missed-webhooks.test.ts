import { afterAll, beforeAll, expect, test } from 'vitest';
import { worsenedPrompt } from '../demo/shop.ts';
import { asUser } from '../stack/github/as-user.ts';
import { rerequestCheckRun } from '../stack/github/press-button.ts';
import { closePullRequest } from '../stack/github/pull-request.ts';
import { Repository } from '../stack/github/shapes.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { ask, openShopWorld, type Shop, type ShopWorld, sureSuite } from './shop-world.ts';

let world: ShopWorld;
let target: string;

beforeAll(async () => {
  world = await openShopWorld({ withCoordinator: true, coordinatorEnv: { PROOFMARK_GITHUB_SWEEP_MS: '300' } });
  target = `${world.product?.url}/webhooks/github`;
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

const patient = { detail: () => world.product?.coordinator.log() ?? '' };
const openShop = async (): Promise<Shop> =>
  world.openShop({ files: await sureSuite(), changes: await worsenedPrompt() });
const aggregates = async (shop: Shop) => (await world.checksOf(shop)).filter(({ name }) => name === 'proofmark');

test('a webhook that found nobody is asked for again, and has its effect once', async () => {
  const { webhooks } = world.github;
  const shop = await openShop();
  await world.gate(shop);
  const [first] = await world.completedChecks(shop, 2);
  // Nobody listens on this port.
  webhooks.target = 'http://127.0.0.1:9/webhooks/github';
  await rerequestCheckRun(world.github, shop.repository, first?.id ?? 0);
  expect(webhooks.attempts.at(-1)).toMatchObject({ event: 'check_run', status: undefined });
  const lost = webhooks.attempts.at(-1)?.guid;
  webhooks.target = target;
  await waitUntil(
    () => webhooks.attempts.some(({ guid, status, isAgain }) => guid === lost && status === 202 && isAgain),
    { ...patient, what: 'the lost delivery came again' },
  );
  const isDone = async () => {
    const found = await aggregates(shop);
    return found.length === 2 && found.every(({ status }) => status === 'completed');
  };
  await waitUntil(isDone, { ...patient, what: 'the re-run that was asked for has ended' });
  const asked = world.github.journal.entries.filter(({ path }) => /\/app\/hook\/deliveries\/\d+\/attempts$/.test(path));
  // Several sweeps have passed since; what failed while nobody listened was asked for, and nothing that had arrived.
  const repeated = webhooks.attempts.filter(({ isAgain }) => isAgain).map(({ guid }) => guid);
  expect(asked.every(({ caller }) => caller === 'app')).toBe(true);
  expect(repeated.filter((guid) => guid === lost)).toHaveLength(1);
});

test('runs of a pull request that was closed end although no webhook told of it', async () => {
  const shop = await openShop();
  world.model.hold();
  try {
    await world.gate(shop, { inputs: { wait: 'false' } });
    world.github.webhooks.target = undefined;
    await closePullRequest(world.github, shop.repository, shop.pullRequest);
    const checks = await world.completedChecks(shop, 2);
    expect(checks.map(({ conclusion }) => conclusion)).toEqual(['cancelled', 'cancelled']);
  } finally {
    world.model.release();
    world.github.webhooks.target = target;
  }
});

test('a comment that was refused is written once the App is given the right to', async () => {
  world.github.webhooks.target = target;
  const shop = await openShop();
  world.github.failNext({ method: 'POST', path: /\/comments/, kind: 'status', status: 403, times: Infinity });
  const { outputs } = await world.gate(shop);
  const query = 'query ($id: UUID!) { run(id: $id) { reporting { state reason } } }';
  const { product } = world;
  if (product === null) throw new Error('there is no coordinator');
  let last = '';
  const reporting = async () => {
    last = JSON.stringify(await ask(product, query, { id: outputs['run-id'] }));
    return last;
  };
  await waitUntil(async () => /"PARKED"/i.test(await reporting()), {
    ...patient,
    what: 'the comment is parked',
    detail: () => last,
  });
  expect(await world.commentsOf(shop)).toEqual([]);
  world.github.clearFaults();
  const repository = Repository.parse(await asUser(world.github, { path: `/repos/${shop.repository}` }));
  await world.github.webhooks.send('installation', {
    action: 'new_permissions_accepted',
    installation: { account: repository.owner },
  });
  const [comment] = await world.commentsLike(shop, /Regressed/);
  expect(comment?.body).toContain(shop.headSha.slice(0, 7));
});
