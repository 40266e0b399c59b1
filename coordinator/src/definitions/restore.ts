import { type RawBuilder, sql } from 'kysely';
import type { Caller } from '../access/caller.ts';
import { type Database, inTenant } from '../database/transactions.ts';
import { type Changed, forbidden, isNameTaken, nameTaken, noSuch } from './change.ts';
import { linkSuites } from './link-suites.ts';
import { mayChange, sharedRows } from './reach.ts';

/** A kind of definition that is hidden when it is deleted: where its row `t` stands, and whose it is. */
interface Hidden {
  what: string;
  scope: 'runs:write' | 'admin';
  rows: RawBuilder<unknown>;
  repositoryId: RawBuilder<unknown>;
}

const visibleAgent = (agentId: RawBuilder<unknown>) =>
  sql`join agents a on a.tenant_id = t.tenant_id and a.id = ${agentId} and a.deleted_at is null`;

const own = sql`t.repository_id`;
const ofAgent = sql`a.repository_id`;

const kinds = {
  agents: { what: 'agent', scope: 'runs:write', rows: sql`agents t`, repositoryId: own },
  agent_test_suites: {
    what: 'suite whose agent is there',
    scope: 'runs:write',
    rows: sql`agent_test_suites t ${visibleAgent(sql`t.agent_id`)}`,
    repositoryId: ofAgent,
  },
  test_cases: {
    what: 'case whose suite is there',
    scope: 'runs:write',
    rows: sql`test_cases t
      join agent_test_suites s on s.tenant_id = t.tenant_id and s.id = t.suite_id and s.deleted_at is null
      ${visibleAgent(sql`s.agent_id`)}`,
    repositoryId: ofAgent,
  },
  model_configurations: {
    what: 'AI configuration',
    scope: 'admin',
    rows: sql`model_configurations t`,
    repositoryId: own,
  },
  presets: { what: 'preset', scope: 'runs:write', rows: sql`presets t`, repositoryId: own },
  test_types: { what: 'test type', scope: 'runs:write', rows: sql`test_types t`, repositoryId: own },
} as const satisfies Record<string, Hidden>;

export type HiddenKind = keyof typeof kinds;

/** Shows a deleted definition again, under its old name; with an agent the suites that were deleted with it. */
export async function restoreDefinition(
  database: Database,
  caller: Caller,
  table: HiddenKind,
  id: string,
): Promise<Changed> {
  const { what, scope, rows: from, repositoryId }: Hidden = kinds[table];
  let name = '';
  try {
    return await inTenant(database, caller.tenantId, async (em): Promise<Changed> => {
      const kysely = em.getKysely();
      const { rows } = await sql<{ name: string; repositoryId: string | null }>`
        select t.name, ${repositoryId} as "repositoryId" from ${from}
        where t.id = ${id} and t.deleted_at is not null and ${sharedRows(caller, repositoryId)} for update of t`.execute(
        kysely,
      );
      const [row] = rows;
      if (row === undefined) return noSuch(`deleted ${what}`);
      if (!mayChange(caller, row.repositoryId, scope)) return forbidden;
      name = row.name;
      if (table === 'agents')
        await sql`
          update agent_test_suites s set deleted_at = null, updated_at = now() from agents t
          where t.id = ${id} and s.agent_id = t.id and s.deleted_at = t.deleted_at`.execute(kysely);
      await sql`update ${sql.table(table)} set deleted_at = null, updated_at = now() where id = ${id}`.execute(kysely);
      await linkSuites(em, 'all');
      return { ok: true, id };
    });
  } catch (error) {
    if (isNameTaken(error)) return nameTaken(name);
    throw error;
  }
}
