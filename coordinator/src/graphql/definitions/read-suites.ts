import { sql } from 'kysely';
import { prepared } from '../../database/prepared.ts';
import { type Database, readInTenant } from '../../database/transactions.ts';
import { listedCases, suiteDefinition } from '../../definitions/stored-suite.ts';
import type { SuiteSettings } from '../../definitions/write-files.ts';
import { type PageOf, type PageRequest, toPage } from '../connection.ts';
import { byId } from '../loaders.ts';

/** A suite as the base branch defines it. */
export interface SuiteView {
  id: string;
  name: string;
  description: string | null;
  path: string | null;
  agentName: string;
  isEnabled: boolean;
  scheduleType: string;
  alertThresholdPercent: number;
  cases: number;
  agentId: string;
  repositoryId: string | null;
  definition: SuiteSettings;
  judgeId: string | null;
  testTypeId: string | null;
  createdBy: string;
  createdAt: string;
  updatedAt: string;
  position: string[];
}

export interface SuiteFilter {
  agentId?: string | null | undefined;
  repositoryId?: string | null | undefined;
  name?: string | null | undefined;
  isEnabled?: boolean | null | undefined;
}

const columns = sql`
  s.id, s.name, s.description, s.path, a.name as "agentName", s.is_enabled as "isEnabled", s.schedule_type as "scheduleType",
  s.alert_threshold_percent as "alertThresholdPercent",
  (select count(*) from ${listedCases(sql`s.id`)} l join test_cases c on c.tenant_id = l.tenant_id and c.id = l.id
    where c.deleted_at is null)::int as cases,
  s.agent_id as "agentId", a.repository_id as "repositoryId", ${suiteDefinition} as definition,
  s.llm_judge_model_config_id as "judgeId", s.test_type_id as "testTypeId", u.login as "createdBy",
  s.created_at as "createdAt", s.updated_at as "updatedAt", array[s.name, s.id::text] as position
  from agent_test_suites s
  join agents a on a.tenant_id = s.tenant_id and a.id = s.agent_id and a.deleted_at is null
  join users u on u.tenant_id = s.tenant_id and u.id = s.created_by`;

type SuiteScope = {
  tenantId: string;
  /** Null: the suites of all repositories. */
  repositoryId: string | null;
};

const within = ({ repositoryId }: SuiteScope) =>
  sql`s.deleted_at is null and (${repositoryId}::uuid is null or a.repository_id = ${repositoryId}::uuid)`;

function matching({ agentId, repositoryId, name, isEnabled }: SuiteFilter) {
  const conditions = [
    agentId ? sql`s.agent_id = ${agentId}` : sql`true`,
    repositoryId ? sql`a.repository_id = ${repositoryId}` : sql`true`,
    name ? sql`s.name = ${name}` : sql`true`,
    typeof isEnabled === 'boolean' ? sql`s.is_enabled = ${isEnabled}` : sql`true`,
  ];
  return sql.join(conditions, sql` and `);
}

/** The suite, or null when the caller can see none with that id. */
export async function readVisibleSuite(
  database: Database,
  scope: SuiteScope,
  suiteId: string,
): Promise<SuiteView | null> {
  const rows = await readInTenant(
    database,
    scope.tenantId,
    sql<SuiteView>`select ${columns} where s.id = ${suiteId} and ${within(scope)}`,
  );
  return rows[0] ?? null;
}

/** For a result that names it: whoever may see the result may see its suite. */
export const suiteById = byId((database, tenantId, ids) =>
  readInTenant(
    database,
    tenantId,
    sql<SuiteView>`select ${columns} where s.id = any(${ids}::uuid[]) and s.deleted_at is null`,
  ),
);

/** Whether the caller can see a suite with that id, without reading what it consists of. */
export async function canSeeSuite(database: Database, scope: SuiteScope, suiteId: string): Promise<boolean> {
  const rows = await readInTenant(
    database,
    scope.tenantId,
    sql`${prepared}
      select 1 from agent_test_suites s
      join agents a on a.tenant_id = s.tenant_id and a.id = s.agent_id and a.deleted_at is null
      where s.id = ${suiteId} and ${within(scope)}`,
  );
  return rows.length > 0;
}

/** A page of the suites by name. */
export async function listSuites(
  database: Database,
  { filter = {}, ...scope }: SuiteScope & { filter?: SuiteFilter },
  page: PageRequest,
): Promise<PageOf<SuiteView>> {
  const comparison = page.isBackwards ? sql`<` : sql`>`;
  const direction = page.isBackwards ? sql`desc` : sql`asc`;
  const [name, id] = page.from ?? [];
  const from = page.from === null ? sql`true` : sql`(s.name, s.id) ${comparison} (${name}, ${id}::uuid)`;
  const rows = await readInTenant(
    database,
    scope.tenantId,
    sql<SuiteView>`
      select ${columns} where ${within(scope)} and ${matching(filter)} and ${from}
      order by s.name ${direction}, s.id ${direction} limit ${page.size + 1}`,
  );
  return toPage(page, rows);
}
