import type { EntityManager } from '@mikro-orm/postgresql';
import { comparabilityKey } from '@proofmark/domain/comparability-key';
import type { Trial } from '@proofmark/domain/decide-verdict';
import { type RawBuilder, sql } from 'kysely';
import { prepared } from '../database/prepared.ts';
import { type Database, readInTenant } from '../database/transactions.ts';
import type { SuiteRunToJudge } from './read-suite-run.ts';

/** A trial as it stands in its row. */
interface TrialRow extends Omit<Required<Trial>, 'comparabilityKey' | 'cluster'> {
  id: string;
  suiteRunId: string;
  sortOrder: number;
  caseHash: string;
  instrumentHash: string;
}

const columns = sql`
  c.id, c.run_id as "suiteRunId", c.sort_order as "sortOrder", c.case_name as "caseName", c.repetition, c.status,
  c.error_kind as "errorKind", left(c.error_message, 500) as "errorMessage", c.skip_reason as "skipReason",
  c.latency_ms as "latencyMs", c.prompt_tokens + c.completion_tokens as tokens, c.cost_usd as "costUsd",
  case when c.metric_results <> '[]' then (
    select jsonb_agg(jsonb_build_object('name', m ->> 'metric_name', 'error', left(m ->> 'error', 500)) order by place)
    from jsonb_array_elements(c.metric_results) with ordinality as listed (m, place)) end as metrics,
  c.adjustments, c.case_hash as "caseHash", c.instrument_hash as "instrumentHash"`;

/** What the trials of a suite run have in common: read once, for its clusters name all of its cases. */
export interface SuiteRunOfTrials {
  id: string;
  settingKey: string;
  clusters: Record<string, string> | null;
}

/** The columns of it, of `test_suite_runs`. */
export const suiteRunOfTrials = sql`id, setting_key as "settingKey", clusters`;

/**
 * Makes trials of rows: which of them may be compared depends on three hashes. Repetitions of a case that follow each other
 * share their texts, so that a verdict on 100,000 of them holds little more than their numbers.
 */
function trialMaker(suiteRuns: readonly SuiteRunOfTrials[]): (row: TrialRow) => Trial {
  const known = new Map(
    suiteRuns.map(({ id, settingKey, clusters }) => [
      id,
      { settingKey, clusters: new Map(Object.entries(clusters ?? {})) },
    ]),
  );
  let last: { row: TrialRow; shared: Required<Pick<Trial, 'caseName' | 'comparabilityKey' | 'cluster'>> } | undefined;
  return (row) => {
    if (last === undefined || !isSameCase(last.row, row)) {
      const { settingKey = '', clusters } = known.get(row.suiteRunId) ?? {};
      const { caseName } = row;
      const comparable = comparabilityKey(row.caseHash, row.instrumentHash, settingKey);
      last = { row, shared: { caseName, cluster: clusters?.get(caseName) ?? null, comparabilityKey: comparable } };
    }
    const {
      repetition,
      status,
      errorKind,
      errorMessage,
      skipReason,
      latencyMs,
      tokens,
      costUsd,
      metrics,
      adjustments,
    } = row;
    const { caseName, comparabilityKey: key, cluster } = last.shared;
    return {
      ...{ caseName, comparabilityKey: key, cluster, repetition, status, errorKind, errorMessage, skipReason },
      ...{ latencyMs, tokens, costUsd, metrics, adjustments },
    };
  };
}

const isSameCase = (one: TrialRow, other: TrialRow): boolean =>
  one.caseName === other.caseName &&
  one.caseHash === other.caseHash &&
  one.instrumentHash === other.instrumentHash &&
  one.suiteRunId === other.suiteRunId;

type AskForRows = <Row>(statement: RawBuilder<Row>) => Promise<Row[]>;

/** As many rows are in memory at once, beside the trials that they become. */
const rowsAtOnce = 5_000;

/** All trials of a suite run in suite order, skipped ones included. */
async function allTrials(ask: AskForRows, tenantId: string, suiteRun: SuiteRunOfTrials): Promise<Trial[]> {
  const toTrial = trialMaker([suiteRun]);
  const trials: Trial[] = [];
  let from = { sortOrder: -1, repetition: 0, id: '00000000-0000-0000-0000-000000000000' };
  for (;;) {
    const rows = await ask(sql<TrialRow>`${prepared}
      select ${columns} from test_case_results c
      where c.tenant_id = ${tenantId} and c.run_id = ${suiteRun.id}
        and (c.sort_order, c.repetition, c.id) > (${from.sortOrder}::int, ${from.repetition}::int, ${from.id}::uuid)
      order by c.sort_order, c.repetition, c.id limit ${rowsAtOnce}`);
    for (const row of rows) trials.push(toTrial(row));
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsAtOnce) return trials;
    from = last;
  }
}

/** All trials of each of these suite runs, as the tenant itself sees them. */
export async function readTrials(
  database: Database,
  tenantId: string,
  suiteRuns: readonly SuiteRunOfTrials[],
): Promise<Map<string, Trial[]>> {
  const trials = new Map<string, Trial[]>();
  for (const suiteRun of suiteRuns) {
    const ask: AskForRows = (statement) => readInTenant(database, tenantId, statement);
    trials.set(suiteRun.id, await allTrials(ask, tenantId, suiteRun));
  }
  return trials;
}

/** The same of one, within a transaction. */
export async function trialsOf(em: EntityManager, tenantId: string, suiteRunId: string): Promise<Trial[]> {
  const ask: AskForRows = async (statement) => (await statement.execute(em.getKysely())).rows;
  const [suiteRun] = await readSuiteRuns(em, [suiteRunId]);
  return suiteRun === undefined ? [] : await allTrials(ask, tenantId, suiteRun);
}

async function readSuiteRuns(em: EntityManager, ids: readonly string[]): Promise<SuiteRunOfTrials[]> {
  const { rows } = await sql<SuiteRunOfTrials>`${prepared}
    select ${suiteRunOfTrials} from test_suite_runs where id = any(${ids}::uuid[])`.execute(em.getKysely());
  return rows;
}

/**
 * Executed trials of the same agent in earlier runs of the same pull request, and how many runs those are: running again
 * adds evidence and draws no new ticket. Results that were taken over are there once. Only trials that may be compared with those of this suite run.
 */
export async function pooledTrials(
  em: EntityManager,
  suiteRun: SuiteRunToJudge,
): Promise<{ trials: Trial[]; runs: number }> {
  const { tenantId, id, runId, suiteId, cellKey, agentHash, settingKey, repositoryId, pullRequest, takenFrom } =
    suiteRun;
  if (repositoryId === null || pullRequest === null) return { trials: [], runs: 0 };
  const { rows } = await sql<TrialRow & { runId: string }>`
    select ${columns}, r.id as "runId" from test_case_results c
    join test_suite_runs s on s.tenant_id = c.tenant_id and s.id = c.run_id
    join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
    where r.tenant_id = ${tenantId} and r.repository_id = ${repositoryId} and r.pull_request = ${pullRequest}
      and r.id <> ${runId} and s.taken_from is null and s.id is distinct from ${takenFrom?.suiteRunId ?? null}::uuid and s.suite_id = ${suiteId} and s.cell_key = ${cellKey} and s.variant <> 'baseline'
      and s.purpose = 'first' and s.status = 'completed' and s.agent_hash = ${agentHash} and s.setting_key = ${settingKey}
      and c.status <> 'skipped' and exists (
        select 1 from test_case_results o where o.tenant_id = c.tenant_id and o.run_id = ${id}
          and (o.case_key, o.case_hash, o.instrument_hash) = (c.case_key, c.case_hash, c.instrument_hash))
    order by c.created_at desc`.execute(em.getKysely());
  const suiteRuns = await readSuiteRuns(em, [...new Set(rows.map(({ suiteRunId }) => suiteRunId))]);
  return {
    trials: rows.map(trialMaker(suiteRuns)),
    runs: new Set(rows.map((row) => row.runId)).size,
  };
}
