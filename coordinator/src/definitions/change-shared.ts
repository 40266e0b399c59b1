import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Caller } from '../access/caller.ts';
import { type Database, inTenant } from '../database/transactions.ts';
import { names, unnest } from '../database/unnest.ts';
import { type Changed, forbidden, invalid, merged, nameTaken, noSuch, type Refused } from './change.ts';
import { linkSuites } from './link-suites.ts';
import { mayChange, sharedRows } from './reach.ts';
import type { SharedKind } from './shared-kinds.ts';
import { readStoredProject } from './stored-project.ts';

const Named = z.looseObject({ name: z.string() });
const Existing = z.looseObject({ id: z.string() });

/** Stores a new definition for the whole tenant. */
export async function createShared<Definition>(
  database: Database,
  caller: Caller,
  kind: SharedKind<Definition>,
  input: object,
): Promise<Changed> {
  const { name, ...given } = Named.parse(input);
  if (!mayChange(caller, null, kind.scope)) return forbidden;
  return inTenant(database, caller.tenantId, async (em): Promise<Changed> => {
    const checked = kind.check(await readStoredProject(em, null), name, merged({}, given));
    if (!checked.ok) return invalid(checked.problems);
    const { rows } = await sql<{ id: string }>`
      insert into ${sql.table(kind.table)} (tenant_id, ${names(kind.columns)})
      select ${caller.tenantId}::uuid, n.* from ${unnest([checked.definition], kind.columns, 'n')}
      on conflict (tenant_id, repository_id, name) where deleted_at is null do nothing returning id`.execute(
      em.getKysely(),
    );
    const [row] = rows;
    if (row === undefined) return nameTaken(name);
    await linkSuites(em, 'all');
    return { ok: true, id: row.id };
  });
}

/** Changes what is mentioned of a definition. Its name stays: it is what others call it by. */
export async function updateShared<Definition>(
  database: Database,
  caller: Caller,
  kind: SharedKind<Definition>,
  input: object,
): Promise<Changed> {
  const { id, ...given } = Existing.parse(input);
  return inTenant(database, caller.tenantId, async (em) => {
    const found = await lockShared(em, caller, kind, id);
    if (!found.ok) return found;
    const { name, repositoryId } = found.row;
    const project = await readStoredProject(em, repositoryId);
    const checked = kind.check(project, name, merged(kind.written(project, name), given));
    if (!checked.ok) return invalid(checked.problems);
    const columns = Object.keys(kind.columns).map((column) => sql`${sql.ref(column)} = ${sql.ref(`n.${column}`)}`);
    await sql`
      update ${sql.table(kind.table)} t set ${sql.join(columns)}, updated_at = now()
      from ${unnest([checked.definition], kind.columns, 'n')} where t.id = ${id}`.execute(em.getKysely());
    return { ok: true, id };
  });
}

/** Hides a definition. Suites that name it stay, and refuse to run until they name another. */
export async function deleteShared<Definition>(
  database: Database,
  caller: Caller,
  kind: SharedKind<Definition>,
  id: string,
): Promise<Changed> {
  return inTenant(database, caller.tenantId, async (em): Promise<Changed> => {
    const found = await lockShared(em, caller, kind, id);
    if (!found.ok) return found;
    await sql`update ${sql.table(kind.table)} set deleted_at = now(), updated_at = now() where id = ${id}`.execute(
      em.getKysely(),
    );
    await linkSuites(em, 'all');
    return { ok: true, id };
  });
}

const SharedRow = z.object({ name: z.string(), repositoryId: z.string().nullable() });

async function lockShared(
  em: EntityManager,
  caller: Caller,
  { table, what, scope }: Pick<SharedKind<unknown>, 'table' | 'what' | 'scope'>,
  id: string,
): Promise<{ ok: true; row: z.infer<typeof SharedRow> } | Refused> {
  const { rows } = await sql`
    select name, repository_id as "repositoryId" from ${sql.table(table)}
    where id = ${id} and deleted_at is null and ${sharedRows(caller, sql`repository_id`)} for no key update`.execute(
    em.getKysely(),
  );
  if (rows[0] === undefined) return noSuch(what);
  const row = SharedRow.parse(rows[0]);
  return mayChange(caller, row.repositoryId, scope) ? { ok: true, row } : forbidden;
}
