import { sql } from 'kysely';
import { type Database, inTenant } from '../../database/connect.ts';
import { type Page, type PageRequest, toPage } from './page.ts';
import { type RunView, selectRuns } from './run-view.ts';

/** The run, or null when this tenant has none with that id. */
export async function readRun(database: Database, tenantId: string, runId: string): Promise<RunView | null> {
  return await inTenant(database, tenantId, async (em) => {
    const { rows } = await selectRuns(sql`where r.id = ${runId}`).execute(em.getKysely());
    return rows[0] ?? null;
  });
}

export interface RunFilter {
  repositoryId?: string | null | undefined;
  workflowRunId?: string | null | undefined;
  status?: string | null | undefined;
  repository?: string | null | undefined;
  pullRequest?: number | null | undefined;
  headSha?: string | null | undefined;
  isBase?: boolean | null | undefined;
  createdAfter?: string | null | undefined;
  createdBefore?: string | null | undefined;
}

/** A page of the tenant's runs, newest first. */
export async function listRuns(
  database: Database,
  tenantId: string,
  filter: RunFilter,
  page: PageRequest,
): Promise<Page<RunView>> {
  const conditions = [
    filter.repositoryId && sql`r.repository_id = ${filter.repositoryId}`,
    filter.workflowRunId && sql`r.trigger ->> 'workflowRunId' = ${filter.workflowRunId}`,
    filter.status && sql`r.status = ${filter.status}`,
    filter.repository && sql`p.full_name = ${filter.repository}`,
    filter.pullRequest && sql`r.pull_request = ${filter.pullRequest}`,
    filter.headSha && sql`r.head_sha = ${filter.headSha}`,
    typeof filter.isBase === 'boolean' && sql`r.is_base = ${filter.isBase}`,
    filter.createdAfter && sql`r.created_at > ${filter.createdAfter}::timestamptz`,
    filter.createdBefore && sql`r.created_at < ${filter.createdBefore}::timestamptz`,
    page.from && sql`(r.created_at, r.id) ${after(page)} (${page.from[0]}::timestamptz, ${page.from[1]}::uuid)`,
  ].filter((condition) => typeof condition === 'object' && condition !== null);
  const where = conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`;
  const direction = page.isBackwards ? sql`asc` : sql`desc`;
  return await inTenant(database, tenantId, async (em) => {
    const order = sql`${where} order by r.created_at ${direction}, r.id ${direction} limit ${page.size + 1}`;
    const { rows } = await selectRuns(order).execute(em.getKysely());
    return toPage(page, rows);
  });
}

// Newest first: the next page holds what is older.
const after = ({ isBackwards }: PageRequest) => (isBackwards ? sql`>` : sql`<`);
