import type { EntityManager } from '@mikro-orm/postgresql';
import type { CassetteEntry } from '@proofmark/contracts/cassette';
import type { SimulatedAnswerReply, SimulatedAnswerRequest } from '@proofmark/contracts/control-messages';
import { sql } from 'kysely';
import { retryConflicts } from '../database/retry-conflicts.ts';
import { storableJson } from '../database/storable.ts';
import { asWorker, type Database, inTenant } from '../database/transactions.ts';

/** The run for which an attempt may ask: only what the ledger says of its chunk. */
interface Asking {
  tenantId: string;
  runId: string;
  suiteId: string;
}

/**
 * What the run knows of a call of a simulated tool. An answer that comes along is recorded unless there is one: whoever
 * comes first wins, and everybody is told the winner. An attempt that is not held hears nothing.
 */
export async function shareSimulatedAnswer(
  database: Database,
  request: SimulatedAnswerRequest,
): Promise<SimulatedAnswerReply> {
  const asking = await asWorker(database, (em) => findRun(em, request));
  if (asking === undefined) return { lease: 'lost' };
  const known = await retryConflicts(() => inTenant(database, asking.tenantId, (em) => share(em, asking, request)));
  return { lease: 'held', known };
}

async function findRun(
  em: EntityManager,
  { sessionId, tenantId, chunkId, attempt }: SimulatedAnswerRequest,
): Promise<Asking | undefined> {
  const { rows } = await sql<Asking>`
    select c.tenant_id as "tenantId", c.run_id as "runId", s.suite_id as "suiteId" from chunks c
    join test_suite_runs s on s.tenant_id = c.tenant_id and s.id = c.suite_run_id
    where c.tenant_id = ${tenantId} and c.id = ${chunkId} and c.state = 'leased' and c.session_id = ${sessionId}
      and c.attempt = ${attempt}`.execute(em.getKysely());
  return rows[0];
}

async function share(
  em: EntityManager,
  asking: Asking,
  { key, entry }: SimulatedAnswerRequest,
): Promise<CassetteEntry | null> {
  const known = await find(em, asking, key);
  if (known !== null) return known;
  await takeOver(em, asking, key);
  if (entry !== undefined) {
    await sql`
      insert into simulated_answers (tenant_id, run_id, key, entry)
      values (${asking.tenantId}, ${asking.runId}, ${key}, ${storableJson({ ...entry, key })}::jsonb)
      on conflict do nothing`.execute(em.getKysely());
  }
  // Not the row that was written: another runner may have been first, and its row is seen only by a new statement.
  return await find(em, asking, key);
}

async function find(em: EntityManager, { tenantId, runId }: Asking, key: string): Promise<CassetteEntry | null> {
  const { rows } = await sql<{ entry: CassetteEntry }>`
    select entry from simulated_answers where tenant_id = ${tenantId} and run_id = ${runId} and key = ${key}`.execute(
    em.getKysely(),
  );
  return rows[0]?.entry ?? null;
}

/**
 * What the run that is repeated heard counts here, too, and what an earlier run of the suite heard: its results may be what
 * this run is compared with. Not that of a pull request. The answer is copied, so that it outlives the run it comes from.
 */
async function takeOver(em: EntityManager, { tenantId, runId, suiteId }: Asking, key: string): Promise<void> {
  await sql`
    insert into simulated_answers (tenant_id, run_id, key, entry)
    select a.tenant_id, r.id, a.key, a.entry from simulated_answers a
    join runs b on b.tenant_id = a.tenant_id and b.id = a.run_id
    join runs r on r.tenant_id = a.tenant_id and r.id = ${runId}
    where a.tenant_id = ${tenantId} and a.key = ${key} and (b.id = r.rerun_of or (
      b.created_at < r.created_at and b.pull_request is null and exists (select 1 from test_suite_runs s
        where s.tenant_id = b.tenant_id and s.run_id = b.id and s.suite_id = ${suiteId})))
    order by (b.id = r.rerun_of) is true desc, b.created_at desc, b.id limit 1
    on conflict do nothing`.execute(em.getKysely());
}
