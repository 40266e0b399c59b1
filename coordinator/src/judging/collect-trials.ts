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
  /** So many trials were planned. */
  planned: number;
}

/** The columns of it, of `test_suite_runs`. */
export const suiteRunOfTrials = sql`id, setting_key as "settingKey", clusters, total_cases as planned`;

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

/** Suite runs that are read with one statement, for they have no more rows together; a larger one stands alone. */
function portionsOf(suiteRuns: readonly SuiteRunOfTrials[]): SuiteRunOfTrials[][] {
  const portions: SuiteRunOfTrials[][] = [];
  let portion: SuiteRunOfTrials[] = [];
  let room = 0;
  for (const suiteRun of suiteRuns) {
    if (portions.length === 0 || suiteRun.planned > room) {
      portion = [];
      portions.push(portion);
      room = rowsAtOnce;
    }
    portion.push(suiteRun);
    room -= suiteRun.planned;
  }
  return portions;
}

/** Adds the trials of a portion: of a suite run that stands alone in parts, of several at once. */
async function addTrials(
  trials: Map<string, Trial[]>,
  portion: readonly SuiteRunOfTrials[],
  { ask, tenantId }: { ask: AskForRows; tenantId: string },
): Promise<void> {
  const toTrial = trialMaker(portion);
  const ids = portion.map(({ id }) => id);
  const most = portion.length === 1 ? rowsAtOnce : null;
  let from = { sortOrder: -1, repetition: 0, id: '00000000-0000-0000-0000-000000000000' };
  for (;;) {
    const rows = await ask(sql<TrialRow>`${prepared}
      select ${columns} from test_case_results c
      where c.tenant_id = ${tenantId} and c.run_id = any(${ids}::uuid[])
        and (c.sort_order, c.repetition, c.id) > (${from.sortOrder}::int, ${from.repetition}::int, ${from.id}::uuid)
      order by c.run_id, c.sort_order, c.repetition, c.id limit ${most}::int`);
    for (const row of rows) trials.get(row.suiteRunId)?.push(toTrial(row));
    const last = rows.at(-1);
    if (last === undefined || most === null || rows.length < most) return;
    from = last;
  }
}

/** All trials of each of these suite runs in suite order, skipped ones included. */
async function allTrials(
  ask: AskForRows,
  tenantId: string,
  suiteRuns: readonly SuiteRunOfTrials[],
): Promise<Map<string, Trial[]>> {
  const trials = new Map<string, Trial[]>(suiteRuns.map(({ id }) => [id, []]));
  for (const portion of portionsOf(suiteRuns)) await addTrials(trials, portion, { ask, tenantId });
  return trials;
}

/** All trials of each of these suite runs, as the tenant itself sees them. */
export async function readTrials(
  database: Database,
  tenantId: string,
  suiteRuns: readonly SuiteRunOfTrials[],
): Promise<Map<string, Trial[]>> {
  return await allTrials((statement) => readInTenant(database, tenantId, statement), tenantId, suiteRuns);
}

/** The same of one, within a transaction. */
export async function trialsOf(em: EntityManager, tenantId: string, suiteRunId: string): Promise<Trial[]> {
  const ask: AskForRows = async (statement) => (await statement.execute(em.getKysely())).rows;
  const trials = await allTrials(ask, tenantId, await readSuiteRuns(em, [suiteRunId]));
  return trials.get(suiteRunId) ?? [];
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
