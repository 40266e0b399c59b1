import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { keysOf, type RowKey } from '../database/row-key.ts';
import { type Columns, unnest } from '../database/unnest.ts';
import { openPlaces } from './chunk-places.ts';

/** A leased chunk that its session will not finish, as a transaction holds it locked. */
export interface HeldChunk extends RowKey {
  members: readonly string[];
  settled: bigint;
  /** How often it came back although nobody had begun it. */
  returnCount: number;
  hasPairs: boolean;
}

/** Open places of a chunk that go back to the queue. */
export interface Leaving {
  chunk: HeldChunk;
  /** As they were: nobody had begun them. */
  untouched: readonly number[];
  /** They were under way when their runner broke: it counts against each of them. */
  crashed: readonly number[];
  /** The runner fell silent: also what was not begun must not come back for ever. */
  counts: boolean;
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

/** Puts test runs back into the queue: what was under way in chunks of its own, everything else together as it was. Returns how many. */
export async function giveBack(em: EntityManager, all: readonly Leaving[]): Promise<number> {
  const whole: Leaving[] = [];
  const parts: NewPart[] = [];
  const cut: CutChunk[] = [];
  for (const leaving of all) {
    const { chunk, untouched, crashed } = leaving;
    if (untouched.length + crashed.length === 0) continue;
    if (isWhole(leaving)) {
      whole.push(leaving);
      continue;
    }
    parts.push(
      ...turnsOf(chunk, crashed).map((places) => partOf(leaving, places, 1)),
      ...together(chunk, untouched).map((places) => partOf(leaving, places, 0)),
    );
    cut.push({ ...keyOf(chunk), places: [...untouched, ...crashed] });
  }
  await requeue(em, whole);
  await insertParts(em, parts);
  await settle(em, cut);
  return all.reduce((sum, { untouched, crashed }) => sum + untouched.length + crashed.length, 0);
}

const keyOf = ({ tenantId, id }: RowKey): RowKey => ({ tenantId, id });

/** It goes back as the chunk that it is: nothing of it is done, and all of it was under way in one turn, or nothing. */
function isWhole({ chunk, untouched, crashed }: Leaving): boolean {
  if (untouched.length + crashed.length < chunk.members.length) return false;
  return crashed.length === 0 || (untouched.length === 0 && turnsOf(chunk, crashed).length === 1);
}

/** In one chunk, but for a test run whose partner is done: every place of an even number begins a pair. */
function together(chunk: HeldChunk, places: readonly number[]): number[][] {
  const turns = turnsOf(chunk, places);
  const alone = chunk.hasPairs ? turns.filter((turn) => turn.length === 1) : [];
  const rest = turns.filter((turn) => !alone.includes(turn)).flat();
  return rest.length === 0 ? alone : [rest, ...alone];
}

/** Both sides of a pair stay together. */
function turnsOf({ hasPairs }: HeldChunk, places: readonly number[]): number[][] {
  return [...Map.groupBy(places, (at) => (hasPairs ? Math.floor(at / 2) : at)).values()];
}

interface CutChunk extends RowKey {
  places: readonly number[];
}

interface NewPart extends RowKey {
  members: string[];
  crashes: number;
  returns: number;
}

const partOf = ({ chunk, counts }: Leaving, places: readonly number[], crashes: number): NewPart => ({
  ...keyOf(chunk),
  members: places.flatMap((at) => chunk.members[at] ?? []),
  crashes,
  returns: counts && crashes === 0 ? 1 : 0,
});

const wholeColumns: Columns<Leaving> = {
  tenant_id: { type: 'uuid', of: ({ chunk }) => chunk.tenantId },
  id: { type: 'uuid', of: ({ chunk }) => chunk.id },
  crashes: { type: 'int4', of: ({ crashed }) => (crashed.length > 0 ? 1 : 0) },
  returns: { type: 'int4', of: ({ crashed, counts }) => (counts && crashed.length === 0 ? 1 : 0) },
};

async function requeue(em: EntityManager, whole: readonly Leaving[]): Promise<void> {
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

/** The next attempt at a test run has the next number, also in another chunk. What its message holds is written when it is published. */
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
  places: { type: 'int8', of: ({ places }) => bitsOf(places) },
  count: { type: 'int4', of: ({ places }) => places.length },
};

/** As Postgres reads a bigint: the last place is its sign. */
const bitsOf = (places: readonly number[]): string =>
  BigInt.asIntN(
    64,
    places.reduce((bits, at) => bits | (1n << BigInt(at)), 0n),
  ).toString();

async function settle(em: EntityManager, cut: readonly CutChunk[]): Promise<void> {
  if (cut.length === 0) return;
  await sql`
    update chunks c set settled = c.settled | w.places, open_count = c.open_count - w.count,
      state = case when c.open_count = w.count then 'closed' else c.state end,
      body = case when c.open_count = w.count then null else c.body end
    from ${unnest(cut, cutColumns, 'w')} where c.tenant_id = w.tenant_id and c.id = w.id`.execute(em.getKysely());
}

/** Which of the open places a runner had begun, by what it last said was waiting. What came back too often counts as begun. */
export function sortOpen(
  chunk: HeldChunk,
  waiting: ReadonlySet<string>,
  mostReturns = 3,
): Pick<Leaving, 'untouched' | 'crashed'> {
  const open = openPlaces(chunk.members.length, chunk.settled);
  const isWaiting = (at: number) => chunk.returnCount < mostReturns && waiting.has(chunk.members[at] ?? '');
  return { untouched: open.filter(isWaiting), crashed: open.filter((at) => !isWaiting(at)) };
}
