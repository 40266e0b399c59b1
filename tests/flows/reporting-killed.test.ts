import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { worsenedPrompt } from '../demo/shop.ts';
import { parseFileCommands } from '../stack/github/run-action.ts';
import { spawnOwned } from '../stack/owned-process.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { patient } from './running-product.ts';
import { openShopWorld, type Shop, type ShopWorld } from './shop-world.ts';

let world: ShopWorld;
beforeAll(async () => {
  world = await openShopWorld({ withCoordinator: true });
});
afterAll(async () => await world?.[Symbol.asyncDispose]());

const event = ({ pullRequest }: Shop) => ({ name: 'pull_request', number: pullRequest }) as const;

async function expectOneReport(shop: Shop): Promise<void> {
  const checks = await world.completedChecks(shop, 2);
  expect(checks.map(({ name, conclusion }) => [name, conclusion])).toEqual([
    ['proofmark', 'failure'],
    ['proofmark / Support desk', 'failure'],
  ]);
  const all = await world.commentsLike(shop, /Regressed/);
  expect(all).toHaveLength(1);
}

test(
  'a job that is killed with -9 while it waits leaves its run to the coordinator, and the same job again finds it',
  patient,
  async () => {
    const shop = await world.openShop({ changes: await worsenedPrompt() });
    const { script, environment } = await world.prepare(shop.repository, shop.headSha, event(shop));
    world.model.hold();
    const killed = await spawnOwned(process.execPath, [script], { env: environment });
    await waitUntil(() => /\/runs\/[0-9a-f-]{36}/.test(killed.log()), {
      what: 'the job has started its run',
      detail: killed.log,
    });
    const runId = /\/runs\/([0-9a-f-]{36})/.exec(killed.log())?.[1];
    await killed.stop({ signal: 'SIGKILL' });
    world.model.release();
    await expectOneReport(shop);

    const again = await spawnOwned(process.execPath, [script], { env: environment });
    expect((await again.exited).code, again.log()).toBe(0);
    expect(parseFileCommands(await readFile(environment.GITHUB_OUTPUT ?? '', 'utf8'))).toMatchObject({
      'run-id': runId,
      verdict: 'regressed',
    });
    await expectOneReport(shop);
  },
);

test(
  'F04 a coordinator that dies between writing to GitHub and noting it writes each check and the comment once',
  patient,
  async () => {
    const { product } = world;
    if (product === null) throw new Error('this world has a coordinator');
    const shop = await world.openShop({ changes: await worsenedPrompt() });
    await product.coordinator.stop();
    // What a dead replica was about to note stays with it for a lease.
    const lease = { PROOFMARK_LEASE_MS: '5000' };
    const dyingAt = (nth: number) => ({ ...lease, PROOFMARK_CHAOS_AT: `after_forge_write_before_mark:${nth}` });
    let coordinator = await product.restartCoordinator(dyingAt(1));
    const job = world.gate(shop);
    // It dies at its first write, and its successor at the second one: the comment or the other check.
    expect((await coordinator.exited).signal).toBe('SIGKILL');
    coordinator = await product.restartCoordinator(dyingAt(2));
    expect((await coordinator.exited).signal).toBe('SIGKILL');
    await product.restartCoordinator(lease);
    expect((await job).exitCode).toBe(0);
    await expectOneReport(shop);
  },
);
