import type { EntityManager } from '@mikro-orm/postgresql';
import {
  type Buckets,
  type CallLimits,
  giveTurns,
  type Holder,
  type LimitKind,
  limitKinds,
  limitOf,
  newBucket,
  slowDownAll,
  type TurnsAsked,
  type TurnsGiven,
} from '@proofmark/domain/call-limits';
import type { TokenBucket } from '@proofmark/domain/rate-bucket';
import { sql } from 'kysely';
import { retryConflicts } from '../database/retry-conflicts.ts';
import { asWorker, type Database } from '../database/transactions.ts';
import { type Columns, unnest } from '../database/unnest.ts';

export interface LimitedModel {
  tenantId: string;
  /** Endpoint and model. */
  key: string;
  /** As they are configured. */
  limits: CallLimits;
  /** What time it is; absent: what the clock of the ledger says, as always outside tests. */
  nowMs?: number;
}

/** The row of each limit of a model. */
const rowKey = (key: string, kind: LimitKind): string => (kind === 'requests' ? key : `${key} ${kind}`);

interface Question {
  sessionId: string;
  asked: TurnsAsked;
  nowMs?: number | undefined;
}

/**
 * What each of these gets, one after the other, in one transaction. The rows of the model are locked meanwhile, so that any
 * number of replicas together give out what one would.
 */
async function takeAll(database: Database, model: LimitedModel, questions: readonly Question[]): Promise<TurnsGiven[]> {
  const toldMs = questions[0]?.nowMs;
  const now = toldMs === undefined ? {} : { nowMs: toldMs };
  return await withModel(database, { ...model, ...now }, async (em, locked) => {
    let { buckets } = locked;
    const holders = await readHolders(em, model, questions);
    const before = new Map(holders);
    const ids = [...holders.keys()];
    const given = questions.map(({ sessionId, asked, nowMs = locked.nowMs }) => {
      const state = { buckets, holders: [...holders.values()], at: ids.indexOf(sessionId) };
      const taken = giveTurns(model.limits, state, asked, nowMs);
      buckets = taken.buckets;
      holders.set(sessionId, { held: taken.given.held, wants: asked.wants });
      return taken.given;
    });
    await writeBuckets(em, model, buckets);
    await writeHolders(em, model, before, holders);
    return given;
  });
}

/**
 * Turns to call for one of the runners that share the limits of a model. Who asks while an answer is under way is answered
 * with all others that do, so that a limit costs one connection, however many runners there are.
 */
export function sharedTurns(database: Database): (model: LimitedModel & Question) => Promise<TurnsGiven> {
  const models = new Map<string, Waiting[]>();
  const answerAll = async (id: string, model: LimitedModel, waiting: Waiting[]): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0);
      try {
        const given = await takeAll(database, model, batch);
        for (const [at, { resolve }] of batch.entries()) resolve(given[at]);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    models.delete(id);
  };
  return ({ sessionId, asked, nowMs, ...model }) =>
    new Promise((resolve, reject) => {
      const question = {
        ...{ sessionId, asked, nowMs, reject },
        resolve: (given: TurnsGiven | undefined) =>
          given === undefined ? reject(new Error('a question without an answer')) : resolve(given),
      };
      const id = JSON.stringify(model);
      const waiting = models.get(id);
      if (waiting !== undefined) return void waiting.push(question);
      const first = [question];
      models.set(id, first);
      void answerAll(id, model, first);
    });
}

interface Waiting extends Question {
  resolve: (given: TurnsGiven | undefined) => void;
  reject: (error: unknown) => void;
}

/** Pauses the model for all runners and halves what it may be asked: its provider has complained. Null: it did not say for how long. */
export async function slowDownShared(
  database: Database,
  { pauseMs, ...model }: LimitedModel & { pauseMs: number | null },
): Promise<void> {
  await withModel(database, model, async (em, { buckets, nowMs }) => {
    await writeBuckets(em, model, slowDownAll(model.limits, buckets, pauseMs, nowMs));
  });
}

interface BucketRow {
  key: string;
  rate: number;
  tokens: number;
  updatedAtMs: number;
  pausedUntilMs: number;
  nowMs: number;
}

interface Locked {
  buckets: Buckets;
  nowMs: number;
}

async function withModel<Result>(
  database: Database,
  model: LimitedModel,
  use: (em: EntityManager, locked: Locked) => Promise<Result>,
): Promise<Result> {
  return retryConflicts(() =>
    asWorker(database, async (em) => {
      const known = await lockBuckets(em, model);
      const kinds = limitKinds(model.limits);
      if (known.length === kinds.length) return await use(em, bucketsOf(model, known));
      await addBuckets(em, model);
      return await use(em, bucketsOf(model, await lockBuckets(em, model)));
    }),
  );
}

/** The rows in the order of their keys, so that two who want the same ones wait for each other in one direction. */
async function lockBuckets(em: EntityManager, { tenantId, key, limits, nowMs }: LimitedModel): Promise<BucketRow[]> {
  const keys = limitKinds(limits).map((kind) => rowKey(key, kind));
  const { rows } = await sql<BucketRow>`
    select key, rate, tokens, extract(epoch from updated_at)::float8 * 1000 as "updatedAtMs",
      coalesce(extract(epoch from paused_until)::float8 * 1000, 0) as "pausedUntilMs",
      coalesce(${nowMs ?? null}::float8, extract(epoch from clock_timestamp())::float8 * 1000) as "nowMs"
    from (select * from rate_buckets where tenant_id = ${tenantId} and key = any(${keys}::text[]) order by key for update) b`.execute(
    em.getKysely(),
  );
  return rows;
}

function bucketsOf({ key, limits }: LimitedModel, rows: readonly BucketRow[]): Locked {
  const byKey = new Map(rows.map(({ key: name, nowMs: _now, ...bucket }): [string, TokenBucket] => [name, bucket]));
  const found = limitKinds(limits).flatMap((kind) => {
    const bucket = byKey.get(rowKey(key, kind));
    return bucket === undefined ? [] : [[kind, bucket] as const];
  });
  const [first] = rows;
  if (first === undefined) throw new Error('A limit was removed while it was used');
  return { buckets: Object.fromEntries(found), nowMs: first.nowMs };
}

interface NewRow extends TokenBucket {
  key: string;
  burst: number;
}

const columns: Columns<NewRow> = {
  key: { type: 'text', of: ({ key }) => key },
  rate: { type: 'float8', of: ({ rate }) => rate },
  burst: { type: 'float8', of: ({ burst }) => burst },
  tokens: { type: 'float8', of: ({ tokens }) => tokens },
  updated: { type: 'float8', of: ({ updatedAtMs }) => updatedAtMs / 1_000 },
  paused: { type: 'float8', of: ({ pausedUntilMs }) => (pausedUntilMs === 0 ? null : pausedUntilMs / 1_000) },
};

const rowsOf = ({ key, limits }: LimitedModel, buckets: Buckets): NewRow[] =>
  limitKinds(limits).flatMap((kind) => {
    const bucket = buckets[kind];
    return bucket === undefined ? [] : [{ ...bucket, key: rowKey(key, kind), burst: limitOf(limits, kind).burst }];
  });

async function addBuckets(em: EntityManager, model: LimitedModel): Promise<void> {
  const all = limitKinds(model.limits).map((kind) => [kind, newBucket(model.limits, kind, 0)]);
  const rows = rowsOf(model, Object.fromEntries(all));
  await sql`
    insert into rate_buckets (tenant_id, key, rate, burst, tokens, updated_at)
    select ${model.tenantId}::uuid, b.key, b.rate, b.burst, b.tokens,
      coalesce(to_timestamp(${model.nowMs ?? null}::float8 / 1000), clock_timestamp())
    from ${unnest(rows, columns, 'b')} order by b.key on conflict do nothing`.execute(em.getKysely());
}

async function writeBuckets(em: EntityManager, model: LimitedModel, buckets: Buckets): Promise<void> {
  await sql`
    update rate_buckets t set rate = b.rate, burst = b.burst, tokens = b.tokens, updated_at = to_timestamp(b.updated),
      paused_until = to_timestamp(b.paused)
    from ${unnest(rowsOf(model, buckets), columns, 'b')} where t.tenant_id = ${model.tenantId} and t.key = b.key`.execute(
    em.getKysely(),
  );
}

/** Who shares the limit on calls under way, in the order of their sessions. What a session held that has ended is nobody's. */
async function readHolders(
  em: EntityManager,
  { tenantId, key, limits }: LimitedModel,
  questions: readonly Question[],
): Promise<Map<string, Holder>> {
  const asking = questions.map(({ sessionId }): [string, Holder] => [sessionId, { held: 0, wants: 0 }]);
  if (limits.inFlight === undefined) return new Map(asking);
  const { rows } = await sql<Holder & { sessionId: string }>`
    select h.session_id as "sessionId", h.held, h.wants from call_holders h
    join runner_sessions s on s.id = h.session_id and s.state = 'open' and s.lease_until > now()
    where h.tenant_id = ${tenantId} and h.key = ${key}`.execute(em.getKysely());
  const known = rows.map(({ sessionId, ...holder }): [string, Holder] => [sessionId, holder]);
  return new Map([...new Map([...asking, ...known])].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

interface HolderRow extends Holder {
  sessionId: string;
}

const holderColumns: Columns<HolderRow> = {
  session_id: { type: 'uuid', of: ({ sessionId }) => sessionId },
  held: { type: 'int4', of: ({ held }) => held },
  wants: { type: 'int4', of: ({ wants }) => wants },
};

async function writeHolders(
  em: EntityManager,
  { tenantId, key, limits }: LimitedModel,
  before: ReadonlyMap<string, Holder>,
  after: ReadonlyMap<string, Holder>,
): Promise<void> {
  if (limits.inFlight === undefined) return;
  const changed = [...after].flatMap(([sessionId, { held, wants }]): HolderRow[] => {
    const known = before.get(sessionId);
    return known?.held === held && known.wants === wants ? [] : [{ sessionId, held, wants }];
  });
  if (changed.length === 0) return;
  await sql`
    insert into call_holders (tenant_id, key, session_id, held, wants)
    select ${tenantId}::uuid, ${key}::text, h.* from ${unnest(changed, holderColumns, 'h')} order by h.session_id
    on conflict (tenant_id, key, session_id) do update set held = excluded.held, wants = excluded.wants`.execute(
    em.getKysely(),
  );
}
