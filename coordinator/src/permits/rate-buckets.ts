import type { EntityManager } from '@mikro-orm/postgresql';
import { type Grant, type RateLimit, rateRules } from '@proofmark/domain/rate-bucket';
import { type RawBuilder, sql } from 'kysely';
import { retryConflicts } from '../database/retry-conflicts.ts';
import { asWorker, type Database } from '../database/transactions.ts';

export interface BucketOf {
  tenantId: string;
  /** Endpoint and model. */
  key: string;
  /** As it is configured. */
  limit: RateLimit;
  /** What time it is; absent: what the clock of the ledger says, as always outside tests. */
  nowMs?: number;
}

/**
 * Up to `want` turns to call, for one of the runners that share the limit. The row is locked for one statement, so that
 * any number of replicas together give out what one would: the arithmetic is that of `takePermits` in the domain.
 */
export async function takeSharedPermits(
  database: Database,
  { want, ...of }: BucketOf & { want: number },
): Promise<Grant> {
  const { rows } = await withBucket(database, of, (em) =>
    sql<Grant>`
    with ${refilled(of)}, given as (
      select r.*, greatest(1, r.rate * ${rateRules.aheadMs}::float8 / 1000) as ahead,
        extract(epoch from r.paused_until - r.now) * 1000 as paused_ms from refilled r),
    granted as (
      select g.*, case when g.paused_ms > 0 then 0
        else least(${want}::int, greatest(0, floor(g.tokens + g.ahead)))::int end as granted from given g)
    update rate_buckets b set rate = g.rate, burst = ${of.limit.burst}, tokens = g.tokens - g.granted,
      updated_at = greatest(b.updated_at, g.now)
    from granted g where b.tenant_id = g.tenant_id and b.key = g.key
    returning g.granted, 1000 / g.rate as "spacingMs",
      case when g.paused_ms > 0 then 0 else greatest(0, (1 - g.tokens) * 1000 / g.rate) end::float8 as "firstMs",
      case when g.paused_ms > 0 then g.paused_ms
        else greatest(0, (1 - g.ahead - g.tokens) * 1000 / g.rate) end::float8 as "againMs"`.execute(em.getKysely()),
  );
  const [grant] = rows;
  if (grant === undefined) throw new Error('A bucket was removed while it was used');
  return grant;
}

/** Pauses the key for all runners and halves its rate: its provider has complained. Null: it did not say for how long. */
export async function slowDownShared(
  database: Database,
  { pauseMs, ...of }: BucketOf & { pauseMs: number | null },
): Promise<void> {
  const lowest = of.limit.perSecond * rateRules.lowestShare;
  const lengthS = Math.min(rateRules.longestPauseMs, pauseMs ?? rateRules.usualPauseMs) / 1_000;
  await withBucket(database, of, (em) =>
    sql<{ key: string }>`
    with ${refilled(of)}
    update rate_buckets b set tokens = 0, burst = ${of.limit.burst}, updated_at = greatest(b.updated_at, r.now),
      rate = case when r.paused_until > r.now then r.rate else greatest(${lowest}::float8, r.rate / 2) end,
      paused_until = greatest(r.paused_until, r.now + ${lengthS}::float8 * interval '1 second')
    from refilled r where b.tenant_id = r.tenant_id and b.key = r.key returning b.key`.execute(em.getKysely()),
  );
}

/** The row of the key, locked, with what has flowed in since it was last used. */
function refilled({ tenantId, key, limit, nowMs }: BucketOf): RawBuilder<unknown> {
  const { perSecond, burst } = limit;
  return sql`locked as (
      select b.*, coalesce(to_timestamp(${nowMs ?? null}::float8 / 1000), now()) as now from rate_buckets b
      where b.tenant_id = ${tenantId} and b.key = ${key} for update),
    quiet as (
      select l.*, greatest(0, extract(epoch from l.now - greatest(l.updated_at, l.paused_until)))::float8 as quiet_s
      from locked l),
    refilled as (
      select q.tenant_id, q.key, q.now, q.paused_until,
        least(${perSecond}::float8, q.rate + ${perSecond * rateRules.growthPerSecond}::float8 * q.quiet_s) as rate,
        least(${burst}::float8, q.tokens + least(${perSecond}::float8, q.rate) * q.quiet_s) as tokens
      from quiet q)`;
}

/** What the statement yields; a key that is used for the first time gets its row, and the statement runs once more. */
async function withBucket<Row>(
  database: Database,
  { tenantId, key, limit, nowMs }: BucketOf,
  statement: (em: EntityManager) => Promise<{ rows: Row[] }>,
): Promise<{ rows: Row[] }> {
  return retryConflicts(() =>
    asWorker(database, async (em) => {
      const found = await statement(em);
      if (found.rows.length > 0) return found;
      await sql`
        insert into rate_buckets (tenant_id, key, rate, burst, tokens, updated_at)
        values (${tenantId}, ${key}, ${limit.perSecond}, ${limit.burst}, ${limit.burst},
          coalesce(to_timestamp(${nowMs ?? null}::float8 / 1000), now()))
        on conflict do nothing`.execute(em.getKysely());
      return await statement(em);
    }),
  );
}
