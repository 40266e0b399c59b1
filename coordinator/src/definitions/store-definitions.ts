import { hash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { contentHash } from '@proofmark/contracts/content-hash';
import type { LoadedDefinitions, LoadedSuite } from '@proofmark/contracts/loaded';
import { sql } from 'kysely';
import { type Columns, names, unnest } from '../database/unnest.ts';
import { storeCases } from './store-cases.ts';

export interface SuiteIds {
  suiteId: string;
  agentId: string;
  agentSnapshotId: string;
  /** Ids of the cases by name. */
  caseIds: ReadonlyMap<string, string>;
  /** Where the names of the cases stand in the file of this run. */
  casePositions: LoadedSuite['casePositions'];
}

interface Storing {
  tenantId: string;
  repositoryId: string | null;
  userId: string;
  suites: LoadedDefinitions['suites'];
  /** False for a proposal, which may add suites and cases but changes none that exist. */
  mayChange: boolean;
}

/**
 * Makes sure that agents, their snapshots, suites and cases exist, and returns their ids by the path of the suite.
 * Rows are taken in the order of their names, so that runs of one repository that start together cannot deadlock.
 */
export async function storeDefinitions(em: EntityManager, storing: Storing): Promise<Map<string, SuiteIds>> {
  const suites = storing.suites.toSorted(
    (a, b) => compare(a.agent.name, b.agent.name) || compare(a.suite.name, b.suite.name),
  );
  const agentIds = await storeAgents(em, storing, suites);
  const agentOf = ({ agent }: LoadedSuite): string => idFrom(agentIds, agent.name);
  const snapshotIds = await storeSnapshots(em, storing.tenantId, suites, agentOf);
  const { ids: suiteIds, areNew } = await storeSuites(em, storing, suites, agentOf);
  const cases = await storeCases(em, {
    ...storing,
    suites: suites.map((loaded) => ({ loaded, suiteId: idFrom(suiteIds, loaded.path) })),
    areNew,
  });
  const stored = suites.map((loaded): [string, SuiteIds] => [
    loaded.path,
    {
      suiteId: idFrom(suiteIds, loaded.path),
      agentId: agentOf(loaded),
      agentSnapshotId: idFrom(snapshotIds, snapshotKey(agentOf(loaded), contentHash(loaded.agent))),
      caseIds: cases.get(loaded.path) ?? new Map(),
      casePositions: loaded.casePositions,
    },
  ]);
  return new Map(stored);
}

/** The given rows with snapshots of the agents as these suites have them; nothing else is stored. */
export async function keepAgents(
  em: EntityManager,
  tenantId: string,
  suites: LoadedDefinitions['suites'],
  rows: ReadonlyMap<string, Pick<SuiteIds, 'suiteId' | 'agentId' | 'caseIds'>>,
): Promise<Map<string, SuiteIds>> {
  const known = new Map(suites.map(({ path }) => [path, rowAt(rows, path)]));
  const agentOf = ({ path }: LoadedSuite): string => rowAt(known, path).agentId;
  const snapshotIds = await storeSnapshots(em, tenantId, suites, agentOf);
  return new Map(
    suites.map((loaded) => {
      const agentSnapshotId = idFrom(snapshotIds, snapshotKey(agentOf(loaded), contentHash(loaded.agent)));
      // The lines of written files are not those of the repository, which the cases themselves know.
      return [loaded.path, { ...rowAt(known, loaded.path), agentSnapshotId, casePositions: new Map() }];
    }),
  );
}

function rowAt<Row>(rows: ReadonlyMap<string, Row>, path: string): Row {
  const row = rows.get(path);
  if (row === undefined) throw new Error(`${path} has no row`);
  return row;
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
const snapshotKey = (agentId: string, hash: string): string => `${agentId} ${hash}`;

function idFrom(ids: ReadonlyMap<string, string>, key: string): string {
  const id = ids.get(key);
  if (id === undefined) throw new Error(`nothing was stored for ${key}`);
  return id;
}

const byAgent: Columns<LoadedSuite> = {
  name: { type: 'text', of: ({ agent }) => agent.name },
  config_path: { type: 'text', of: ({ agentPath }) => agentPath },
  definition: { type: 'jsonb', of: ({ agent }) => agent },
};

async function storeAgents(
  em: EntityManager,
  { tenantId, repositoryId, mayChange }: Storing,
  suites: readonly LoadedSuite[],
): Promise<Map<string, string>> {
  const kysely = em.getKysely();
  const agents = [...new Map(suites.map((loaded) => [loaded.agent.name, loaded])).values()];
  await sql`
    insert into agents (tenant_id, repository_id, ${names(byAgent)})
    select ${tenantId}::uuid, ${repositoryId}::uuid, a.* from ${unnest(agents, byAgent, 'a')} order by a.name
    on conflict (tenant_id, repository_id, name) where deleted_at is null do nothing`.execute(kysely);
  if (mayChange) {
    await sql`
      update agents g set config_path = a.config_path, definition = a.definition, updated_at = now() from ${unnest(agents, byAgent, 'a')}
      where g.tenant_id = ${tenantId} and g.repository_id is not distinct from ${repositoryId}::uuid and g.name = a.name
        and g.deleted_at is null and (g.config_path, g.definition) is distinct from (a.config_path, a.definition)`.execute(
      kysely,
    );
  }
  const { rows } = await sql<{ id: string; name: string }>`
    select id, name from agents
    where tenant_id = ${tenantId} and repository_id is not distinct from ${repositoryId}::uuid and deleted_at is null
      and name = any(${agents.map(({ agent }) => agent.name)}::text[])`.execute(kysely);
  return new Map(rows.map(({ id, name }) => [name, id]));
}

interface Snapshot {
  agentId: string;
  hash: string;
  definition: LoadedSuite['agent'];
}

const bySnapshot: Columns<Snapshot> = {
  agent_id: { type: 'uuid', of: ({ agentId }) => agentId },
  content_hash: { type: 'text', of: ({ hash }) => hash },
  definition: { type: 'jsonb', of: ({ definition }) => definition },
};

async function storeSnapshots(
  em: EntityManager,
  tenantId: string,
  suites: readonly LoadedSuite[],
  agentOf: (loaded: LoadedSuite) => string,
): Promise<Map<string, string>> {
  const snapshots = new Map<string, Snapshot>();
  for (const loaded of suites) {
    const snapshot = { agentId: agentOf(loaded), hash: contentHash(loaded.agent), definition: loaded.agent };
    snapshots.set(snapshotKey(snapshot.agentId, snapshot.hash), snapshot);
  }
  const batch = unnest([...snapshots.values()], bySnapshot, 's');
  const kysely = em.getKysely();
  await sql`
    insert into agent_snapshots (tenant_id, agent_id, content_hash, definition)
    select ${tenantId}::uuid, s.* from ${batch} order by s.agent_id, s.content_hash
    on conflict (tenant_id, agent_id, content_hash) do nothing`.execute(kysely);
  const { rows } = await sql<{ id: string; agentId: string; hash: string }>`
    select g.id, g.agent_id as "agentId", g.content_hash as hash from agent_snapshots g
    join ${batch} on g.agent_id = s.agent_id and g.content_hash = s.content_hash
    where g.tenant_id = ${tenantId}`.execute(kysely);
  return new Map(rows.map(({ id, agentId, hash }) => [snapshotKey(agentId, hash), id]));
}

/** A suite and where its file stands; null: it has none. */
type SuiteOfFile = Pick<LoadedSuite, 'suite'> & { path: string | null };

interface SuiteRow {
  loaded: SuiteOfFile;
  agentId: string;
}

/** The columns of a suite that come from its definition. */
export const suiteColumns: Columns<SuiteRow> = {
  agent_id: { type: 'uuid', of: ({ agentId }) => agentId },
  name: { type: 'text', of: ({ loaded }) => loaded.suite.name },
  path: { type: 'text', of: ({ loaded }) => loaded.path },
  description: { type: 'text', of: ({ loaded }) => loaded.suite.description },
  schedule_type: { type: 'text', of: ({ loaded }) => loaded.suite.schedule_type },
  schedule_time: { type: 'text', of: ({ loaded }) => loaded.suite.schedule_time },
  schedule_day_of_week: { type: 'int4', of: ({ loaded }) => loaded.suite.schedule_day_of_week },
  alert_on_regression: { type: 'bool', of: ({ loaded }) => loaded.suite.alert_on_regression },
  alert_threshold_percent: { type: 'int4', of: ({ loaded }) => loaded.suite.alert_threshold_percent },
  is_enabled: { type: 'bool', of: ({ loaded }) => loaded.suite.is_enabled },
  variables: { type: 'jsonb', of: ({ loaded }) => loaded.suite.variables },
  definition: { type: 'jsonb', of: ({ loaded }) => withoutCases(loaded) },
  // In the order of its schema as it is: a key that moved in a free map is worth a write, not a sorted text of all cases each time.
  definition_hash: { type: 'text', of: ({ loaded }) => hash('sha256', JSON.stringify(loaded.suite)) },
};

function withoutCases({ suite }: SuiteOfFile): Omit<LoadedSuite['suite'], 'cases'> {
  const { cases: _cases, ...definition } = suite;
  return definition;
}

async function storeSuites(
  em: EntityManager,
  { tenantId, userId, mayChange }: Storing,
  suites: readonly LoadedSuite[],
  agentOf: (loaded: LoadedSuite) => string,
): Promise<{ ids: Map<string, string>; areNew: boolean }> {
  const kysely = em.getKysely();
  const batch = unnest(
    suites.map((loaded) => ({ loaded, agentId: agentOf(loaded) })),
    suiteColumns,
    's',
  );
  const inserted = await sql`
    insert into agent_test_suites (tenant_id, created_by, ${names(suiteColumns)})
    select ${tenantId}::uuid, ${userId}::uuid, s.* from ${batch} order by s.agent_id, s.name
    on conflict (tenant_id, agent_id, name) where deleted_at is null do nothing`.execute(kysely);
  const areNew = inserted.numAffectedRows === BigInt(suites.length);
  if (mayChange && !areNew) {
    const assignments = Object.keys(suiteColumns).map((column) => sql`${sql.ref(column)} = s.${sql.ref(column)}`);
    await sql`
      update agent_test_suites t set ${sql.join(assignments)}, updated_at = now() from ${batch}
      where t.tenant_id = ${tenantId} and t.agent_id = s.agent_id and t.name = s.name and t.deleted_at is null
        and (t.definition_hash, t.path) is distinct from (s.definition_hash, s.path)`.execute(kysely);
  }
  const { rows } = await sql<{ id: string; path: string }>`
    select t.id, s.path from agent_test_suites t
    join ${batch} on t.agent_id = s.agent_id and t.name = s.name
    where t.tenant_id = ${tenantId} and t.deleted_at is null`.execute(kysely);
  return { ids: new Map(rows.map(({ id, path }) => [path, id])), areNew };
}
