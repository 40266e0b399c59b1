import type { EntityManager } from '@mikro-orm/postgresql';
import type { AgentDefinition } from '@proofmark/contracts/agent-file';
import { AgentDefinition as Agent } from '@proofmark/contracts/agent-file';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Caller } from '../access/caller.ts';
import { type Database, inTenant } from '../database/transactions.ts';
import { type Changed, forbidden, invalid, isNameTaken, merged, nameTaken, noSuch, type Refused } from './change.ts';
import { checkAgent } from './check-suite.ts';
import { mayChange, ownRows } from './reach.ts';
import { rehomeCases } from './rehome-cases.ts';
import { readStoredProject } from './stored-project.ts';
import { agentDefinition } from './stored-suite.ts';
import { writtenAgent } from './write-files.ts';

const NewAgent = z.looseObject({ repositoryId: z.string().nullish() });
const Existing = z.looseObject({ id: z.string() });

/** Stores a new agent, of a repository or of none. */
export async function createAgent(database: Database, caller: Caller, input: object): Promise<Changed> {
  const { repositoryId: wanted, ...given } = NewAgent.parse(input);
  const repositoryId = wanted ?? caller.repositoryId;
  if (!mayChange(caller, repositoryId)) return forbidden;
  return inTenant(database, caller.tenantId, async (em): Promise<Changed> => {
    if (repositoryId !== null && !(await hasRepository(em, repositoryId))) return noSuch('repository');
    const checked = checkAgent(await readStoredProject(em, repositoryId), merged({}, given));
    if (!checked.ok) return invalid(checked.problems);
    const { name } = checked.definition;
    const { rows } = await sql<{ id: string }>`
      insert into agents (tenant_id, repository_id, name, definition)
      values (${caller.tenantId}, ${repositoryId}, ${name}, ${JSON.stringify(checked.definition)})
      on conflict (tenant_id, repository_id, name) where deleted_at is null do nothing returning id`.execute(
      em.getKysely(),
    );
    return rows[0] === undefined ? nameTaken(name) : { ok: true, id: rows[0].id };
  });
}

export async function updateAgent(database: Database, caller: Caller, input: object): Promise<Changed> {
  const { id, ...given } = Existing.parse(input);
  let wanted = '';
  try {
    return await inTenant(database, caller.tenantId, async (em): Promise<Changed> => {
      const found = await lockAgent(em, caller, id);
      if (!found.ok) return found;
      const { definition, repositoryId } = found.row;
      const project = await readStoredProject(em, repositoryId);
      const checked = checkAgent(project, merged(definition === null ? {} : writtenAgent(definition), given));
      if (!checked.ok) return invalid(checked.problems);
      wanted = checked.definition.name;
      await sql`
        update agents set name = ${wanted}, definition = ${JSON.stringify(checked.definition)}, updated_at = now()
        where id = ${id}`.execute(em.getKysely());
      return { ok: true, id };
    });
  } catch (error) {
    if (isNameTaken(error)) return nameTaken(wanted);
    throw error;
  }
}

/** Hides an agent and its suites; their runs stay readable. */
export async function deleteAgent(database: Database, caller: Caller, id: string): Promise<Changed> {
  return inTenant(database, caller.tenantId, async (em): Promise<Changed> => {
    const found = await lockAgent(em, caller, id);
    if (!found.ok) return found;
    const kysely = em.getKysely();
    await sql`update agents set deleted_at = now(), updated_at = now() where id = ${id}`.execute(kysely);
    await sql`
      update agent_test_suites set deleted_at = now(), updated_at = now()
      where agent_id = ${id} and deleted_at is null`.execute(kysely);
    await rehomeCases(em);
    return { ok: true, id };
  });
}

interface AgentRow {
  repositoryId: string | null;
  definition: AgentDefinition | null;
}

const Row = z.object({ repositoryId: z.string().nullable(), definition: Agent.nullable() });

/** The agent, locked until the transaction ends, if the caller may change it. */
export async function lockAgent(
  em: EntityManager,
  caller: Caller,
  id: string,
): Promise<{ ok: true; row: AgentRow } | Refused> {
  const { rows } = await sql`
    select a.repository_id as "repositoryId", ${agentDefinition} as definition from agents a
    where a.id = ${id} and a.deleted_at is null and ${ownRows(caller, sql`a.repository_id`)} for no key update`.execute(
    em.getKysely(),
  );
  if (rows[0] === undefined) return noSuch('agent');
  const row = Row.parse(rows[0]);
  return mayChange(caller, row.repositoryId) ? { ok: true, row } : forbidden;
}

async function hasRepository(em: EntityManager, id: string): Promise<boolean> {
  const { rows } = await sql`select 1 from repositories where id = ${id}`.execute(em.getKysely());
  return rows.length > 0;
}
