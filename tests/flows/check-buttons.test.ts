import { afterAll, beforeAll, expect, test } from 'vitest';
import { shopFiles, worsenedPrompt } from '../demo/shop.ts';
import { pressButton, rerequestCheckRun } from '../stack/github/press-button.ts';
import type { CheckRun } from '../stack/github/read-back.ts';
import { runAction } from '../stack/github/run-action.ts';
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

const suitePath = 'evals/support.suite.yaml';

/** So few trials that a drop is seen and not proven. */
async function shakySuite(): Promise<Record<string, string>> {
  return { [suitePath]: ((await shopFiles())[suitePath] ?? '').replace('repetitions: 3\n', 'repetitions: 1\n') };
}

/** The newest check of the suite once it looks as expected. */
async function suiteCheck(shop: Shop, what: string, isExpected: (check: CheckRun) => boolean): Promise<CheckRun> {
  return await waitUntil(
    async () => {
      const all = (await world.checksOf(shop)).filter(({ name }) => name === 'proofmark / Support desk');
      const newest = all.toSorted((a, b) => b.id - a.id)[0];
      return newest !== undefined && isExpected(newest) ? newest : undefined;
    },
    { what, detail: () => world.product?.coordinator.log() ?? '' },
  );
}

const completed = (shop: Shop) =>
  suiteCheck(shop, 'the suite check is completed', ({ status }) => status === 'completed');

/** Checks of the aggregate on the head: each run has one of its own. */
const aggregates = async (shop: Shop) => (await world.checksOf(shop)).filter(({ name }) => name === 'proofmark');

async function untilDelivered(): Promise<void> {
  const isAnswered = () => world.github.webhooks.deliveries.every(({ status }) => status === 202);
  await waitUntil(isAnswered, { what: 'every delivery was accepted' });
}

test('statistics 7: "Confirm" runs all cases again on both sides and changes how the check ends; a stranger cannot press it', async () => {
  const shop = await world.openShop({ files: await shakySuite(), changes: await worsenedPrompt() });
  const { outputs, log } = await world.gate(shop);
  expect(outputs, log).toMatchObject({ verdict: 'suspected', conclusion: 'neutral' });
  const { id, output } = await completed(shop);
  expect(output.title).toMatch(/^Possible regression/);
  const press = { repository: shop.repository, checkRunId: id, identifier: 'confirm' };

  const before = world.model.requests.length;
  await pressButton(world.github, { ...press, by: 'stranger' });
  await untilDelivered();
  await pressButton(world.github, press);
  const check = await suiteCheck(shop, 'the suspicion is confirmed', ({ conclusion }) => conclusion === 'failure');
  expect(check.id).toBe(id);
  expect(check.output.summary).toMatch(/a fresh rerun of all cases confirmed it/);
  // Eight cases, two sides, three fresh repetitions, once.
  expect(world.model.requests.length - before).toBe(48);
  const [comment] = await world.commentsLike(shop, /### Proofmark: Regressed/);
  expect(comment?.body).toContain(shop.headSha.slice(0, 7));
});

test('a re-run that is asked for twice at once is one new run with new checks, and our own bot starts none', async () => {
  const shop = await world.openShop({ files: await sureSuite(), changes: await worsenedPrompt() });
  await world.gate(shop);
  const first = await completed(shop);
  const { webhooks } = world.github;
  const delivery = { action: 'rerequested', check_run: { external_id: first.external_id } };
  const repository = { id: world.github.world.checkRuns.find(({ id }) => id === first.id)?.repositoryId };
  await webhooks.send('check_run', { ...delivery, repository, sender: { login: 'proofmark[bot]' } });
  await Promise.all([
    rerequestCheckRun(world.github, shop.repository, first.id),
    rerequestCheckRun(world.github, shop.repository, first.id),
  ]);
  const again = await suiteCheck(
    shop,
    'a second check is completed',
    ({ id, status }) => id !== first.id && status === 'completed',
  );
  expect(again.external_id).not.toBe(first.external_id);
  expect(again.output.summary).toMatch(/2 runs of this agent in this pull request, pooled/);
  expect(again.conclusion).toBe('failure');
  await untilDelivered();
  // The same delivery once more has no effect.
  const last = webhooks.deliveries.findLast(({ event }) => event === 'check_run');
  await webhooks.redeliver(last?.guid ?? '');
  const attempt = await world.gate(shop, { attempt: 2 });
  expect(attempt.outputs, attempt.log).toMatchObject({ conclusion: 'failure' });
  expect(await aggregates(shop)).toHaveLength(3);
  expect(new Set((await aggregates(shop)).map(({ external_id }) => external_id)).size).toBe(3);

  const all = { action: 'rerequested', check_suite: { head_sha: shop.headSha }, repository };
  await webhooks.send('check_suite', { ...all, sender: { login: 'olivia' } });
  const isDone = async () => {
    const found = await aggregates(shop);
    return found.length === 4 && found.every(({ status }) => status === 'completed');
  };
  await waitUntil(isDone, { what: 'all suites ran again' });
});

test('3.6: failed cases run again for diagnosis beside the result, the base on demand, and only a pushed head counts', async () => {
  const shop = await world.openShop({ files: await sureSuite(), changes: await worsenedPrompt() });
  await world.gate(shop);
  const first = await completed(shop);
  const press = (identifier: string) =>
    pressButton(world.github, { repository: shop.repository, checkRunId: first.id, identifier });
  await press('rerun_failed');
  const told = await suiteCheck(shop, 'the diagnosis is told', ({ output }) => /diagnosis/.test(output.summary ?? ''));
  const diagnosed = await suiteCheck(shop, 'it has ended', ({ output }) =>
    /Failed cases run again for diagnosis: \[0 of 6 test runs passed\]/.test(output.summary ?? ''),
  );
  expect([told.id, diagnosed.conclusion, diagnosed.output.title]).toEqual([first.id, 'failure', first.output.title]);
  expect(await aggregates(shop)).toHaveLength(1);

  await press('rerun_baseline');
  const fresh = await suiteCheck(
    shop,
    'it was judged again',
    ({ id, status }) => id !== first.id && status === 'completed',
  );
  expect(fresh.output.summary).toMatch(/2 runs of this agent in this pull request, pooled/);

  // A job that was made for this head and begins when there is another one.
  const event = { name: 'pull_request' as const, number: shop.pullRequest };
  const { script, environment } = await world.prepare(shop.repository, shop.headSha, event, { attempt: 3 });
  const pushed = await world.push(shop, { 'NOTES.md': 'a later commit' });
  await rerequestCheckRun(world.github, shop.repository, fresh.id);
  const late = await runAction(script, environment);
  expect(late.outputs, late.log).toMatchObject({ outcome: 'superseded' });
  const checks = await world.completedChecks(shop, 6);
  expect(checks.filter(({ conclusion }) => conclusion === 'cancelled')).toHaveLength(2);
  expect(await aggregates(shop)).toHaveLength(3);
  const newest = await world.gate(pushed, { inputs: { 'only-affected': 'false' } });
  expect(newest.outputs, newest.log).toMatchObject({ conclusion: 'failure' });
});
