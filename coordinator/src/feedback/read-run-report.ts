import { noRunners } from '@proofmark/contracts/pool';
import { type Conclusion, Verdict } from '@proofmark/contracts/verdict';
import { RunStatus } from '@proofmark/contracts/words';
import { describeChange } from '@proofmark/domain/describe-change';
import { outcomeOf } from '@proofmark/domain/outcome';
import {
  type CaseReport,
  type CellReport,
  type ChangedFile,
  type Outcome,
  type RemovedSuite,
  type RunReport,
  type SuiteReport,
  unaffectedSuite,
} from '@proofmark/domain/run-report';
import { sumKnown } from '@proofmark/domain/totals';
import { CompiledQuery, type Kysely } from 'kysely';
import { z } from 'zod';
import { spentUsdOfRun, spentUsdOfSuiteRun } from '../database/spent-usd.ts';
import { unaffectedId } from './feedback-port.ts';
import { readDiagnoses, readEarlierRuns } from './read-reruns.ts';

/** A transaction of one tenant. */
type Transaction = Kysely<unknown>;

const RunRow = z.object({
  id: z.uuid(),
  head_sha: z.string().nullable(),
  base_commit: z.string().nullable(),
  full_name: z.string().nullable(),
  duration_ms: z.number().nullable(),
  cost_usd: z.number().nullable(),
  /** Names of suites that the change cannot affect; null: nobody looked. */
  unaffected: z.array(z.string()).nullable(),
  removed_suites: z.array(z.string()),
  changed_gates: z.array(z.string()),
  unverified: z.array(z.string()).nullable(),
  invalid: z.array(z.object({ file: z.string(), line: z.number(), message: z.string() })).nullable(),
  pools_without_runners: z.array(z.string()),
  awaits_approval: z.boolean(),
  approval_refusal: z.object({ by: z.string(), why: z.string() }).nullable(),
});

const SuiteRunRow = z.object({
  id: z.uuid(),
  suite_id: z.uuid(),
  suite_name: z.string(),
  suite_path: z.string().nullable(),
  cell_key: z.string(),
  status: RunStatus,
  failure_reason: z.string().nullable(),
  /** Its pool, where that had no runner when somebody looked last. */
  pool_without_runners: z.string().nullable(),
  verdict_detail: Verdict.nullable(),
  /** What this process has stored itself. */
  shown_cases: z.custom<CaseReport[]>().nullable(),
  baseline_sha: z.string().nullable(),
  baseline_run_id: z.uuid().nullable(),
  baseline_age_days: z.number().nullable(),
  done: z.number(),
  total: z.number(),
  cost_usd: z.number().nullable(),
  taken_from: z
    .object({ runId: z.uuid(), pullRequest: z.number().nullable(), how: z.enum(['reused', 'promoted']) })
    .nullable(),
});
type SuiteRunRow = z.infer<typeof SuiteRunRow>;

const ChangeRow = z.object({ path: z.string(), base: z.string().nullable(), head: z.string().nullable() });

const LastRunRow = z.object({ suite_name: z.string(), passed: z.number(), total: z.number() });

export interface RunReading {
  report: RunReport;
  /** The suite of each report, in the same order: checks are found by it. */
  suiteIds: string[];
}

/**
 * Everything that checks and comment of a run are rendered from, as the database has it now; null for an unknown run.
 * Suites that a re-run leaves alone are told as they ended before: one check stands for all of them.
 */
export async function readRunReport(
  tx: Transaction,
  runId: string,
  publicUrl: string,
  serverUrl: string,
  how: HowRead = {},
): Promise<RunReading | null> {
  const own = await readOwnReport(tx, runId, { publicUrl, serverUrl, ...how });
  if (own === null) return null;
  const suites = [...own.report.suites];
  const suiteIds = [...own.suiteIds];
  for (const earlierId of await readEarlierRuns(tx, runId)) {
    const earlier = await readOwnReport(tx, earlierId, { publicUrl, serverUrl, ...how });
    for (const [index, suite] of (earlier?.report.suites ?? []).entries()) {
      if (suites.some(({ suiteName }) => suiteName === suite.suiteName)) continue;
      suites.push(suite);
      suiteIds.push(earlier?.suiteIds[index] ?? '');
    }
  }
  return { ...own, suiteIds, report: { ...own.report, suites } };
}

interface HowRead {
  /** Without cases and changed files, for whoever says only what suites came to. */
  isBrief?: boolean;
}

async function readOwnReport(
  tx: Transaction,
  runId: string,
  { publicUrl, serverUrl, ...how }: HowRead & { publicUrl: string; serverUrl: string },
): Promise<RunReading | null> {
  const run = (await rows(tx, RunRow, runQuery, [runId]))[0];
  if (run === undefined) return null;
  const suiteRuns = await rows(tx, SuiteRunRow, suiteRunsQuery(how), [runId]);
  const diagnoses = await readDiagnoses(tx, runId, publicUrl);
  const bySuite = [...Map.groupBy(suiteRuns, (one) => one.suite_id)];
  const baseline = run.base_commit ?? suiteRuns.find((one) => one.baseline_sha !== null)?.baseline_sha ?? null;
  const headSha = run.head_sha ?? '';
  const { full_name: name } = run;
  const unaffected = run.unaffected ?? [];
  const report: RunReport = {
    runId,
    headSha,
    baseSha: baseline,
    baseLabel: baseline === null ? null : withAge(baseLabel(suiteRuns), suiteRuns),
    changes: await readChanges(tx, runId, suiteRuns, how),
    changedGates: run.changed_gates,
    ...(run.unverified === null ? {} : { unverified: run.unverified }),
    detailsUrl: `${publicUrl}/runs/${runId}`,
    fileUrl: name === null ? null : (path, line) => `${serverUrl}/${name}/blob/${headSha}/${encodeURI(path)}#L${line}`,
    suites: [
      ...bySuite.map(([id, cells]) => withDiagnosis(suiteReport(cells), diagnoses.get(id))),
      ...unaffected.map((suiteName) => unaffectedSuite(suiteName, '')),
    ],
    removedSuites: await readRemovedSuites(tx, run),
    ...(run.invalid === null ? {} : { invalid: run.invalid }),
    ...(run.pools_without_runners.length > 0 ? { poolsWithoutRunners: run.pools_without_runners } : {}),
    ...(run.awaits_approval ? { awaitsApproval: true } : {}),
    ...(run.approval_refusal === null ? {} : { refusedApproval: run.approval_refusal }),
    durationMs: run.duration_ms,
    costUsd: run.cost_usd,
    ...savedBy(suiteRuns),
  };
  const suiteIds = [...bySuite.map(([id]) => id), ...unaffected.map(unaffectedId)];
  return { report, suiteIds };
}

/** How old what the head is compared with is, where that is days. */
function withAge(label: string | null, suiteRuns: readonly SuiteRunRow[]): string | null {
  const days = Math.floor(Math.max(0, ...suiteRuns.map((one) => one.baseline_age_days ?? 0)));
  // A base that is taken for want of a better one is labelled by its age already.
  if (days < 1 || label?.endsWith(' old') === true) return label;
  const age = `${days} ${days === 1 ? 'day' : 'days'} old`;
  return label === null ? age : `${label}, ${age}`;
}

/** Definitions that differ from those of the base run: what a reader looks at to find the cause. */
async function readChanges(
  tx: Transaction,
  runId: string,
  suiteRuns: readonly SuiteRunRow[],
  { isBrief = false }: HowRead,
): Promise<ChangedFile[]> {
  if (isBrief) return [];
  const baseRunId = suiteRuns.find((one) => one.baseline_run_id !== null)?.baseline_run_id ?? null;
  if (baseRunId === null || baseRunId === runId) return [];
  return (await rows(tx, ChangeRow, changesQuery, [runId, baseRunId])).map(describeChange);
}

/** Removed suites with what they came to when the base branch ran them last, all of their cells together. */
async function readRemovedSuites(tx: Transaction, run: z.infer<typeof RunRow>): Promise<RemovedSuite[]> {
  if (run.removed_suites.length === 0) return [];
  const lasts = await rows(tx, LastRunRow, lastRunsQuery, [run.id, run.removed_suites]);
  return run.removed_suites.map((suiteName) => ({
    suiteName,
    last: lasts.find(({ suite_name }) => suite_name === suiteName) ?? null,
  }));
}

const withDiagnosis = (suite: SuiteReport, diagnosis: string | undefined): SuiteReport =>
  diagnosis === undefined ? suite : { ...suite, diagnosis };

/** What was not spent because results were there already. */
function savedBy(suiteRuns: readonly SuiteRunRow[]): Pick<RunReport, 'savedUsd'> {
  const saved = sumKnown(suiteRuns.filter((one) => one.taken_from !== null).map((one) => one.cost_usd));
  return saved === null ? {} : { savedUsd: saved };
}

function originOf({ taken_from: from }: SuiteRunRow): Pick<CellReport, 'takenFrom'> {
  if (from === null) return {};
  const isPromoted = from.how === 'promoted' && from.pullRequest !== null;
  return { takenFrom: isPromoted ? `promoted from #${from.pullRequest}` : `reused from ${from.runId.slice(0, 8)}` };
}

/** How the base was chosen; of several suites the choice that is worth least. Null until one is judged. */
function baseLabel(suiteRuns: readonly SuiteRunRow[]): string | null {
  const choices = suiteRuns.flatMap(({ verdict_detail: verdict }) => verdict?.baseline ?? []);
  return choices.toSorted((a, b) => b.rung - a.rung)[0]?.label ?? null;
}

function suiteReport(cells: readonly SuiteRunRow[]): SuiteReport {
  return {
    suiteName: cells[0]?.suite_name ?? '',
    suitePath: cells[0]?.suite_path ?? '',
    cells: cells.map(cellReport),
  };
}

function cellReport(row: SuiteRunRow): CellReport {
  const numbers = { cellKey: row.cell_key, done: row.done, total: row.total, costUsd: row.cost_usd };
  const ended = endedWithoutVerdict(row);
  const verdict = ended === null ? row.verdict_detail : null;
  if (verdict === null) {
    const open = { outcome: 'running', conclusion: null, detail: null } as const;
    return { ...numbers, ...(ended ?? open), verdict, cases: [] };
  }
  return {
    ...numbers,
    outcome: outcomeOf(verdict),
    conclusion: verdict.conclusion,
    ...originOf(row),
    verdict,
    detail: null,
    cases: row.shown_cases ?? [],
  };
}

function endedWithoutVerdict(row: SuiteRunRow): { outcome: Outcome; conclusion: Conclusion; detail: string } | null {
  const reason = row.failure_reason ?? '';
  if (row.status === 'cancelled' && reason.startsWith('Superseded')) {
    return { outcome: 'superseded', conclusion: 'cancelled', detail: reason };
  }
  if (row.status === 'cancelled') {
    return {
      outcome: 'cancelled',
      conclusion: 'cancelled',
      detail: reason === '' ? 'Cancelled' : `Cancelled: ${reason}`,
    };
  }
  if (row.status === 'failed') {
    const waited = row.pool_without_runners === null ? '' : `: ${noRunners([row.pool_without_runners])}`;
    const detail = `Timed out, ${row.done}/${row.total} test runs${waited}`;
    return { outcome: 'timed-out', conclusion: 'timed_out', detail };
  }
  return null;
}

async function rows<Shape extends z.ZodType>(
  tx: Transaction,
  shape: Shape,
  query: string,
  parameters: unknown[],
): Promise<z.infer<Shape>[]> {
  const { rows: found } = await tx.executeQuery(CompiledQuery.raw(query, parameters));
  return z.array(shape).parse(found);
}

const runQuery = `
  select r.id, r.head_sha, r.base_commit, g.full_name,
         r.requested #> '{selection,unaffected}' as unaffected,
         coalesce(r.removed -> 'suites', '[]') as removed_suites,
         coalesce(r.removed -> 'changedGates', '[]') as changed_gates,
         r.requested -> 'invalid' as invalid,
         r.pools_without_runners,
         r.unverified,
         coalesce(r.trigger #>> '{approval,state}' = 'awaited', false) as awaits_approval,
         r.trigger #> '{approval,refusal}' as approval_refusal,
         (extract(epoch from r.completed_at - r.started_at) * 1000)::float8 as duration_ms,
         ${spentUsdOfRun} as cost_usd
  from runs r left join repositories g on g.tenant_id = r.tenant_id and g.id = r.repository_id
  where r.id = $1`;

/** At most so many files, and so much of each: nobody reads more of them in a comment. */
const changesQuery = `
  with head as (select f.path, f.content_hash, f.tenant_id from run_files f where f.run_id = $1),
    base as (select f.path, f.content_hash, f.tenant_id from run_files f where f.run_id = $2)
  select head.path, left(b.text, 100000) as base, left(h.text, 100000) as head
  from head left join base on base.path = head.path
  left join definition_files h on h.tenant_id = head.tenant_id and h.content_hash = head.content_hash
  left join definition_files b on b.tenant_id = base.tenant_id and b.content_hash = base.content_hash
  where head.content_hash is distinct from base.content_hash
  order by 1 limit 20`;

const lastRunsQuery = `
  select distinct on (s.suite_name) s.suite_name, sum(s.passed_cases)::int as passed,
         sum(s.passed_cases + s.failed_cases)::int as total
  from runs r
  join runs b on b.tenant_id = r.tenant_id and b.repository_id = r.repository_id and b.is_base
  join test_suite_runs s on s.tenant_id = b.tenant_id and s.run_id = b.id
  where r.id = $1 and s.suite_name = any($2::text[]) and s.variant = 'head' and s.purpose = 'first'
    and s.status = 'completed' and s.created_at <= r.created_at
  group by s.suite_name, b.id, b.created_at
  order by s.suite_name, b.created_at desc`;

const suiteRunsWith = (verdict: string, shownCases: string) => `
  select s.id, s.suite_id, s.suite_name, s.suite_path, s.cell_key, s.status, s.failure_reason, ${verdict} as verdict_detail,
         (select s.pool from runs r where r.tenant_id = s.tenant_id and r.id = s.run_id
           and s.pool = any(r.pools_without_runners)) as pool_without_runners,
         s.taken_from, ${shownCases} as shown_cases, b.head_sha as baseline_sha,
         b.id as baseline_run_id, (extract(epoch from s.created_at - b.created_at) / 86400)::float8 as baseline_age_days,
         s.passed_cases + s.failed_cases + s.skipped_cases as done, s.total_cases as total,
         case when s.taken_from is null then ${spentUsdOfSuiteRun}
           else (select sum(c.cost_usd) from test_case_results c where c.tenant_id = s.tenant_id and c.run_id = s.id)
         end as cost_usd
  from test_suite_runs s
  left join test_suite_runs bs on bs.tenant_id = s.tenant_id and bs.id = s.baseline_suite_run_id
  left join runs b on b.tenant_id = bs.tenant_id and b.id = bs.run_id
  where s.run_id = $1 and s.variant <> 'baseline' and s.purpose = 'first'
  order by s.sort_order, s.suite_name, s.cell_key`;

const suiteRunsQuery = ({ isBrief = false }: HowRead): string =>
  isBrief
    ? suiteRunsWith(`jsonb_set(s.verdict_detail, '{cases}', '[]')`, 'null::jsonb')
    : suiteRunsWith('s.verdict_detail', 's.shown_cases');
