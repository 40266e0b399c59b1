import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { worsenedPrompt } from '../demo/shop.ts';
import { otherOrganisations } from '../stack/github/emulator.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { patient } from './running-product.ts';
import { ask, openShopWorld, type ShopWorld } from './shop-world.ts';

let world: ShopWorld;
beforeAll(async () => {
  world = await openShopWorld({ withCoordinator: true });
});
afterAll(async () => await world?.[Symbol.asyncDispose]());

const Run = z.object({ data: z.object({ run: z.object({ status: z.string() }) }) });
/** Beyond what a delivery takes without any pause. */
const promptMs = 5_000;

test(
  'while GitHub asks one installation for a pause of 15 minutes, verdicts and the others go on, and the end waits for nobody',
  patient,
  async () => {
    const { product, github } = world;
    if (product === null) throw new Error('there is no coordinator');
    const changes = await worsenedPrompt();
    const paused = await world.openShop({ changes });
    const others = [];
    for (const owner of otherOrganisations) others.push(await world.openShop({ owner, changes }));

    const headers = { 'retry-after': '900' };
    const path = new RegExp(`/repos/${paused.repository}/(check-runs|issues)`);
    github.failNext({ method: 'POST', path, kind: 'status', status: 403, headers, times: Infinity });
    const isJudged = async (id: string | undefined) => {
      const answer = await ask(product, 'query ($id: UUID!) { run(id: $id) { status } }', { id });
      return Run.parse(answer).data.run.status === 'COMPLETED';
    };
    const first = await world.gate(paused, { inputs: { wait: 'false' } });
    await waitUntil(() => github.journal.entries.some(({ status }) => status === 403), {
      what: 'GitHub has asked for the pause',
      detail: product.coordinator.log,
    });
    const detail = product.coordinator.log;
    await waitUntil(() => isJudged(first.outputs['run-id']), { what: 'its run is judged', detail });
    for (const shop of others) {
      const { outputs } = await world.gate(shop, { inputs: { wait: 'false' } });
      await waitUntil(() => isJudged(outputs['run-id']), { what: 'a run is judged', detail });
      const isTold = async () => {
        const checks = await world.checksOf(shop);
        return checks.length > 0 && checks.every(({ status }) => status === 'completed');
      };
      await waitUntil(isTold, { what: `${shop.repository} is told`, timeoutMs: promptMs, detail });
    }
    expect(await world.checksOf(paused)).toEqual([]);
    expect((await fetch(`${product.url}/readyz`)).status).toBe(200);
    await product.coordinator.kill('SIGTERM');
    expect(await product.coordinator.exited).toEqual({ code: 0, signal: null });
  },
);
