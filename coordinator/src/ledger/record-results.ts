import type { EntityManager } from '@mikro-orm/postgresql';
import type { ResultMessage } from '@proofmark/contracts/result-message';
import { type RawBuilder, sql } from 'kysely';
import { chaosPoint } from '../database/chaos.ts';
import { prepared } from '../database/prepared.ts';
import { retryConflicts } from '../database/retry-conflicts.ts';
import { keysUncounted, type RowKey, uniqueKeys } from '../database/row-key.ts';
import { asWorker, type Database } from '../database/transactions.ts';
import { type Columns, names, unnestTaking, unnestUncounted } from '../database/unnest.ts';
import { goesOn } from './claim-chunks.ts';
import {
  addSums,
  countResults,
  type FinishedSuiteRun,
  finishEmptySuiteRuns,
  type OpenSuiteRun,
  type Spent,
} from './count-results.ts';
import { flattenMessage, type IncomingResult, keyColumns, outcomeColumns, usageColumns } from './incoming-results.ts';
import { lockSuiteRunsOf } from './lock-suite-runs.ts';
import { type ChunkOnRecord, type HeldResult, sortResults } from './sort-results.ts';

/** More would not be quicker; a statement has to stay well below its timeout. */
const largestBatch = 500;

export interface RecordedResults {
  /** Results that became the row of their test run. */
  recorded: number;
  /** Recorded before, or of an attempt that is void and was the sender's. What they spent is noted. */
  late: number;
  /** What no honest runner sends, or what is gone by now. Nothing of it is noted. */
  refused: RefusedResult[];
  finishedSuiteRuns: FinishedSuiteRun[];
  /** Runs with a new result. */
  touchedRuns: RowKey[];
}

interface RefusedResult {
  /** Its place in the messages. */
  message: number;
  chunkId: string;
  at: number;
  /** `unknown`: the tenant has no such test run in this run. `forged`: the sender never held the attempt. */
  why: 'unknown' | 'forged';
}

/**
 * Stores the results that come from the attempt on record and refuses all others; a message that comes twice changes
 * nothing. When this resolves the results are durable, and the messages may be acknowledged.
 */
export async function recordResults(database: Database, messages: readonly ResultMessage[]): Promise<RecordedResults> {
  return await recordMessages(
    database,
    messages.map((message) => ({ count: message.results.length, read: () => message })),
  );
}

/** A message that can be read more than once: the results in it are not held while Postgres stores them. */
export interface ReadableMessage {
  /** Its results. */
  count: number;
  read: () => ResultMessage;
}

/** The same for messages that are read when they are recorded, and once more where that is tried again. */
export async function recordMessages(
  database: Database,
  messages: readonly ReadableMessage[],
): Promise<RecordedResults> {
  const total: RecordedResults = { recorded: 0, late: 0, refused: [], finishedSuiteRuns: [], touchedRuns: [] };
  for (const batch of batchesOf(messages)) {
    const done = await retryConflicts(() => asWorker(database, (em) => recordBatch(em, batch)));
    total.recorded += done.recorded;
    total.late += done.late;
    total.refused.push(...done.refused);
    total.finishedSuiteRuns.push(...done.finishedSuiteRuns);
    total.touchedRuns = uniqueKeys([...total.touchedRuns, ...done.touchedRuns]);
  }
  return total;
}

/** With its place among all messages. */
type PlacedMessage = ReadableMessage & { place: number };

const sizeOf = (messages: readonly ReadableMessage[]): number => messages.reduce((sum, { count }) => sum + count, 0);

function batchesOf(messages: readonly ReadableMessage[]): PlacedMessage[][] {
  const batches: PlacedMessage[][] = [];
  for (const [place, message] of messages.entries()) {
    const last = batches.at(-1);
    if (last !== undefined && sizeOf(last) + message.count <= largestBatch) last.push({ ...message, place });
    else batches.push([{ ...message, place }]);
  }
  return batches;
}

async function recordBatch(em: EntityManager, batch: readonly PlacedMessage[]): Promise<RecordedResults> {
  const results = batch.flatMap(({ read, place }) => flattenMessage(read(), place));
  const keys = uniqueKeys(results.map(({ tenantId, chunkId }) => ({ tenantId, id: chunkId })));
  // Asked together, and locked one after the other.
  const [, chunks] = await Promise.all([lockSuiteRunsOf(em, keys), lockChunks(em, keys)]);
  // Out of their list: what is stored is held by nobody from then on.
  const sorted = sortResults(results.splice(0), chunks);
  const recorded = await insertResults(em, sorted.accepted);
  await countResults(em, [], await noteLate(em, sorted.late));
  await chaosPoint('after_insert_before_commit');
  const finishedSuiteRuns = await finishEmptySuiteRuns(em, recorded);
  return {
    recorded: recorded.reduce((sum, { count }) => sum + count, 0),
    late: sorted.late.length,
    refused: [...sorted.unknown.map(refusedFor('unknown')), ...sorted.forged.map(refusedFor('forged'))],
    finishedSuiteRuns,
    touchedRuns: uniqueKeys(recorded.map(({ tenantId, runId }) => ({ tenantId, id: runId }))),
  };
}

const refusedFor =
  (why: RefusedResult['why']) =>
  ({ message, chunkId, at }: IncomingResult): RefusedResult => ({ message, chunkId, at, why });

type ChunkRow = Omit<ChunkOnRecord, 'settled'> & { settled: string };

async function lockChunks(em: EntityManager, keys: readonly RowKey[]): Promise<ChunkOnRecord[]> {
  // Lists come as JSON, which Node reads at once: arrays of Postgres are read letter by letter.
  const { rows } = await sql<ChunkRow>`${prepared}
    select c.tenant_id as "tenantId", c.id, c.run_id as "runId", to_json(c.members) as members, c.settled::text as settled, c.state,
      c.attempt, c.session_id as "sessionId", to_json(c.holders) as holders,
      ${goesOn} as "goesOn"
    from (select * from ${keysUncounted(keys)} k order by id) k
    cross join lateral (select * from chunks c where c.tenant_id = k.tenant_id and c.id = k.id for update) c`.execute(
    em.getKysely(),
  );
  return rows.map((row) => ({ ...row, settled: BigInt(row.settled) }));
}

/** A suite run with what was added to it. */
interface Inserted extends OpenSuiteRun {
  count: number;
}

const spent = (usd: RawBuilder<unknown>): RawBuilder<unknown> => sql`sum(${usd})::float8 as usd,
  coalesce(sum(coalesce(prompt_tokens, 0)::bigint + coalesce(completion_tokens, 0)), 0)::float8 as tokens`;

const placeColumns: Columns<HeldResult> = {
  chunk_id: { type: 'uuid', of: ({ chunkId }) => chunkId },
  at: { type: 'int4', of: ({ at }) => at },
};

/**
 * Plan and result together become the row, and the place in the chunk is settled; the last one makes the chunk done. The
 * counters of the suite runs follow in the same statement. The chunks are locked and their places open, so no row can be there
 * already; a second one would break the key and with it the transaction. The results leave their list.
 */
async function insertResults(em: EntityManager, accepted: HeldResult[]): Promise<Inserted[]> {
  if (accepted.length === 0) return [];
  const outcome = names(outcomeColumns);
  const all = { ...keyColumns, ...placeColumns, ...outcomeColumns };
  const { rows } = await sql<Inserted>`${prepared}
    with x as (select * from ${unnestTaking(accepted, all, 'x')}),
    ins as (
      insert into test_case_results (tenant_id, id, run_id, test_case_id, case_name, case_key, case_hash, instrument_hash,
        sort_order, line, repetition, variant, resolved_variables, attempt, ${outcome})
      select p.tenant_id, p.test_run_id, p.suite_run_id, p.test_case_id, p.case_name, p.case_key, p.case_hash,
        p.instrument_hash, p.sort_order, p.line, p.repetition, p.variant, p.resolved_variables, x.attempt, ${outcome}
      from x cross join lateral (
        select * from planned_test_runs p where p.tenant_id = x.tenant_id and p.test_run_id = x.test_run_id offset 0) p
      returning tenant_id, run_id, status, spent_usd, prompt_tokens, completion_tokens),
    shut as (
      update chunks c set settled = c.settled | d.places, open_count = c.open_count - d.places_count,
        state = case when c.open_count = d.places_count then 'done' else c.state end,
        body = case when c.open_count = d.places_count then null else c.body end
      from (select tenant_id, chunk_id, bit_or(1::bigint << at) as places, count(*)::int as places_count
        from x group by 1, 2) d
      where c.tenant_id = d.tenant_id and c.id = d.chunk_id),
    sums as (
      select tenant_id, run_id as id, count(*)::int as count, count(*) filter (where status = 'passed')::int as passed,
        count(*) filter (where status in ('failed', 'error'))::int as failed,
        count(*) filter (where status = 'error')::int as errored,
        count(*) filter (where status = 'skipped')::int as skipped, ${spent(sql`spent_usd`)}
      from ins group by 1, 2)
    ${addSums(sql`sums d`)}, d.count`.execute(em.getKysely());
  return rows;
}

/**
 * What an attempt has spent whose session really held it, although its result counts nowhere: it came too late. An attempt is
 * one session's, so one that is on record came a second time, and its spending with it.
 */
async function noteLate(em: EntityManager, late: readonly HeldResult[]): Promise<Spent[]> {
  if (late.length === 0) return [];
  const { rows } = await sql<Spent>`${prepared}
    with ins as (
      insert into attempt_usage (suite_run_id, ${names(usageColumns)})
      select p.suite_run_id, u.* from ${unnestUncounted(late, usageColumns, 'u')} cross join lateral (
        select suite_run_id from planned_test_runs p
        where p.tenant_id = u.tenant_id and p.test_run_id = u.test_run_id offset 0) p
      where not exists (
        select from test_case_results c
        where c.tenant_id = u.tenant_id and c.id = u.test_run_id and c.attempt = u.attempt and c.started_at is not null)
      on conflict do nothing returning tenant_id, suite_run_id, cost_usd, prompt_tokens, completion_tokens)
    select tenant_id as "tenantId", suite_run_id as "suiteRunId", ${spent(sql`cost_usd`)} from ins group by 1, 2`.execute(
    em.getKysely(),
  );
  return rows;
}
