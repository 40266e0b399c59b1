import type { VerdictWord } from '@proofmark/contracts/gate';
import type { Conclusion } from '@proofmark/contracts/verdict';
import type { RunStatus, RunTrigger } from '@proofmark/contracts/words';
import { type RawBuilder, sql } from 'kysely';
import { prepared } from '../../database/prepared.ts';
import { column, type RowOf, selectList } from '../../database/row.ts';
import { spentUsdOfRun } from '../../database/spent-usd.ts';
import { type Database, readInTenant } from '../../database/transactions.ts';
import { type PageOf, type PageRequest, type PageRow, toPage } from '../connection.ts';
import { callerOf, type GraphqlContext } from '../context.ts';
import { byId } from '../loaders.ts';
import {
  allOf,
  boundsOf,
  facetsIn,
  pageOf,
  type RunBounds,
  runConditions,
  type SharedFilter,
  type TimeOrder,
  timeOrder,
} from './run-filter.ts';

const runColumns = {
  id: column<string>(),
  status: column<RunStatus>(),
  triggeredBy: column<RunTrigger>(),
  event: column<string | null>(),
  repositoryId: column<string | null>(),
  repository: column<string | null>(sql`p.full_name`),
  host: column<string | null>(sql`p.host`),
  /** Number of the repository on its host. */
  externalId: column<string | null>(sql`p.external_id`),
  /** Whether the App is installed on the repository. */
  hasInstallation: column<boolean>(sql`p.installation_id is not null`),
  headSha: column<string | null>(),
  baseSha: column<string | null>(),
  mergeBaseSha: column<string | null>(),
  pullRequest: column<number | null>(),
  ref: column<string | null>(),
  isBase: column<boolean>(),
  workflowRunId: column<string | null>(sql`r.trigger ->> 'workflowRunId'`),
  author: column<string | null>(sql`r.trigger ->> 'author'`),
  title: column<string | null>(sql`r.trigger ->> 'title'`),
  /** The workflow runs whose jobs wait for it. */
  jobs: column<string[]>(),
  runSeed: column<string>(),
  rerunOf: column<string | null>(),
  rescores: column<string | null>(sql`r.requested ->> 'rescores'`),
  notes: column<string | null>(),
  verdict: column<VerdictWord | null>(),
  conclusion: column<Conclusion | null>(),
  createdBy: column<string>(sql`u.login`),
  createdAt: column<string>(),
  startedAt: column<string | null>(),
  completedAt: column<string | null>(),
  deadlineAt: column<string | null>(),
  totalCases: column<number>(sql`s.total`),
  passedCases: column<number>(sql`s.passed`),
  failedCases: column<number>(sql`s.failed`),
  erroredCases: column<number>(sql`s.errored`),
  skippedCases: column<number>(sql`s.skipped`),
  totalSuiteRuns: column<number>(sql`s.suite_runs`),
  finishedSuiteRuns: column<number>(sql`s.finished`),
};

const columns = selectList('r', runColumns);

/** One invocation as callers see it, with the sums over its suite runs. */
export type RunView = RowOf<typeof runColumns> & PageRow;

const byTime: RawBuilder<unknown> = sql`array[r.created_at::text, r.id::text]`;

/** The columns of a run view; the caller adds the conditions on `r`. */
function selectRuns(conditions: RawBuilder<unknown>, position = byTime): RawBuilder<RunView> {
  return sql<RunView>`${prepared}
    select ${columns}, ${position} as position
    from runs r
    left join users u on u.tenant_id = r.tenant_id and u.id = r.created_by
    left join repositories p on p.tenant_id = r.tenant_id and p.id = r.repository_id
    cross join lateral (
      select coalesce(sum(total_cases), 0)::int total, coalesce(sum(passed_cases), 0)::int passed,
        coalesce(sum(failed_cases), 0)::int failed, coalesce(sum(errored_cases), 0)::int errored,
        coalesce(sum(skipped_cases), 0)::int skipped, count(*)::int suite_runs,
        (count(*) filter (where status in ('completed', 'failed', 'cancelled')))::int finished
      from test_suite_runs where tenant_id = r.tenant_id and run_id = r.id and purpose <> 'calibrate') s
    ${conditions}`;
}

/** The run, or null when this tenant has none with that id. */
export async function readRun(database: Database, tenantId: string, runId: string): Promise<RunView | null> {
  const rows = await readInTenant(database, tenantId, selectRuns(sql`where r.id = ${runId}`));
  return rows[0] ?? null;
}

/** For something that belongs to it: whoever may see that may see its run. */
export const runById = byId((database, tenantId, ids) =>
  readInTenant(database, tenantId, selectRuns(sql`where r.id = any(${ids}::uuid[])`)),
);

interface RunDetails {
  id: string;
  requested: unknown;
  settings: unknown;
  environment: unknown;
}

/** What of a run may be large: read where it is asked for, and for no list that only shows states. */
export const detailsOfRun = byId((database, tenantId, ids) =>
  readInTenant(
    database,
    tenantId,
    sql<RunDetails>`${prepared} select id, requested, settings, environment from runs where id = any(${ids}::uuid[])`,
  ),
);

/** What a run has cost so far; null when nothing had a known price. */
export const spentOfRun = byId((database, tenantId, ids) =>
  readInTenant(
    database,
    tenantId,
    sql<{ id: string; usd: number | null }>`
      select r.id, ${sql.raw(spentUsdOfRun)} as usd from runs r where r.id = any(${ids}::uuid[])`,
  ),
);

interface RunsQuestion {
  tenantId: string;
  bounds: RunBounds;
  filter: SharedFilter;
  order: TimeOrder | null | undefined;
}

/** A page of the tenant's runs. */
export async function listRuns(
  database: Database,
  { tenantId, bounds, filter, order }: RunsQuestion,
  page: PageRequest,
): Promise<PageOf<RunView>> {
  const by = timeOrder(sql`r`, order);
  const { from, rest, position } = pageOf(by, page);
  const where = allOf([
    ...runConditions(bounds, filter),
    filter.status && sql`r.status = ${filter.status}`,
    filter.verdict && sql`r.verdict = ${filter.verdict}`,
    filter.suiteId && sql`r.id in (select o.run_id from test_suite_runs o where o.suite_id = ${filter.suiteId})`,
    // A run and its suite runs are stored in one transaction, so they have one time.
    ...facetsIn(filter).map(
      (facet) => sql`exists (
        select from suite_run_facets f where f.facet = ${facet} and f.created_at = r.created_at and f.run_id = r.id)`,
    ),
    filter.createdAfter && sql`r.created_at > ${filter.createdAfter}::timestamptz`,
    filter.createdBefore && sql`r.created_at < ${filter.createdBefore}::timestamptz`,
    by.only,
    from,
  ]);
  return toPage(page, await readInTenant(database, tenantId, selectRuns(sql`where ${where} ${rest}`, position)));
}

/** The run, or null when there is none that this caller may see; nobody can tell the two apart. */
export async function visibleRun(context: GraphqlContext, runId: string): Promise<RunView | null> {
  const caller = callerOf(context);
  const run = await readRun(context.ports.database, caller.tenantId, runId);
  return run !== null && isWithin(boundsOf(caller), run) ? run : null;
}

const isWithin = ({ repositoryId, workflowRunId }: RunBounds, run: RunView): boolean =>
  (!repositoryId || run.repositoryId === repositoryId) &&
  (!workflowRunId || run.workflowRunId === workflowRunId || run.jobs.includes(workflowRunId));

/** Whether the caller may see this run of its tenant. Only a bound token makes it necessary to look. */
export async function maySeeRun(context: GraphqlContext, runId: string): Promise<boolean> {
  const { repositoryId, workflowRunId } = boundsOf(callerOf(context));
  return (!repositoryId && !workflowRunId) || (await visibleRun(context, runId)) !== null;
}
