import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { worsenedPrompt } from '../demo/shop.ts';
import { otherOrganisations } from '../stack/github/emulator.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { ask, openShopWorld, type Shop, type ShopWorld } from './shop-world.ts';

let world: ShopWorld;
beforeAll(async () => {
  world = await openShopWorld({ withCoordinator: true });
});
afterAll(async () => await world?.[Symbol.asyncDispose]());

const agentPath = 'agents/support.agent.yaml';
const Run = z.object({ data: z.object({ run: z.object({ status: z.string() }) }) });

/** What a verdict and its delivery may take beside the pause of somebody else, beyond what they took without. */
const addedMs = 2_000;
/**
 * The load of a machine may change by more than that from one moment to the next. So what is late is compared once more, with a
 * pause that is lifted and asked for again: whoever sits it out is late each time.
 */
const mostTries = 5;

/** A loaded machine may need every try. */
const unhurried = { timeout: 600_000 };

interface Times {
  judgedMs: number;
  /** Null: it is not told while the pause lasts. */
  toldMs: number | null;
}

test(
  'while GitHub asks one installation for a pause of 15 minutes, verdicts and the others go on within two seconds, and the end waits for nobody',
  unhurried,
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
    const whole = async (shop: Shop): Promise<Times> => ({ judgedMs: await judged(shop), toldMs: await told(shop) });
    const pause = (shop: Shop) => {
      const path = new RegExp(`/repos/${shop.repository}/(check-runs|issues)`);
      const headers = { 'retry-after': '900' };
      github.failNext({ method: 'POST', path, kind: 'status', status: 403, headers, times: Infinity });
    };
    const lift = async () => {
      github.clearFaults();
      await using closing = new AsyncDisposableStack();
      const client = new pg.Client(product.databaseUrl);
      await client.connect();
      closing.defer(() => client.end());
      await client.query('delete from installation_pace');
      await client.query(`update outbox set next_try_at = now() where state = 'due'`);
    };
    // The first one of a process takes longer than all others.
    await whole(await world.openShop({ changes }));
    const isLate = (usual: Times) => (one: Times) =>
      one.judgedMs > usual.judgedMs + addedMs || (one.toldMs ?? 0) > (usual.toldMs ?? 0) + addedMs;
    const shops = [await world.openShop({ changes }), await world.openShop({ changes })];
    for (const owner of otherOrganisations) shops.push(await world.openShop({ owner, changes }));
    const seen: { usual: Times; withPause: Times[] }[] = [];
    for (let tried = 1; ; tried += 1) {
      const again = { [agentPath]: `${changes[agentPath]}  Be kind, ${tried}.\n` };
      const heads = await Promise.all(shops.map((shop) => world.push(shop, again)));
      const [before, paused, ...others] = heads;
      if (before === undefined || paused === undefined) throw new Error('two shops were opened');
      const usual = await whole(before);
      pause(paused);
      const since = github.journal.entries.length;
      const withPause: Times[] = [{ judgedMs: await judged(paused), toldMs: null }];
      await waitUntil(() => github.journal.entries.slice(since).some(({ status }) => status === 403), {
        what: 'GitHub has asked for the pause',
        detail,
      });
      for (const shop of others) withPause.push(await whole(shop));
      expect(await world.checksOf(paused)).toEqual([]);
      seen.push({ usual, withPause });
      if (!withPause.some(isLate(usual))) break;
      expect(tried, JSON.stringify(seen)).toBeLessThan(mostTries);
      await lift();
      await told(paused);
    }
    expect((await fetch(`${product.url}/readyz`)).status).toBe(200);
    const metrics = async () => await (await fetch(`${product.url}/metrics`)).text();
    let text = '';
    const tellsThePause = async () => {
      text = await metrics();
      return (
        /^proofmark_github_pause_seconds [1-9]\d/m.test(text) && /^proofmark_github_pauses_total [1-9]/m.test(text)
      );
    };
    await waitUntil(tellsThePause, { what: 'the pause of 900 s is on /metrics', detail: () => text });
    // It ends by itself, for whatever reason, long before anybody loses patience.
    await product.coordinator.stop(60_000);
    expect(await product.coordinator.exited).toEqual({ code: 0, signal: null });
  },
);
