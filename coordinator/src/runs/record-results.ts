import type { EntityManager } from '@mikro-orm/postgresql';
import type { ResultMessage } from '@proofmark/contracts/result-message';
import { sql } from 'kysely';
import { chaosPoint } from '../chaos.ts';
import { asWorker, type Database } from '../database/connect.ts';
import { retryConflicts } from '../database/retry-conflicts.ts';
import { names, unnest } from '../database/unnest.ts';
import { countIn, type FinishedSuiteRun, finishEmptySuiteRuns } from './count-results.ts';
import {
  flattenMessages,
  type IncomingResult,
  identityColumns,
  outcomeColumns,
  payloadColumns,
} from './incoming-results.ts';
import { lockSuiteRuns } from './lock-suite-runs.ts';
import { type RowKey, uniqueKeys } from './row-key.ts';

/** More would not be quicker; a statement has to stay well below its timeout. */
const largestBatch = 500;

export interface RecordedResults {
  /** Results that became the row of their test run. */
  recorded: number;
  /** Refused: recorded before, of a void attempt or of another session. What they spent is noted. */
  late: number;
  /** Test runs that the tenant does not have under this suite run and run. */
  unknownTestRunIds: string[];
  finishedSuiteRuns: FinishedSuiteRun[];
  /** Runs with a new result. */
  touchedRuns: RowKey[];
}

/**
 * Stores the results that come from the attempt on record and refuses all others; a message that comes twice changes
 * nothing. When this resolves the results are durable, and the messages may be acknowledged.
 */
export async function recordResults(database: Database, messages: readonly ResultMessage[]): Promise<RecordedResults> {
  const results = flattenMessages(messages);
  const total: RecordedResults = {
    recorded: 0,
    late: 0,
    unknownTestRunIds: [],
    finishedSuiteRuns: [],
    touchedRuns: [],
  };
  for (let start = 0; start < results.length; start += largestBatch) {
    const batch = results.slice(start, start + largestBatch);
    const done = await retryConflicts(() => asWorker(database, (em) => recordBatch(em, batch)));
    total.recorded += done.recorded;
    total.late += batch.length - done.recorded - done.unknownTestRunIds.length;
    total.unknownTestRunIds.push(...done.unknownTestRunIds);
    total.finishedSuiteRuns.push(...done.finishedSuiteRuns);
    total.touchedRuns = uniqueKeys([...total.touchedRuns, ...done.touchedRuns]);
  }
  return total;
}

type RecordedBatch = Omit<RecordedResults, 'late'>;

async function recordBatch(em: EntityManager, batch: readonly IncomingResult[]): Promise<RecordedBatch> {
  const keys = uniqueKeys(batch.map(({ tenantId, suiteRunId }) => ({ tenantId, id: suiteRunId })));
  await lockSuiteRuns(em, keys);
  const { recorded, unknown } = await insertResults(em, batch);
  const open = await countIn(em, recorded);
  await chaosPoint('after_insert_before_commit');
  const finishedSuiteRuns = await finishEmptySuiteRuns(em, open);
  return {
    recorded: recorded.length,
    unknownTestRunIds: unknown,
    finishedSuiteRuns,
    touchedRuns: uniqueKeys(open.map(({ tenantId, runId }) => ({ tenantId, id: runId }))),
  };
}

interface Inserted {
  recorded: { tenantId: string; suiteRunId: string; status: string }[];
  unknown: string[];
}

/** The fence: only the attempt and session on record move the lease, and only a moved lease makes a row. */
async function insertResults(em: EntityManager, batch: readonly IncomingResult[]): Promise<Inserted> {
  const columns = { ...identityColumns, ...outcomeColumns, ...payloadColumns };
  const outcome = names(outcomeColumns);
  const answer = await sql<Inserted>`
    with incoming as (
      select distinct on (tenant_id, run_id, suite_run_id, test_run_id, attempt, session_id) *
      from ${unnest(batch, columns, 'x')}),
    known as (
      select i.* from incoming i join test_run_leases l using (tenant_id, run_id, suite_run_id, test_run_id)),
    locked as (
      select l.* from test_run_leases l
      where l.state = 'leased' and (l.tenant_id, l.test_run_id) in (select i.tenant_id, i.test_run_id from known i)
      order by l.test_run_id for update),
    won as (
      update test_run_leases l set state = 'done', work = null from locked k
      join known i using (tenant_id, test_run_id, attempt, session_id)
      where l.tenant_id = k.tenant_id and l.test_run_id = k.test_run_id
      returning l.tenant_id, l.test_run_id, l.attempt, l.session_id),
    chosen as (
      select i.*, k.test_case_id, k.case_name, k.case_key, k.case_hash, k.instrument_hash, k.sort_order, k.repetition,
        k.variant, k.resolved_variables, k.work
      from known i join won using (tenant_id, test_run_id, attempt, session_id) join locked k using (tenant_id, test_run_id)),
    ins as (
      insert into test_case_results (tenant_id, id, run_id, test_case_id, case_name, case_key, case_hash, instrument_hash,
        sort_order, repetition, variant, resolved_variables, attempt, ${outcome})
      select tenant_id, test_run_id, suite_run_id, test_case_id, case_name, case_key, case_hash, instrument_hash,
        sort_order, repetition, variant, resolved_variables, attempt, ${outcome} from chosen
      on conflict do nothing returning tenant_id, id, run_id, status),
    pay as (
      insert into test_case_payloads (tenant_id, id, work, outcome)
      select tenant_id, test_run_id, work, payload from chosen where (tenant_id, test_run_id) in (select tenant_id, id from ins)),
    used as (
      insert into attempt_usage (tenant_id, test_run_id, attempt, session_id, suite_run_id, prompt_tokens, completion_tokens,
        cost_usd, accepted)
      select i.tenant_id, i.test_run_id, i.attempt, i.session_id, i.suite_run_id, i.prompt_tokens, i.completion_tokens,
        i.cost_usd, w.attempt is not null
      from known i left join won w using (tenant_id, test_run_id, attempt, session_id)
      on conflict do nothing)
    select
      (select coalesce(jsonb_agg(jsonb_build_object('tenantId', tenant_id, 'suiteRunId', run_id, 'status', status)), '[]')
        from ins) as recorded,
      (select coalesce(jsonb_agg(test_run_id), '[]') from incoming i
        where not exists (select 1 from known k
          where (k.tenant_id, k.run_id, k.suite_run_id, k.test_run_id) = (i.tenant_id, i.run_id, i.suite_run_id, i.test_run_id)))
        as unknown
  `.execute(em.getKysely());
  return answer.rows[0] ?? { recorded: [], unknown: [] };
}
