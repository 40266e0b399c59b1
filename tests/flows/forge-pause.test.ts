import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { worsenedPrompt } from '../demo/shop.ts';
import { otherOrganisations } from '../stack/github/emulator.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { patient } from './running-product.ts';
import { ask, openShopWorld, type Shop, type ShopWorld } from './shop-world.ts';

let world: ShopWorld;
beforeAll(async () => {
  world = await openShopWorld({ withCoordinator: true });
});
afterAll(async () => await world?.[Symbol.asyncDispose]());

const Run = z.object({ data: z.object({ run: z.object({ status: z.string() }) }) });
/**
 * What a verdict and its delivery may take beside the pause of somebody else, beyond twice what they took without: the load of
 * a machine may change as much from one moment to the next. Whoever sat the pause out would take fifteen times as long.
 */
const addedMs = 60_000;

test(
  'while GitHub asks one installation for a pause of 15 minutes, verdicts and the others go on, and the end waits for nobody',
  patient,
  async () => {
    const { product, github } = world;
    if (product === null) throw new Error('there is no coordinator');
    const changes = await worsenedPrompt();
    const detail = product.coordinator.log;
    const isJudged = async (id: string | undefined) => {
      const answer = await ask(product, 'query ($id: UUID!) { run(id: $id) { status } }', { id });
      return Run.parse(answer).data.run.status === 'COMPLETED';
    };
    const everyMs = 20;
    const judged = async (shop: Shop) => {
      const { outputs } = await world.gate(shop, { inputs: { wait: 'false' } });
      const startedMs = performance.now();
      await waitUntil(() => isJudged(outputs['run-id']), { what: 'a run is judged', everyMs, detail });
      return performance.now() - startedMs;
    };
    const told = async (shop: Shop) => {
      const startedMs = performance.now();
      const isTold = async () => {
        const checks = await world.checksOf(shop);
        return checks.length > 0 && checks.every(({ status }) => status === 'completed');
      };
      await waitUntil(isTold, { what: `${shop.repository} is told`, everyMs, detail });
      return performance.now() - startedMs;
    };
    // The first one of a process takes longer than all others.
    await judged(await world.openShop({ changes }));
    const before = await world.openShop({ changes });
    const usual = { judgedMs: await judged(before), toldMs: await told(before) };
    const paused = await world.openShop({ changes });
    const others = [];
    for (const owner of otherOrganisations) others.push(await world.openShop({ owner, changes }));

    const headers = { 'retry-after': '900' };
    const path = new RegExp(`/repos/${paused.repository}/(check-runs|issues)`);
    github.failNext({ method: 'POST', path, kind: 'status', status: 403, headers, times: Infinity });
    const withPause = [{ judgedMs: await judged(paused), toldMs: 0 }];
    await waitUntil(() => github.journal.entries.some(({ status }) => status === 403), {
      what: 'GitHub has asked for the pause',
      detail,
    });
    for (const shop of others) withPause.push({ judgedMs: await judged(shop), toldMs: await told(shop) });
    const most = { judgedMs: 2 * usual.judgedMs + addedMs, toldMs: 2 * usual.toldMs + addedMs };
    expect({
      usual,
      late: withPause.filter((one) => one.judgedMs > most.judgedMs || one.toldMs > most.toldMs),
    }).toEqual({
      usual,
      late: [],
    });
    expect(await world.checksOf(paused)).toEqual([]);
    expect((await fetch(`${product.url}/readyz`)).status).toBe(200);
    await product.coordinator.kill('SIGTERM');
    expect(await product.coordinator.exited).toEqual({ code: 0, signal: null });
  },
);
