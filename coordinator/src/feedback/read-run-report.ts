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
  host: z.string().nullable(),
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
  run_id: z.uuid(),
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

/** A file by the hashes of its content on both sides, and how long that is; null where it does not exist. */
const ChangeRow = z.object({
  run_id: z.uuid(),
  path: z.string(),
  base: z.string().nullable(),
  head: z.string().nullable(),
  characters: z.number(),
});

const TextRow = z.object({ content_hash: z.string(), text: z.string() });

/** What a suite that a run removed came to when the base branch ran it last, all of its cells together. */
const LastRunRow = z.object({ run_id: z.uuid(), suite_name: z.string(), passed: z.number(), total: z.number() });
type LastRun = z.infer<typeof LastRunRow>;

const SizeRow = z.object({ run_id: z.uuid(), bytes: z.number() });

export interface RunReading {
  report: RunReport;
  /** The suite of each report, in the same order: checks are found by it. */
  suiteIds: string[];
}

/** What links lead to: this coordinator, and the forge that a repository is on. */
export interface Places {
  publicUrl: string;
  forgeUrl: (host: string | null) => string;
}

interface HowRead {
  /** Without cases and changed files, for whoever says only what suites came to. */
  isBrief?: boolean;
}

/** One of `readRunReports`; null for an unknown run. */
export async function readRunReport(tx: Transaction, runId: string, places: Places): Promise<RunReading | null> {
  return (await readRunReports(tx, [runId], places)).get(runId) ?? null;
}

/**
 * Everything that checks and comments of runs are rendered from, as the database has it now, by their ids; unknown ones are
 * absent. Suites that a re-run leaves alone are told as they ended before: one check stands for all of them.
 */
export async function readRunReports(
  tx: Transaction,
  runIds: readonly string[],
  places: Places,
  how: HowRead = {},
): Promise<Map<string, RunReading>> {
  if (runIds.length === 0) return new Map();
  return await readReportsOf(tx, await readSources(tx, runIds), places, how);
}

/** The runs that the report of each of these is put together from: itself, and for a re-run those before it, newest first. */
export async function readSources(tx: Transaction, runIds: readonly string[]): Promise<Map<string, string[]>> {
  const earlier = await readEarlierRuns(tx, runIds);
  return new Map(runIds.map((id) => [id, [id, ...(earlier.get(id) ?? [])]]));
}

/** The reports of runs whose sources are known. A run that several of them are put together from is read once. */
export async function readReportsOf(
  tx: Transaction,
  sources: ReadonlyMap<string, readonly string[]>,
  places: Places,
  how: HowRead = {},
): Promise<Map<string, RunReading>> {
  const all = new Set([...sources.values()].flat());
  const own = await readOwnReports(tx, [...all], { ...places, ...how, changesOf: sources });
  const found = new Map<string, RunReading>();
  for (const [id, [, ...earlier]] of sources) {
    const reading = own.get(id);
    if (reading !== undefined)
      found.set(id, earlier.flatMap((one) => own.get(one) ?? []).reduce(withSuitesOf, reading));
  }
  return found;
}

/** How many bytes the verdicts and cases of each of these runs take once they are read. */
export async function reportSizes(tx: Transaction, runIds: readonly string[]): Promise<Map<string, number>> {
  const sizes = await rows(tx, SizeRow, sizesQuery, [runIds]);
  return new Map(sizes.map(({ run_id, bytes }) => [run_id, bytes]));
}

/** With the suites of an earlier run that it does not have itself. */
function withSuitesOf(reading: RunReading, earlier: RunReading): RunReading {
  const known = new Set(reading.report.suites.map(({ suiteName }) => suiteName));
  const further = earlier.report.suites.flatMap((suite, index) =>
    known.has(suite.suiteName) ? [] : [{ suite, suiteId: earlier.suiteIds[index] ?? '' }],
  );
  return {
    suiteIds: [...reading.suiteIds, ...further.map(({ suiteId }) => suiteId)],
    report: { ...reading.report, suites: [...reading.report.suites, ...further.map(({ suite }) => suite)] },
  };
}

/** What stands beside the row of a run and those of its suite runs. */
interface Surroundings {
  suiteRuns: readonly SuiteRunRow[];
  diagnosisOf: (runId: string, suiteId: string) => string | undefined;
  changes: ChangedFile[];
  lastRuns: readonly LastRun[];
}

async function readOwnReports(
  tx: Transaction,
  runIds: readonly string[],
  { isBrief = false, changesOf, ...places }: Places & HowRead & { changesOf: ReadonlyMap<string, unknown> },
): Promise<Map<string, RunReading>> {
  const runs = await rows(tx, RunRow, runQuery, [runIds]);
  const query = isBrief ? briefSuiteRunsQuery : suiteRunsQuery;
  const suiteRuns = Map.groupBy(await rows(tx, SuiteRunRow, query, [runIds]), ({ run_id }) => run_id);
  const diagnosisOf = await readDiagnoses(tx, runIds, places.publicUrl);
  const changing = new Map([...suiteRuns].filter(([id]) => !isBrief && changesOf.has(id)));
  const changes = await readChanges(tx, changing);
  const removing = runs.flatMap(({ id, removed_suites: removed }) => (removed.length > 0 ? [id] : []));
  const lastRuns = removing.length > 0 ? await rows(tx, LastRunRow, lastRunsQuery, [removing]) : [];
  return new Map(
    runs.map((run) => {
      const surroundings = {
        ...{ diagnosisOf, suiteRuns: suiteRuns.get(run.id) ?? [], changes: changes.get(run.id) ?? [] },
        lastRuns: lastRuns.filter(({ run_id }) => run_id === run.id),
      };
      return [run.id, readingOf(run, surroundings, places)] as const;
    }),
  );
}

function readingOf(
  run: z.infer<typeof RunRow>,
  { suiteRuns, diagnosisOf, changes, lastRuns }: Surroundings,
  { publicUrl, forgeUrl }: Places,
): RunReading {
  const runId = run.id;
  const bySuite = [...Map.groupBy(suiteRuns, (one) => one.suite_id)];
  const baseline = run.base_commit ?? suiteRuns.find((one) => one.baseline_sha !== null)?.baseline_sha ?? null;
  const headSha = run.head_sha ?? '';
  const { full_name: name, host } = run;
  const unaffected = run.unaffected ?? [];
  const report: RunReport = {
    runId,
    headSha,
    baseSha: baseline,
    baseLabel: baseline === null ? null : withAge(baseLabel(suiteRuns), suiteRuns),
    changes,
    changedGates: run.changed_gates,
    ...(run.unverified === null ? {} : { unverified: run.unverified }),
    detailsUrl: `${publicUrl}/runs/${runId}`,
    fileUrl:
      name === null ? null : (path, line) => `${forgeUrl(host)}/${name}/blob/${headSha}/${encodeURI(path)}#L${line}`,
    suites: [
      ...bySuite.map(([id, cells]) => withDiagnosis(suiteReport(cells), diagnosisOf(runId, id))),
      ...unaffected.map((suiteName) => unaffectedSuite(suiteName, '')),
    ],
    removedSuites: run.removed_suites.map((suiteName) => ({
      suiteName,
      last: lastRuns.find(({ suite_name }) => suite_name === suiteName) ?? null,
    })),
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

/** Of texts that are in memory at once. */
const mostCharacters = 8_000_000;

/** Definitions of each run that differ from those of its base run: what a reader looks at to find the cause. */
async function readChanges(
  tx: Transaction,
  suiteRuns: ReadonlyMap<string, readonly SuiteRunRow[]>,
): Promise<Map<string, ChangedFile[]>> {
  const bases = [...suiteRuns].flatMap(([runId, all]) => {
    const baseId = all.find((one) => one.baseline_run_id !== null)?.baseline_run_id ?? runId;
    return baseId === runId ? [] : [{ runId, baseId }];
  });
  const changed = new Map<string, ChangedFile[]>();
  if (bases.length === 0) return changed;
  const ids = [bases.map(({ runId }) => runId), bases.map(({ baseId }) => baseId)];
  for (const part of inParts(await rows(tx, ChangeRow, changesQuery, ids))) {
    const hashes = new Set(part.flatMap(({ base, head }) => [base, head]));
    const texts = new Map(
      (await rows(tx, TextRow, textsQuery, [[...hashes]])).map(({ content_hash, text }) => [content_hash, text]),
    );
    const textOf = (hash: string | null) => (hash === null ? null : (texts.get(hash) ?? null));
    for (const { run_id: runId, path, base, head } of part) {
      const files = changed.get(runId) ?? [];
      files.push(describeChange({ path, base: textOf(base), head: textOf(head) }));
      changed.set(runId, files);
    }
  }
  return changed;
}

/** Files in parts that are read one after the other: their texts together may be too many to hold. */
function inParts(files: readonly z.infer<typeof ChangeRow>[]): z.infer<typeof ChangeRow>[][] {
  const parts: z.infer<typeof ChangeRow>[][] = [];
  let left = 0;
  for (const file of files) {
    if (file.characters > left || parts.length === 0) {
      parts.push([]);
      left = mostCharacters;
    }
    parts.at(-1)?.push(file);
    left -= file.characters;
  }
  return parts;
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
  select r.id, r.head_sha, r.base_commit, g.full_name, g.host,
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
  where r.id = any($1::uuid[])`;

/** At most so many files, and so much of each: nobody reads more of them in a comment. */
const changesQuery = `
  select q.head as run_id, d.path, d.base, d.hash as head,
    coalesce(least(length(b.text), 100000), 0) + coalesce(least(length(h.text), 100000), 0) as characters
  from unnest($1::uuid[], $2::uuid[]) with ordinality q(head, base, at)
  cross join lateral (
    select head.tenant_id, head.path, base.content_hash as base, head.content_hash as hash
    from run_files head left join run_files base on base.run_id = q.base and base.path = head.path
    where head.run_id = q.head and head.content_hash is distinct from base.content_hash
    order by head.path limit 20) d
  left join definition_files h on h.tenant_id = d.tenant_id and h.content_hash = d.hash
  left join definition_files b on b.tenant_id = d.tenant_id and b.content_hash = d.base
  order by q.at, d.path`;

const textsQuery = `
  select content_hash, left(text, 100000) as text from definition_files where content_hash = any($1::text[])`;

/**
 * A stored value may be a small part of what is read, and is measured unpacked: with nothing added to it, it is unpacked and
 * not written as text.
 */
const sizesQuery = `
  select run_id, sum(coalesce(pg_column_size(verdict_detail || '{}'), 0)
    + coalesce(pg_column_size(shown_cases || '[]'), 0))::float8 as bytes
  from test_suite_runs where run_id = any($1::uuid[]) and variant <> 'baseline' and purpose = 'first' group by run_id`;

const lastRunsQuery = `
  select distinct on (r.id, s.suite_name) r.id as run_id, s.suite_name, sum(s.passed_cases)::int as passed,
         sum(s.passed_cases + s.failed_cases)::int as total
  from runs r
  join runs b on b.tenant_id = r.tenant_id and b.repository_id = r.repository_id and b.is_base
  join test_suite_runs s on s.tenant_id = b.tenant_id and s.run_id = b.id
  where r.id = any($1::uuid[]) and r.removed -> 'suites' @> to_jsonb(s.suite_name) and s.variant = 'head' and s.purpose = 'first'
    and s.status = 'completed' and s.created_at <= r.created_at
  group by r.id, s.suite_name, b.id, b.created_at
  order by r.id, s.suite_name, b.created_at desc`;

const suiteRunsWith = (verdict: string, shownCases: string) => `
  select s.id, s.run_id, s.suite_id, s.suite_name, s.suite_path, s.cell_key, s.status, s.failure_reason,
         ${verdict} as verdict_detail,
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
  where s.run_id = any($1::uuid[]) and s.variant <> 'baseline' and s.purpose = 'first'
  order by s.run_id, s.sort_order, s.suite_name, s.cell_key`;

const suiteRunsQuery = suiteRunsWith('s.verdict_detail', 's.shown_cases');
const briefSuiteRunsQuery = suiteRunsWith(`jsonb_set(s.verdict_detail, '{cases}', '[]')`, 'null::jsonb');
