import { randomUUID } from 'node:crypto';
import { type Buckets, type CallLimits, giveTurns, slowDownAll, type TurnsGiven } from '@proofmark/domain/call-limits';
import { describe, expect, it } from 'vitest';
import { type Database, inTenant } from '../database/transactions.ts';
import { anotherReplica, given, newSession, newTenant, ownLedger } from '../story.fixture.ts';
import { type LimitedModel, sharedTurns, slowDownShared } from './rate-buckets.ts';

const ledger = await ownLedger(6);
const replicas = [ledger.database, await anotherReplica(ledger, 6)];
const acme = await newTenant(ledger);

const startMs = Date.UTC(2026, 0, 1);
const fifty = { requests: { perSecond: 50, burst: 1 } };
const sessionId = randomUUID();
/** Turns of a model without any other limit. */
const turnsOf = new Map<Database, ReturnType<typeof sharedTurns>>();
const takeFrom = (database: Database) => {
  const known = turnsOf.get(database) ?? sharedTurns(database);
  turnsOf.set(database, known);
  return known;
};
const take = (database: Database, { want, ...model }: LimitedModel & { want: number }) =>
  takeFrom(database)({ ...model, sessionId, asked: { want, cost: 0, settle: 0, holds: 0, wants: 0 } });

/** The same numbers each time, so that a failure can be repeated. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * sides);
  };
}

const rounded = (given: TurnsGiven) =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, Number(value.toFixed(2))]));

const pick = <Value>(roll: (sides: number) => number, values: readonly Value[]): Value =>
  given(values[roll(values.length)]);

/** What the ledger and one process that is alone give in the same story of questions, complaints and pauses. */
async function bothWays(seed: number): Promise<{ stored: TurnsGiven[]; alone: TurnsGiven[] }> {
  const roll = dice(seed);
  const limits: CallLimits = {
    ...(roll(3) > 0 && { requests: { perSecond: pick(roll, [0.5, 3, 50, 400]), burst: 1 + roll(5) } }),
    ...(roll(2) > 0 && { tokensPerSecond: pick(roll, [100, 5_000]) }),
    inFlight: 1 + roll(30),
  };
  const of = { tenantId: acme.id, key: `story ${seed}`, limits };
  const [stored, alone]: [TurnsGiven[], TurnsGiven[]] = [[], []];
  const alive = await newSession(ledger, 25_000, `runner ${seed}`);
  let nowMs = startMs;
  let buckets: Buckets = {};
  let holder = { held: 0, wants: 0 };
  for (let step = 0; step < 12; step++) {
    nowMs += pick(roll, [roll(90_000), roll(400), roll(400), roll(400)]);
    if (roll(5) === 0) {
      const pauseMs = pick(roll, [null, roll(70_000)]);
      await slowDownShared(ledger.database, { ...of, pauseMs, nowMs });
      buckets = slowDownAll(limits, buckets, pauseMs, nowMs);
    }
    const kept = { holds: roll(holder.held + 1), wants: roll(40) };
    const asked = { ...kept, want: roll(30), cost: 1 + roll(2_000), settle: roll(500) - 250 };
    stored.push(await takeFrom(ledger.database)({ ...of, sessionId: alive, asked, nowMs }));
    const taken = giveTurns(limits, { buckets, holders: [holder], at: 0 }, asked, nowMs);
    buckets = taken.buckets;
    holder = { held: taken.given.held, wants: asked.wants };
    alone.push(taken.given);
  }
  return { stored, alone };
}

describe('the limit of a model in the ledger (reliability 8)', () => {
  it('does what one process does that is alone, whatever happens', async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const { stored, alone } = await bothWays(seed);
      expect({ seed, given: stored.map(rounded) }).toEqual({ seed, given: alone.map(rounded) });
    }
  });

  it('gives 28 callers at 50 a second within 2 % of the ideal count, over two replicas', async () => {
    const of = { tenantId: acme.id, key: 'callers', limits: fifty };
    const lengthMs = 5_000;
    const stepMs = 100;
    const turns: number[] = [];
    for (let nowMs = startMs; nowMs <= startMs + lengthMs; nowMs += stepMs) {
      const callers = Array.from({ length: 28 }, (_, caller) => given(replicas[caller % 2]));
      const grants = await Promise.all(callers.map((replica) => take(replica, { ...of, want: 1, nowMs })));
      for (const { granted, firstMs } of grants) if (granted === 1) turns.push(nowMs + firstMs);
    }
    const ideal = 1 + (50 * lengthMs) / 1_000;
    const made = turns.filter((at) => at <= startMs + lengthMs).length;
    expect(Math.abs(made - ideal)).toBeLessThanOrEqual(ideal * 0.02);
    expect(new Set(turns.map((at) => Math.round(at * 1_000))).size).toBe(turns.length);
  });

  it('gives no turn twice when callers of two replicas meet in one row, by the clock of the ledger', async () => {
    const of = { tenantId: acme.id, key: 'crowd', limits: { requests: { perSecond: 1_000, burst: 10 } } };
    await take(ledger.database, { ...of, want: 1 });
    const [first] = await ledger.query<{ at: string }>(
      `select extract(epoch from updated_at)::text as at from rate_buckets where key = 'crowd'`,
    );
    const grants = await Promise.all(
      Array.from({ length: 200 }, (_, caller) => take(given(replicas[caller % 2]), { ...of, want: 3 })),
    );
    const [last] = await ledger.query<{ tokens: number; at: string }>(
      `select tokens, extract(epoch from updated_at)::text as at from rate_buckets where key = 'crowd'`,
    );
    const total = 1 + grants.reduce((sum, { granted }) => sum + granted, 0);
    const flowed = (Number(given(last).at) - Number(given(first).at)) * 1_000;
    expect(total + given(last).tokens).toBeLessThanOrEqual(10 + flowed + 0.01);
    expect(total).toBeGreaterThan(500);
  });

  it('is stopped for all by one 429, which counts once however many calls were under way', async () => {
    const of = { tenantId: acme.id, key: 'storm', limits: fifty, nowMs: startMs };
    await Promise.all(
      Array.from({ length: 12 }, (_, call) => slowDownShared(given(replicas[call % 2]), { ...of, pauseMs: 4_000 })),
    );
    expect(await take(ledger.database, { ...of, want: 5 })).toMatchObject({ granted: 0, againMs: 4_000 });
    const after = await take(ledger.database, { ...of, want: 5, nowMs: startMs + 4_000 });
    expect(after).toMatchObject({ granted: 5, firstMs: 40, spacingMs: 40 });
  });

  it('is a matter of one tenant: another one’s 429 pauses nobody else, and nobody sees its buckets (R1)', async () => {
    const rival = await newTenant(ledger);
    const of = { key: 'shared model', limits: fifty, nowMs: startMs };
    await slowDownShared(ledger.database, { ...of, tenantId: rival.id, pauseMs: 60_000 });
    expect(await take(ledger.database, { ...of, tenantId: acme.id, want: 1 })).toMatchObject({
      granted: 1,
    });
    const seen = (tenantId: string) =>
      inTenant(ledger.database, tenantId, (em) => em.execute('select distinct tenant_id from rate_buckets'));
    expect(await seen(rival.id)).toEqual([{ tenant_id: rival.id }]);
    expect(await seen(acme.id)).toEqual([{ tenant_id: acme.id }]);
    const change = inTenant(ledger.database, acme.id, (em) => em.execute('update rate_buckets set tokens = 1000'));
    await expect(change).rejects.toMatchObject({ code: '42501' });
    await ledger.query('delete from tenants where id = $1', [rival.id]);
    expect(await ledger.query('select 1 from rate_buckets where tenant_id = $1', [rival.id])).toEqual([]);
  });

  it('lets no more calls be under way than the limit says, whichever runners ask, and gives on what a dead one held', async () => {
    const of = { tenantId: acme.id, key: 'busy', limits: { inFlight: 10 } };
    const [first, second] = [await newSession(ledger, 25_000, 'first'), await newSession(ledger, 25_000, 'second')];
    const hold = async (session: string, holds: number, wants: number) => {
      const asked = { want: 0, cost: 0, settle: 0, holds, wants };
      const { held, share } = await takeFrom(ledger.database)({ ...of, sessionId: session, asked });
      return { held, share };
    };
    expect(await hold(first, 0, 40)).toEqual({ held: 10, share: 10 });
    // The second has its share as the first lets go.
    expect(await hold(second, 0, 40)).toEqual({ held: 0, share: 5 });
    expect(await hold(first, 10, 40)).toEqual({ held: 10, share: 5 });
    expect(await hold(first, 7, 40)).toEqual({ held: 7, share: 5 });
    expect(await hold(second, 0, 40)).toEqual({ held: 3, share: 5 });
    // Whoever wants less leaves the rest to the other.
    expect(await hold(second, 1, 1)).toEqual({ held: 1, share: 1 });
    expect(await hold(first, 7, 40)).toEqual({ held: 9, share: 9 });
    await ledger.query(`update runner_sessions set state = 'expired' where id = $1`, [first]);
    expect(await hold(second, 1, 40)).toEqual({ held: 10, share: 10 });
    expect(await hold(second, 0, 0)).toEqual({ held: 0, share: 0 });
  });
});
