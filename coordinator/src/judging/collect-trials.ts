import type { EntityManager } from '@mikro-orm/postgresql';
import { comparabilityKeys } from '@proofmark/domain/comparability-key';
import type { Trial } from '@proofmark/domain/decide-verdict';
import { type RawBuilder, sql } from 'kysely';
import { prepared } from '../database/prepared.ts';
import { type Database, readInTenant } from '../database/transactions.ts';
import { portionsOf } from './portions.ts';
import type { SuiteRunToJudge } from './read-suite-run.ts';

/** What most trials have nothing of. */
interface Further extends Required<Pick<Trial, 'errorMessage' | 'skipReason' | 'metrics' | 'adjustments'>> {
  at: number;
  status: Trial['status'];
  errorKind: Trial['errorKind'];
}

/**
 * Trials of one suite run, column by column: rows with a text for each value take the coordinator several times as long. Hashes
 * and numbers stand in one text with blanks between them; where there is no number there is nothing between two blanks.
 */
interface PackedTrials {
  suiteRunId: string;
  caseNames: string[];
  caseHashes: string;
  /** Of most cases; it is long, and all cases of a suite that is judged in one way have the same. */
  usualInstrument: string;
  /** Of the others, by their place. */
  instruments: Record<number, string> | null;
  repetitions: string;
  /** A letter for each: p passed, f failed, o anything else, of which `further` tells more. */
  ends: string;
  latencyMs: string;
  tokens: string;
  costUsd: string;
  further: Further[] | null;
  /** Of the last one: where the next part begins. */
  sortOrder: number;
  lastId: string;
}

/**
 * SQL: those results `c` of the suite run `s` for which this holds, in the order of the suite, as `p`; no row where there are none.
 * What is usual is looked up before them: beside them it may be looked up for each.
 */
const packed = (which: RawBuilder<unknown>, limit: RawBuilder<unknown> = sql``) => sql`
  cross join lateral (
    select instrument_hash as usual from test_case_results c where c.tenant_id = s.tenant_id and c.run_id = s.id limit 1) u
  cross join lateral (
  select json_agg(t.case_name) as "caseNames", string_agg(t.case_hash, ' ') as "caseHashes", min(t.usual) as "usualInstrument",
    json_object_agg(t.at, t.instrument) filter (where t.instrument is not null) as instruments,
    string_agg(t.repetition::text, ' ') as repetitions, string_agg(t.ended, '') as ends,
    string_agg(coalesce(t.latency_ms::text, ''), ' ') as "latencyMs", string_agg(coalesce(t.tokens::text, ''), ' ') as tokens,
    string_agg(coalesce(t.cost_usd::text, ''), ' ') as "costUsd",
    json_agg(json_build_object('at', t.at, 'status', t.status, 'errorKind', t.error_kind, 'errorMessage', t.error_message,
      'skipReason', t.skip_reason, 'metrics', t.metrics, 'adjustments', t.adjustments)) filter (where t.has_more) as further,
    (array_agg(t.sort_order))[count(*)] as "sortOrder", (array_agg(t.id))[count(*)] as "lastId"
  from (
    select o.*, row_number() over () - 1 as at,
      o.ended = 'o' or o.error_message is not null or o.metrics is not null or o.adjustments is not null as has_more
    from (
      select c.id, c.sort_order, c.case_name, c.repetition, c.status, c.error_kind, left(c.error_message, 500) as error_message,
        c.skip_reason, c.latency_ms, c.prompt_tokens + c.completion_tokens as tokens, c.cost_usd, c.case_hash,
        u.usual, nullif(c.instrument_hash, u.usual) as instrument,
        case c.status when 'passed' then 'p' when 'failed' then 'f' else 'o' end as ended,
        case when c.metric_results <> '[]' then (
          select jsonb_agg(jsonb_build_object('name', m ->> 'metric_name', 'error', left(m ->> 'error', 500)) order by place)
          from jsonb_array_elements(c.metric_results) with ordinality as listed (m, place)) end as metrics,
        case when c.adjustments <> '[]' then c.adjustments end as adjustments
      from test_case_results c where c.tenant_id = s.tenant_id and c.run_id = s.id and ${which}
      order by c.sort_order, c.repetition, c.id ${limit}) o) t
  having count(*) > 0) p`;

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

const nothingMore = { errorKind: null, errorMessage: null, skipReason: null, metrics: null, adjustments: null };
const passed = { ...nothingMore, status: 'passed' } as const;
const failed = { ...nothingMore, status: 'failed' } as const;

const plain = (end: string | undefined) => (end === 'p' ? passed : failed);

const numberOf = (text: string | undefined): number | null => (text === undefined || text === '' ? null : Number(text));

/**
 * Which trials may be compared depends on three hashes. Repetitions of a case that follow each other share their texts, so that
 * a verdict on 100,000 of them holds little more than their numbers.
 */
function unpack(
  rows: PackedTrials,
  { settingKey, clusters }: Pick<SuiteRunOfTrials, 'settingKey' | 'clusters'>,
): Trial[] {
  const { caseNames, ends, usualInstrument, instruments } = rows;
  const caseHashes = rows.caseHashes.split(' ');
  const repetitions = rows.repetitions.split(' ');
  const [latencies, tokens, costs] = [rows.latencyMs.split(' '), rows.tokens.split(' '), rows.costUsd.split(' ')];
  const further = new Map(rows.further?.map((one) => [one.at, one]));
  const keyOf = comparabilityKeys(settingKey);
  const clusterOf = new Map(Object.entries(clusters ?? {}));
  const trials: Trial[] = [];
  let last = { caseName: '', caseHash: '', instrument: '', key: '', cluster: clusterOf.get('') };
  for (const [at, caseName] of caseNames.entries()) {
    const [caseHash = '', instrument = usualInstrument] = [caseHashes[at], instruments?.[at]];
    if (caseName !== last.caseName || caseHash !== last.caseHash || instrument !== last.instrument) {
      last = { caseName, caseHash, instrument, key: keyOf(caseHash, instrument), cluster: clusterOf.get(caseName) };
    }
    const { status, errorKind, errorMessage, skipReason, metrics, adjustments } = further.get(at) ?? plain(ends[at]);
    trials.push({
      ...{ caseName: last.caseName, comparabilityKey: last.key, cluster: last.cluster ?? null },
      ...{ repetition: Number(repetitions[at]), status, errorKind, errorMessage, skipReason },
      ...{ latencyMs: numberOf(latencies[at]), tokens: numberOf(tokens[at]), costUsd: numberOf(costs[at]) },
      ...{ metrics, adjustments },
    });
  }
  return trials;
}

type AskForRows = <Row>(statement: RawBuilder<Row>) => Promise<Row[]>;

/** As many rows are in memory at once, beside the trials that they become. */
const rowsAtOnce = 5_000;

/** The trials of a portion: of a suite run that stands alone in parts, of several at once. */
async function* readPacked(
  portion: readonly SuiteRunOfTrials[],
  { ask, tenantId }: { ask: AskForRows; tenantId: string },
): AsyncGenerator<PackedTrials> {
  const ids = portion.map(({ id }) => id);
  const most = ids.length === 1 ? rowsAtOnce : null;
  let from = { sortOrder: -1, repetition: 0, id: '00000000-0000-0000-0000-000000000000' };
  for (;;) {
    const rows = await ask(sql<PackedTrials>`${prepared}
      select s.id as "suiteRunId", p.* from (select ${tenantId}::uuid as tenant_id, unnest(${ids}::uuid[]) as id) s
      ${packed(
        sql`(c.sort_order, c.repetition, c.id) > (${from.sortOrder}::int, ${from.repetition}::int, ${from.id}::uuid)`,
        sql`limit ${most}::int`,
      )}`);
    yield* rows;
    const [part] = rows;
    if (most === null || part === undefined || part.caseNames.length < most) return;
    const repetition = Number(part.repetitions.slice(part.repetitions.lastIndexOf(' ') + 1));
    from = { sortOrder: part.sortOrder, repetition, id: part.lastId };
  }
}

/** All trials of each of these suite runs in suite order, skipped ones included. */
async function allTrials(
  ask: AskForRows,
  tenantId: string,
  suiteRuns: readonly SuiteRunOfTrials[],
): Promise<Map<string, Trial[]>> {
  const found = new Map(suiteRuns.map((suiteRun) => [suiteRun.id, { suiteRun, trials: [] as Trial[] }]));
  for (const portion of portionsOf(suiteRuns, rowsAtOnce)) {
    for await (const packedTrials of readPacked(portion, { ask, tenantId })) {
      const of = found.get(packedTrials.suiteRunId);
      if (of !== undefined) for (const trial of unpack(packedTrials, of.suiteRun)) of.trials.push(trial);
    }
  }
  return new Map([...found].map(([id, { trials }]) => [id, trials]));
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
  // Which cases are its own is read once ("is true" keeps it from being joined): with statistics of before the run, it was read anew for
  // each trial of the others.
  const { rows } = await sql<PackedTrials & Pick<SuiteRunOfTrials, 'settingKey' | 'clusters'> & { runId: string }>`
    select s.id as "suiteRunId", r.id as "runId", s.setting_key as "settingKey", s.clusters, p.*
    from test_suite_runs s join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
    ${packed(sql`c.status <> 'skipped' and ((c.case_key, c.case_hash, c.instrument_hash) in (
      select o.case_key, o.case_hash, o.instrument_hash from test_case_results o
      where o.tenant_id = ${tenantId} and o.run_id = ${id})) is true`)}
    where r.tenant_id = ${tenantId} and r.repository_id = ${repositoryId} and r.pull_request = ${pullRequest}
      and r.id <> ${runId} and s.taken_from is null and s.id is distinct from ${takenFrom?.suiteRunId ?? null}::uuid and s.suite_id = ${suiteId} and s.cell_key = ${cellKey} and s.variant <> 'baseline'
      and s.purpose = 'first' and s.status = 'completed' and s.agent_hash = ${agentHash} and s.setting_key = ${settingKey}
    order by s.created_at desc`.execute(em.getKysely());
  return {
    trials: rows.flatMap((row) => unpack(row, row)),
    runs: new Set(rows.map((row) => row.runId)).size,
  };
}
