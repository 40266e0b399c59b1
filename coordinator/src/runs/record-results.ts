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
  keyColumns,
  outcomeColumns,
  payloadColumns,
  usageColumns,
} from './incoming-results.ts';
import { lockSuiteRuns } from './lock-suite-runs.ts';
import { type FencedResults, type LeaseOnRecord, passFence } from './pass-fence.ts';
import { keysOf, type RowKey, uniqueKeys } from './row-key.ts';

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

export interface RefusedResult {
  /** Its place in the messages. */
  message: number;
  testRunId: string;
  /** `unknown`: the tenant has no such test run under this suite run and run. `forged`: the sender never held the attempt. */
  why: 'unknown' | 'forged';
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
    refused: [],
    finishedSuiteRuns: [],
    touchedRuns: [],
  };
  for (let start = 0; start < results.length; start += largestBatch) {
    const batch = results.slice(start, start + largestBatch);
    const done = await retryConflicts(() => asWorker(database, (em) => recordBatch(em, batch)));
    total.recorded += done.recorded;
    total.late += batch.length - done.recorded - done.refused.length;
    total.refused.push(...done.refused);
    total.finishedSuiteRuns.push(...done.finishedSuiteRuns);
    total.touchedRuns = uniqueKeys([...total.touchedRuns, ...done.touchedRuns]);
  }
  return total;
}

type RecordedBatch = Omit<RecordedResults, 'late'>;

async function recordBatch(em: EntityManager, batch: readonly IncomingResult[]): Promise<RecordedBatch> {
  const keys = uniqueKeys(batch.map(({ tenantId, suiteRunId }) => ({ tenantId, id: suiteRunId })));
  await lockSuiteRuns(em, keys);
  const sorted = passFence(batch, await lockLeases(em, batch));
  const recorded = await insertResults(em, sorted.accepted);
  await noteUsage(em, sorted);
  const open = await countIn(em, recorded);
  await chaosPoint('after_insert_before_commit');
  const finishedSuiteRuns = await finishEmptySuiteRuns(em, open);
  return {
    recorded: recorded.length,
    refused: [...sorted.unknown.map(refusedFor('unknown')), ...sorted.forged.map(refusedFor('forged'))],
    finishedSuiteRuns,
    touchedRuns: uniqueKeys(open.map(({ tenantId, runId }) => ({ tenantId, id: runId }))),
  };
}

const refusedFor =
  (why: RefusedResult['why']) =>
  ({ message, testRunId }: IncomingResult): RefusedResult => ({ message, testRunId, why });

async function lockLeases(em: EntityManager, batch: readonly IncomingResult[]): Promise<LeaseOnRecord[]> {
  const keys = uniqueKeys(batch.map(({ tenantId, testRunId }) => ({ tenantId, id: testRunId })));
  const { rows } = await sql<LeaseOnRecord>`
    select l.tenant_id as "tenantId", l.run_id as "runId", l.suite_run_id as "suiteRunId", l.test_run_id as "testRunId",
      case when s.closing is null then l.state else 'closed' end as state, l.attempt, l.session_id as "sessionId",
      l.past_holders as "pastHolders"
    from ${keysOf(keys)} k join test_run_leases l on l.tenant_id = k.tenant_id and l.test_run_id = k.id
    join test_suite_runs s on s.tenant_id = l.tenant_id and s.id = l.suite_run_id
    order by l.test_run_id for update of l`.execute(em.getKysely());
  return rows;
}

interface Inserted {
  tenantId: string;
  suiteRunId: string;
  status: string;
}

/** Plan and result together become the row; the plan's work moves along, and the lease is done. */
async function insertResults(em: EntityManager, accepted: readonly IncomingResult[]): Promise<Inserted[]> {
  if (accepted.length === 0) return [];
  const kysely = em.getKysely();
  const outcome = names(outcomeColumns);
  const leaseOfRow = sql`join test_run_leases l on l.tenant_id = x.tenant_id and l.test_run_id = x.test_run_id`;
  const { rows } = await sql<Inserted>`
    insert into test_case_results (tenant_id, id, run_id, test_case_id, case_name, case_key, case_hash, instrument_hash,
      sort_order, line, repetition, variant, resolved_variables, attempt, ${outcome})
    select l.tenant_id, l.test_run_id, l.suite_run_id, l.test_case_id, l.case_name, l.case_key, l.case_hash,
      l.instrument_hash, l.sort_order, l.line, l.repetition, l.variant, l.resolved_variables, l.attempt, ${outcome}
    from ${unnest(accepted, { ...keyColumns, ...outcomeColumns }, 'x')} ${leaseOfRow}
    on conflict do nothing returning tenant_id as "tenantId", run_id as "suiteRunId", status`.execute(kysely);
  await sql`
    insert into test_case_payloads (tenant_id, id, work, outcome)
    select l.tenant_id, l.test_run_id, l.work, x.payload
    from ${unnest(accepted, { ...keyColumns, ...payloadColumns }, 'x')} ${leaseOfRow}
    on conflict do nothing`.execute(kysely);
  await sql`
    update test_run_leases l set state = 'done', work = null from ${unnest(accepted, keyColumns, 'x')}
    where l.tenant_id = x.tenant_id and l.test_run_id = x.test_run_id`.execute(kysely);
  return rows;
}

/** What every attempt has spent in the hands of its holder, also one whose result counts nowhere. */
async function noteUsage(em: EntityManager, { accepted, late }: FencedResults): Promise<void> {
  const all = [
    ...accepted.map((result) => ({ ...result, isAccepted: true })),
    ...late.map((result) => ({ ...result, isAccepted: false })),
  ];
  if (all.length === 0) return;
  await sql`
    insert into attempt_usage (${names(usageColumns)}) select * from ${unnest(all, usageColumns, 'u')}
    on conflict do nothing`.execute(em.getKysely());
}
