import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { worsenedPrompt } from '../demo/shop.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { patient } from './running-product.ts';
import { ask, openShopWorld, type ShopWorld } from './shop-world.ts';

let world: ShopWorld;
beforeAll(async () => {
  world = await openShopWorld({ withCoordinator: true });
});
afterAll(async () => await world?.[Symbol.asyncDispose]());

const Run = z.object({ data: z.object({ run: z.object({ status: z.string() }) }) });

test(
  'while GitHub asks for a pause of ten minutes, runs are judged, the coordinator is ready, and ends when asked to',
  patient,
  async () => {
    const { product, github } = world;
    if (product === null) throw new Error('there is no coordinator');
    const shop = await world.openShop({ changes: await worsenedPrompt() });
    const headers = { 'retry-after': '600' };
    github.failNext({ method: 'POST', path: /\/check-runs$/, kind: 'status', status: 429, headers });
    const { outputs } = await world.gate(shop, { inputs: { wait: 'false' } });
    await waitUntil(() => github.journal.entries.some(({ status }) => status === 429), {
      what: 'GitHub has asked for the pause',
      detail: product.coordinator.log,
    });
    const isJudged = async () => {
      const answer = await ask(product, 'query ($id: UUID!) { run(id: $id) { status } }', { id: outputs['run-id'] });
      return Run.parse(answer).data.run.status === 'COMPLETED';
    };
    await waitUntil(isJudged, { what: 'the run is judged', timeoutMs: 20_000, detail: product.coordinator.log });
    expect((await fetch(`${product.url}/readyz`)).status).toBe(200);
    expect(await world.checksOf(shop)).toEqual([]);
    await product.coordinator.kill('SIGTERM');
    expect(await product.coordinator.exited).toEqual({ code: 0, signal: null });
  },
);
