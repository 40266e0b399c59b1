import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

export const ownerRole = 'proofmark_owner';
export const appRole = 'proofmark_app';
export const workerRole = 'proofmark_worker';

/** A login of the coordinator and the role whose rights it has; usually both have the same name. */
export interface Login {
  role: typeof appRole | typeof workerRole;
  user: string;
  password: string | null;
}

export function loginOf(role: Login['role'], databaseUrl: string): Login {
  const url = new URL(databaseUrl);
  const password = url.password === '' ? null : decodeURIComponent(url.password);
  return { role, user: url.username === '' ? role : decodeURIComponent(url.username), password };
}

/**
 * Makes the three roles and the logins when they are missing, and sets the logins' passwords. Roles belong to the whole
 * cluster, so another database may be doing the same at this moment: whoever comes second finds them made.
 */
export async function ensureRoles(client: pg.Client, logins: readonly Login[]): Promise<void> {
  await createRole(client, ownerRole, 'nologin');
  await createRole(client, appRole, 'login');
  await createRole(client, workerRole, 'login');
  for (const login of logins) await ensureLogin(client, login);
  await retryConcurrent(() => client.query(`grant ${ownerRole} to current_user`));
  // Databases of Postgres 14 and older let everybody create tables there.
  await client.query('revoke create on schema public from public');
  await client.query(`grant usage, create on schema public to ${ownerRole}`);
  await client.query(`grant usage on schema public to ${appRole}, ${workerRole}`);
}

async function ensureLogin(client: pg.Client, { role, user, password }: Login): Promise<void> {
  const name = pg.escapeIdentifier(user);
  if (user !== role) {
    await createRole(client, user, 'login');
    await retryConcurrent(() => client.query(`grant ${role} to ${name}`));
  }
  if (password !== null)
    await retryConcurrent(() => client.query(`alter role ${name} password ${pg.escapeLiteral(password)}`));
}

async function createRole(client: pg.Client, name: string, login: 'login' | 'nologin'): Promise<void> {
  const { rowCount } = await client.query('select 1 from pg_roles where rolname = $1', [name]);
  if (rowCount !== 0) return;
  try {
    await client.query(
      `create role ${pg.escapeIdentifier(name)} ${login} nosuperuser nobypassrls nocreatedb nocreaterole`,
    );
  } catch (error) {
    if (!isCode(error, '42710', '23505')) throw error;
  }
}

/** Two sessions that change one row of a catalogue: the second gets "tuple concurrently updated" and only has to try again. */
async function retryConcurrent(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await work();
      return;
    } catch (error) {
      if (attempt === 10 || !isCode(error, 'XX000', '23505', '40P01')) throw error;
      await pause(10 * attempt);
    }
  }
}

function isCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code);
}
