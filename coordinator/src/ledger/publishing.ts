import { MAX_CRASHES } from '@proofmark/domain/lifecycle';
import { sql } from 'kysely';
import { prepared } from '../database/prepared.ts';
import { retryConflicts } from '../database/retry-conflicts.ts';
import { keysOf, type RowKey, uniqueKeys } from '../database/row-key.ts';
import { askAsWorker, asWorker, type Database } from '../database/transactions.ts';
import { type Columns, unnest, unnestUncounted } from '../database/unnest.ts';
import { writeBody, writeTask } from './chunk-body.ts';
import { serves } from './fleet.ts';

/** A chunk with the message that is to be sent for it. */
export interface Task extends RowKey {
  runId: string;
  publishGen: number;
  payload: string;
  /** How many of its test runs are open. */
  testRuns: number;
  /** The span that started its run; null where the chunk is not traced. */
  traceParent: string | null;
}

interface Filling {
  pool: string;
  /** Chunks of one pass. */
  limit: number;
  /** Test runs that runners take until the next pass, as far as that is known. */
  pace?: number;
}

interface WaitingChunk extends RowKey {
  runId: string;
  publishGen: number;
  testRuns: number;
  settingHashes: string[];
  body: string | null;
  traceParent: string | null;
}

/**
 * Test runs that the broker holds beside those that run: half of what runners have slots for, or what they take until the next
 * pass, if they are that fast. What is there can no longer be overtaken, and each claim has the next ones published within moments.
 */
const shareOfSlots = 0.5;
const smallestWindow = 32;
/** Chunks of a run that are traced, those at its beginning: a trace of a large run would be as large as its results. */
const mostTraced = 32;
/** Of each run no more is looked at than could leave in one pass: so many chunks at most, and no more than there is room for test runs. */
const looked = 64;

/**
 * The chunks that are to be published next: of the run first of which the broker holds least, so that a run of ten cases waits for nothing behind one
 * of a hundred thousand, and no more than runners are about to take, because only what is not published can still wait for
 * somebody else. A run of which the broker holds nothing may always have one chunk there. Nothing is locked: two replicas may
 * take the same ones, and a chunk that is published twice is claimed once.
 */
export async function takeUnpublished(database: Database, { pool, limit, pace = 0 }: Filling): Promise<Task[]> {
  const chunks = await askAsWorker(
    database,
    sql<WaitingChunk>`${prepared}
      with size as (
        select greatest(${smallestWindow}::int, ${pace}::int, ${shareOfSlots}::float8 * coalesce(sum(slots), 0)) as slots from runner_sessions s
        where ${serves(sql`s`, sql`${pool}::text`)}),
      published as materialized (
        select run_id, sum(open_count) as test_runs, count(*) as chunks from chunks
        where pool = ${pool} and state = 'queued' and published_at is not null group by 1),
      room as (select size.slots - coalesce((select sum(test_runs) from published), 0) as slots from size),
      waiting as (
        select c.*, case when c.position < ${mostTraced} then a.trace_parent end as "traceParent", p.chunks is null and row_number() over next = 1 as "isFirst",
          coalesce(p.test_runs, 0) + sum(c.open_count) over next - c.open_count as turn
        from runs a left join published p on p.run_id = a.id cross join lateral (
          select c.tenant_id, c.id, c.run_id, c.round, c.position, c.open_count from chunks c
          where c.run_id = a.id and c.tenant_id = a.tenant_id and c.state = 'queued' and c.published_at is null
            and c.pool = ${pool} and c.crash_count < ${MAX_CRASHES} and exists (
              select from test_suite_runs r where r.tenant_id = c.tenant_id and r.id = c.suite_run_id
                and r.ending is null and r.deadline_at > now() and (r.open_round is null or c.round <= r.open_round))
          order by c.round, c.position limit least(${looked}::int, greatest(1, ceil((select slots from room))))::int) c
        where a.status in ('pending', 'running')
        window next as (partition by a.id order by c.round, c.position, c.id rows unbounded preceding)),
      ahead as (
        select w.*, sum(w.open_count) over (order by w.turn, w.run_id, w.id rows unbounded preceding) - w.open_count
          as before from waiting w)
      select c.tenant_id as "tenantId", c.id, c.run_id as "runId", c.publish_gen as "publishGen", c.open_count as "testRuns",
        to_json(c.setting_hashes) as "settingHashes", c.body, a."traceParent"
      from (select * from ahead where "isFirst" or before < (select slots from room)
        order by turn, run_id, id limit ${limit}) a
      cross join lateral (select * from chunks c where c.tenant_id = a.tenant_id and c.id = a.id offset 0) c
      order by a.turn, a.run_id, a.id`,
  );
  return chunks.length === 0 ? [] : await withPayloads(database, chunks);
}

async function withPayloads(database: Database, chunks: readonly WaitingChunk[]): Promise<Task[]> {
  const ready = chunks.flatMap((chunk) => (chunk.body === null ? [] : [{ ...chunk, body: chunk.body }]));
  const settings = await readSettings(database, ready);
  const rewritten = await writeAgain(
    database,
    chunks.filter(({ body }) => body === null),
  );
  const payloads = new Map(rewritten);
  for (const chunk of ready) {
    const { tenantId, id: chunkId, runId, publishGen, settingHashes, body } = chunk;
    const shared = settingHashes.map((hash) => settings.get(`${tenantId} ${hash}`) ?? 'null');
    payloads.set(chunkId, writeTask({ tenantId, runId, chunkId, publishGen, settings: shared, body }));
  }
  return chunks.map(({ tenantId, id, runId, publishGen, traceParent, testRuns }) => ({
    ...{ tenantId, id, runId, publishGen, traceParent, testRuns },
    payload: payloads.get(id) ?? '',
  }));
}

interface HashRow {
  tenantId: string;
  hash: string;
}

const hashColumns: Columns<HashRow> = {
  tenant_id: { type: 'uuid', of: ({ tenantId }) => tenantId },
  hash: { type: 'text', of: ({ hash }) => hash },
};

/** Characters of settings that are remembered, at most; all chunks of a suite run name the same. */
const mostRemembered = 8_000_000;
const rememberedBy = new WeakMap<Database, Map<string, string>>();

/** By tenant and hash. What a hash names never changes, so each is read once. */
async function readSettings(database: Database, chunks: readonly WaitingChunk[]): Promise<ReadonlyMap<string, string>> {
  const remembered = rememberedBy.get(database) ?? new Map<string, string>();
  rememberedBy.set(database, remembered);
  const missing = new Map<string, HashRow>();
  for (const { tenantId, settingHashes } of chunks)
    for (const hash of settingHashes)
      if (!remembered.has(`${tenantId} ${hash}`)) missing.set(`${tenantId} ${hash}`, { tenantId, hash });
  if (missing.size === 0) return remembered;
  const rows = await askAsWorker(
    database,
    sql<HashRow & { content: string }>`
      select w.tenant_id as "tenantId", w.hash, w.content::text as content
      from ${unnest([...missing.values()], hashColumns, 'h')}
      join work_contents w on w.tenant_id = h.tenant_id and w.hash = h.hash`,
  );
  const found = new Map(rows.map(({ tenantId, hash, content }) => [`${tenantId} ${hash}`, content]));
  const all = new Map([...remembered, ...found]);
  const size = [...all.values()].reduce((sum, { length }) => sum + length, 0);
  if (size > mostRemembered) remembered.clear();
  for (const [key, content] of found) if (content.length <= mostRemembered) remembered.set(key, content);
  return all;
}

interface PlannedRow {
  chunkId: string;
  testRunId: string;
  testCaseId: string;
  variant: string;
  caseKey: string;
  repetition: number;
  seed: string;
  settingHash: string;
  setting: string;
  caseHash: string;
  case: string;
}

/** Messages of chunks that came back in part: they are made from the plan. */
async function writeAgain(database: Database, chunks: readonly WaitingChunk[]): Promise<[string, string][]> {
  if (chunks.length === 0) return [];
  // Each is looked up by its own key: joined, with statistics of before the run, all of a tenant is compared with all of it.
  const rows = await askAsWorker(
    database,
    sql<PlannedRow>`
    select c.id as "chunkId", p.test_run_id as "testRunId", p.test_case_id as "testCaseId", p.variant, p.case_key as "caseKey", p.repetition, p.seed,
      p.setting_hash as "settingHash", ws.content::text as setting, p.case_content_hash as "caseHash", wc.content::text as case
    from chunks c cross join lateral unnest(c.members) with ordinality m(test_run_id, n)
    cross join lateral (
      select * from planned_test_runs p where p.tenant_id = c.tenant_id and p.test_run_id = m.test_run_id offset 0) p
    cross join lateral (
      select w.content from work_contents w where w.tenant_id = p.tenant_id and w.hash = p.setting_hash offset 0) ws
    cross join lateral (
      select w.content from work_contents w where w.tenant_id = p.tenant_id and w.hash = p.case_content_hash offset 0) wc
    where (c.tenant_id, c.id) in ${keysOf(uniqueKeys(chunks))} order by c.id, m.n`,
  );
  const byChunk = Map.groupBy(rows, ({ chunkId }) => chunkId);
  return chunks.map(({ id, tenantId, runId, publishGen }) => {
    const { settings, text } = writeBody(turnsOf(byChunk.get(id) ?? []).map((turn) => turn.map(bodyTestRun)));
    const shared = settings.map(({ json }) => json);
    return [id, writeTask({ tenantId, runId, chunkId: id, publishGen, settings: shared, body: text })];
  });
}

/** A baseline and the candidate behind it that answers the same in the same repetition are a pair. */
function turnsOf(rows: readonly PlannedRow[]): PlannedRow[][] {
  const turns: PlannedRow[][] = [];
  for (const row of rows) {
    const [last, second] = turns.at(-1) ?? [];
    const isPair =
      second === undefined &&
      last?.variant === 'baseline' &&
      row.variant === 'candidate' &&
      last.caseKey === row.caseKey &&
      last.repetition === row.repetition;
    if (isPair) turns.at(-1)?.push(row);
    else turns.push([row]);
  }
  return turns;
}

const bodyTestRun = ({ testRunId: id, testCaseId, repetition, seed, ...row }: PlannedRow) => ({
  ...{ id, testCaseId, repetition, seed },
  parts: { setting: { hash: row.settingHash, json: row.setting }, case: { hash: row.caseHash, json: row.case } },
});

type Published = Pick<Task, keyof RowKey | 'publishGen'>;

const taskColumns: Columns<Published> = {
  tenant_id: { type: 'uuid', of: ({ tenantId }) => tenantId },
  id: { type: 'uuid', of: ({ id }) => id },
  publish_gen: { type: 'int4', of: ({ publishGen }) => publishGen },
};

/**
 * Notes that the broker has these chunks. One that was queued again in the meantime stays to be published, and one that
 * somebody holds is about to be leased. What a power failure takes of this is published again.
 */
export async function markPublished(database: Database, tasks: readonly Published[]): Promise<void> {
  if (tasks.length === 0) return;
  await retryConflicts(() =>
    askAsWorker(
      database,
      sql`${prepared}
        with hasty as (select set_config('synchronous_commit', 'off', true)),
        pick as (
          select c.tenant_id, c.id from (select * from ${unnestUncounted(tasks, taskColumns, 'p')} order by id) p
          cross join lateral (
            select * from chunks c where c.tenant_id = p.tenant_id and c.id = p.id for update skip locked) c
          where p.publish_gen >= c.publish_gen and (c.state = 'queued' and c.published_at is null) is true)
        update chunks c set published_at = now() from pick p, hasty
        where c.tenant_id = p.tenant_id and c.id = p.id`,
    ),
  );
}

/** How many chunks are published and claimed by nobody: about as many messages the broker should hold. */
export async function publishedBacklog(database: Database, pool: string): Promise<number> {
  return asWorker(database, async (em) => {
    const { rows } = await sql<{ published: number }>`
      select count(*)::int as published from chunks
      where pool = ${pool} and state = 'queued' and published_at < now() - interval '5 seconds'`.execute(
      em.getKysely(),
    );
    return rows[0]?.published ?? 0;
  });
}

/** Has the published and unclaimed chunks of a pool published again: the broker lost some. Returns how many chunks that are. */
export async function republish(database: Database, pool: string): Promise<number> {
  return retryConflicts(() =>
    asWorker(database, async (em) => {
      const { rows } = await sql`
        with pick as (
          select tenant_id, id from chunks
          where pool = ${pool} and state = 'queued' and published_at is not null order by id for update)
        update chunks c set publish_gen = c.publish_gen + 1, published_at = null from pick p
        where c.tenant_id = p.tenant_id and c.id = p.id returning c.id`.execute(em.getKysely());
      return rows.length;
    }),
  );
}
