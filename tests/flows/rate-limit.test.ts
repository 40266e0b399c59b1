import { expect, test } from 'vitest';
import { z } from 'zod';
import { waitUntil } from '../stack/wait-until.ts';
import { type CountingProvider, limitedSuite, startCountingProvider } from './counting-provider.ts';
import { runInProcess } from './run-in-process.ts';
import { expectSoundLedger, patient, type RunningProduct, startRunningProduct } from './running-product.ts';

const cases = 40;
const perMinute = 600;
const perSecond = perMinute / 60;

/** No call came before its turn: a loaded machine may make calls late, and never early. */
function expectUnderLimit({ askedAtMs }: CountingProvider, startedAtMs: number): void {
  const early = askedAtMs.filter((atMs, position) => atMs < startedAtMs + ((position - 1) * 1_000) / perSecond);
  expect(early).toEqual([]);
  const busiest = Math.max(
    ...askedAtMs.map((fromMs) => askedAtMs.filter((atMs) => atMs >= fromMs && atMs < fromMs + 1_000).length),
  );
  // Without a limit all of them come in the same moment.
  expect(busiest).toBeLessThanOrEqual(2 * perSecond);
}

const running = async (provider: CountingProvider, env: Record<string, string> = {}): Promise<RunningProduct> =>
  await startRunningProduct({
    runners: 2,
    runnerEnv: { PROOFMARK_URL_ALLOW: new URL(provider.baseUrl).origin, PROOFMARK_SLOTS: '8', ...env },
  });

const permitsOf = async ({ product }: RunningProduct): Promise<Record<string, number>> => {
  const text = await (await fetch(`${product.url}/metrics`)).text();
  return Object.fromEntries(
    [...text.matchAll(/^proofmark_permits_total\{outcome="(?<outcome>\w+)"\} (?<count>\d+)$/gm)].map(({ groups }) => [
      groups?.outcome ?? '',
      Number(groups?.count),
    ]),
  );
};

test(
  'two runners stay together under the limit of a model, and nobody is asked about a model without one',
  patient,
  async () => {
    await using provider = await startCountingProvider();
    await using product = await running(provider);
    const { start, waitForEnd, rows } = product;
    const free = await waitForEnd(await start(limitedSuite(provider, { cases: 10, perMinute: null })));
    expect(free.results.map(({ status }) => status)).toEqual(Array(10).fill('passed'));
    expect(await rows('select key from rate_buckets')).toEqual([]);
    expect(await permitsOf(product)).toEqual({ granted: 0, empty: 0, complaints: 0 });

    provider.askedAtMs.length = 0;
    const startedAtMs = performance.now();
    const runId = await start(limitedSuite(provider, { cases, perMinute }));
    const { results } = await waitForEnd(runId);
    expect(results.map(({ status, attempt }) => `${status} ${attempt}`)).toEqual(Array(cases).fill('passed 1'));
    expect(provider.askedAtMs).toHaveLength(cases);
    expectUnderLimit(provider, startedAtMs);
    await expectSoundLedger(rows, runId);
    expect(await rows('select key, rate from rate_buckets')).toEqual([
      { key: `${provider.baseUrl} counted`, rate: perSecond },
    ]);
    expect((await permitsOf(product)).granted).toBeGreaterThanOrEqual(cases);
  },
);

test('a process alone stays under it, too', patient, async () => {
  await using provider = await startCountingProvider();
  const startedAtMs = performance.now();
  const suite = limitedSuite(provider, { cases, perMinute });
  const ended = await runInProcess(suite, {});
  expect(ended.map(({ outcome }) => outcome.status)).toEqual(Array(cases).fill('passed'));
  expect(provider.askedAtMs).toHaveLength(cases);
  expectUnderLimit(provider, startedAtMs);
});

test('a storm of 429s pauses the whole fleet, halves its rate, and every case passes in the end', patient, async () => {
  await using provider = await startCountingProvider();
  await using product = await running(provider);
  provider.complain(4, { 'retry-after': '1' });
  const runId = await product.start(limitedSuite(provider, { cases: 30, perMinute: 1_200 }));
  const { results } = await product.waitForEnd(runId);
  expect(results.map(({ status, errorKind }) => [status, errorKind])).toEqual(Array(30).fill(['passed', null]));
  expect(provider.askedAtMs).toHaveLength(34);
  const [bucket] = await product.rows<{ rate: number; was_paused: boolean }>(
    'select rate, paused_until is not null as was_paused from rate_buckets',
  );
  expect(bucket?.was_paused).toBe(true);
  expect(bucket?.rate).toBeLessThanOrEqual(20);
  expect((await permitsOf(product)).complaints).toBeGreaterThanOrEqual(1);
  await expectSoundLedger(product.rows, runId);
});

const Waiting = z.object({ waiting: z.int(), freeSlots: z.int() });

test(
  'cases that wait for a model keep no slot from another run, and their cancellation ends the waiting',
  patient,
  async () => {
    await using provider = await startCountingProvider();
    await using product = await startRunningProduct({
      runnerEnv: { PROOFMARK_URL_ALLOW: new URL(provider.baseUrl).origin, PROOFMARK_SLOTS: '2' },
    });
    const { start, waitForEnd, ask, rows } = product;
    const slow = await start(limitedSuite(provider, { cases: 20, perMinute: 1 }));
    const port = z.looseObject({ port: z.int() }).parse(product.product.runners[0]?.ready).port;
    const state = async () => Waiting.parse(await (await fetch(`http://127.0.0.1:${port}/readyz`)).json());
    // No more begin when four wait, and two may have begun: further ones would only wait behind these, and in memory.
    await waitUntil(async () => (await state()).waiting >= 4, { what: 'cases of the first run wait' });

    const free = await waitForEnd(await start(limitedSuite(provider, { cases: 12, perMinute: null })));
    expect(free.results.map(({ status }) => status)).toEqual(Array(12).fill('passed'));
    expect([4, 5, 6]).toContain((await state()).waiting);

    const cancelled = await ask('mutation ($id: UUID!) { cancelRun(id: $id) { __typename } }', { id: slow });
    expect(cancelled.data).toEqual({ cancelRun: { __typename: 'CancelRunSuccess' } });
    await waitUntil(async () => (await state()).waiting === 0, { what: 'nothing waits any more' });
    expect(await state()).toEqual({ waiting: 0, freeSlots: 2 });
    await expectSoundLedger(rows, slow);
  },
);
