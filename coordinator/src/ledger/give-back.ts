import type { EntityManager } from '@mikro-orm/postgresql';
import { bitsOf, type Chunk, type ChunkPart, handBack, type Leaving } from '@proofmark/domain/chunk';
import { sql } from 'kysely';
import { keysOf, type RowKey } from '../database/row-key.ts';
import { type Columns, unnest } from '../database/unnest.ts';

/** A leased chunk that its session will not finish, as a transaction holds it locked. */
export type HeldChunk = RowKey & Pick<Chunk, 'members' | 'settled' | 'returnCount' | 'hasPairs'>;

/** A chunk with what of it goes back. */
export interface LeavingChunk {
  chunk: HeldChunk;
  leaving: Leaving;
}

interface HeldRow extends RowKey {
  members: string[];
  settled: string;
  returnCount: number;
  hasPairs: boolean;
}

/** The leased chunks of a session, locked in their order; of all of them or of those that are named. */
export async function lockHeld(
  em: EntityManager,
  sessionId: string,
  only: readonly RowKey[] | null = null,
): Promise<HeldChunk[]> {
  const named = only === null ? sql`` : sql`and (c.tenant_id, c.id) in ${keysOf(only)}`;
  const { rows } = await sql<HeldRow>`
    select c.tenant_id as "tenantId", c.id, c.members, c.settled::text as settled, c.return_count as "returnCount",
      c.base_suite_run_id is not null as "hasPairs"
    from chunks c where c.session_id = ${sessionId} and c.state = 'leased' ${named}
    order by c.id for update of c`.execute(em.getKysely());
  return rows.map((row) => ({ ...row, settled: BigInt(row.settled) }));
}

/** Puts test runs back into the queue. Returns how many. */
export async function giveBack(em: EntityManager, all: readonly LeavingChunk[]): Promise<number> {
  const whole: WholeChunk[] = [];
  const parts: NewPart[] = [];
  const cut: CutChunk[] = [];
  for (const { chunk, leaving } of all) {
    const { tenantId, id } = chunk;
    const back = handBack(chunk, leaving);
    if (back?.kind === 'whole') whole.push({ tenantId, id, ...back });
    if (back?.kind !== 'parts') continue;
    parts.push(...back.parts.map((part) => ({ tenantId, id, ...part })));
    cut.push({ tenantId, id, places: back.places });
  }
  await requeue(em, whole);
  await insertParts(em, parts);
  await settle(em, cut);
  return all.reduce((sum, { leaving: { untouched, crashed } }) => sum + untouched.length + crashed.length, 0);
}

interface WholeChunk extends RowKey {
  crashes: number;
  returns: number;
}

interface CutChunk extends RowKey {
  places: readonly number[];
}

type NewPart = RowKey & ChunkPart;

const wholeColumns: Columns<WholeChunk> = {
  tenant_id: { type: 'uuid', of: ({ tenantId }) => tenantId },
  id: { type: 'uuid', of: ({ id }) => id },
  crashes: { type: 'int4', of: ({ crashes }) => crashes },
  returns: { type: 'int4', of: ({ returns }) => returns },
};

async function requeue(em: EntityManager, whole: readonly WholeChunk[]): Promise<void> {
  if (whole.length === 0) return;
  await sql`
    update chunks c set state = 'queued', session_id = null, publish_gen = c.publish_gen + 1, published_at = null,
      crash_count = c.crash_count + w.crashes, return_count = c.return_count + w.returns
    from ${unnest(whole, wholeColumns, 'w')} where c.tenant_id = w.tenant_id and c.id = w.id`.execute(em.getKysely());
}

const partColumns: Columns<NewPart> = {
  tenant_id: { type: 'uuid', of: ({ tenantId }) => tenantId },
  id: { type: 'uuid', of: ({ id }) => id },
  members: { type: 'text', of: ({ members }) => `{${members.join(',')}}` },
  crashes: { type: 'int4', of: ({ crashes }) => crashes },
  returns: { type: 'int4', of: ({ returns }) => returns },
};

/** What their messages hold is written when they are published. */
async function insertParts(em: EntityManager, parts: readonly NewPart[]): Promise<void> {
  if (parts.length === 0) return;
  await sql`
    insert into chunks (tenant_id, suite_run_id, base_suite_run_id, run_id, pool, round, position, members, open_count, attempt,
      holders, crash_count, return_count, setting_hashes, contents)
    select c.tenant_id, c.suite_run_id, c.base_suite_run_id, c.run_id, c.pool, c.round, c.position, w.members::uuid[],
      cardinality(w.members::uuid[]), c.attempt, c.holders, c.crash_count + w.crashes, c.return_count + w.returns, '{}',
      c.contents
    from ${unnest(parts, partColumns, 'w')} join chunks c on c.tenant_id = w.tenant_id and c.id = w.id`.execute(
    em.getKysely(),
  );
}

const cutColumns: Columns<CutChunk> = {
  tenant_id: { type: 'uuid', of: ({ tenantId }) => tenantId },
  id: { type: 'uuid', of: ({ id }) => id },
  places: { type: 'int8', of: ({ places }) => bitsOf(places).toString() },
  count: { type: 'int4', of: ({ places }) => places.length },
};

async function settle(em: EntityManager, cut: readonly CutChunk[]): Promise<void> {
  if (cut.length === 0) return;
  await sql`
    update chunks c set settled = c.settled | w.places, open_count = c.open_count - w.count,
      state = case when c.open_count = w.count then 'closed' else c.state end,
      body = case when c.open_count = w.count then null else c.body end
    from ${unnest(cut, cutColumns, 'w')} where c.tenant_id = w.tenant_id and c.id = w.id`.execute(em.getKysely());
}
