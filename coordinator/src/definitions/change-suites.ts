import { sql } from 'kysely';
import { z } from 'zod';
import type { Caller } from '../access/caller.ts';
import { type Database, inTenant } from '../database/transactions.ts';
import { names, unnest } from '../database/unnest.ts';
import { type Changed, forbidden, invalid, isNameTaken, merged, nameTaken, noSuch, type Refused } from './change.ts';
import { lockAgent } from './change-agents.ts';
import { checkSettings, newlyBroken } from './check-suite.ts';
import { linkSuites } from './link-suites.ts';
import { mayChange } from './reach.ts';
import { rehomeCases } from './rehome-cases.ts';
import { suiteColumns } from './store-definitions.ts';
import { readStoredProject } from './stored-project.ts';
import { asWritten, readSuite, type StoredSuite } from './stored-suite.ts';
import { type SuiteSettings, writtenAgent } from './write-files.ts';

const NewSuite = z.looseObject({ agentId: z.string() });
const Existing = z.looseObject({ id: z.string() });

/** Stores a new suite, which has no case yet. */
export async function createSuite(database: Database, caller: Caller, input: object): Promise<Changed> {
  const { agentId, ...given } = NewSuite.parse(input);
  return inTenant(database, caller.tenantId, async (em): Promise<Changed> => {
    const agent = await lockAgent(em, caller, agentId);
    if (!agent.ok) return agent;
    const { definition, repositoryId } = agent.row;
    if (definition === null) return noSuch('agent');
    const project = await readStoredProject(em, repositoryId);
    const checked = checkSettings(project, { settings: merged({}, given), agent: writtenAgent(definition) }, null);
    if (!checked.ok) return invalid(checked.problems);
    const { rows } = await sql<{ id: string }>`
      insert into agent_test_suites (tenant_id, created_by, ${names(suiteColumns)})
      select ${caller.tenantId}::uuid, ${caller.userId}::uuid, n.* from ${rowOf(checked.definition, agentId, [])}
      on conflict (tenant_id, agent_id, name) where deleted_at is null do nothing returning id`.execute(em.getKysely());
    const [row] = rows;
    if (row === undefined) return nameTaken(checked.definition.name);
    await linkSuites(em, row);
    return { ok: true, id: row.id };
  });
}

/** Changes what is mentioned of the settings of a suite, unless that would break one of its cases. */
export async function updateSuite(database: Database, caller: Caller, input: object): Promise<Changed> {
  const { id, ...given } = Existing.parse(input);
  let wanted = '';
  try {
    return await inTenant(database, caller.tenantId, async (em): Promise<Changed> => {
      const suite = await readSuite(em, id, true);
      const refused = refusedChange(caller, suite);
      if (suite === null || refused !== null) return refused ?? noSuch('suite');
      const project = await readStoredProject(em, suite.repositoryId);
      const before = asWritten(suite);
      const after = { ...before, settings: merged(before.settings, given) };
      const checked = checkSettings(project, after, before.settings);
      if (!checked.ok) return invalid(checked.problems);
      const broken = newlyBroken(project, before, after);
      if (broken.length > 0) return invalid(broken);
      wanted = checked.definition.name;
      const columns = Object.keys(suiteColumns).filter((column) => column !== 'path');
      const assignments = columns.map((column) => sql`${sql.ref(column)} = ${sql.ref(`n.${column}`)}`);
      await sql`
        update agent_test_suites t set ${sql.join(assignments)}, updated_at = now()
        from ${rowOf(checked.definition, suite.agentId, suite.cases)} where t.id = ${id}`.execute(em.getKysely());
      await linkSuites(em, { id });
      return { ok: true, id };
    });
  } catch (error) {
    if (isNameTaken(error)) return nameTaken(wanted);
    throw error;
  }
}

/** Hides a suite with its cases, those that another suite includes excepted; its runs stay readable. */
export async function deleteSuite(database: Database, caller: Caller, id: string): Promise<Changed> {
  return inTenant(database, caller.tenantId, async (em): Promise<Changed> => {
    const refused = refusedChange(caller, await readSuite(em, id, true));
    if (refused !== null) return refused;
    await sql`update agent_test_suites set deleted_at = now(), updated_at = now() where id = ${id}`.execute(
      em.getKysely(),
    );
    await rehomeCases(em);
    return { ok: true, id };
  });
}

/** Why the caller may not change this suite; null when it may. One of another repository is not there for a bound token. */
export function refusedChange(caller: Caller, suite: StoredSuite | null, what = 'suite'): Refused | null {
  if (suite === null || (caller.repositoryId !== null && caller.repositoryId !== suite.repositoryId))
    return noSuch(what);
  return mayChange(caller, suite.repositoryId) ? null : forbidden;
}

/** The columns of one suite as a table expression `n`. */
function rowOf(settings: SuiteSettings, agentId: string, cases: StoredSuite['cases']) {
  const suite = { ...settings, cases: cases.map(({ definition }) => definition) };
  return unnest([{ loaded: { suite, path: null }, agentId }], suiteColumns, 'n');
}
