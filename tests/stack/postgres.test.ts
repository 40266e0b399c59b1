import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { createDatabase, databaseName, dropDatabase } from './databases.ts';
import { inheritedEnvironment } from './environment.ts';
import { spawnOwned } from './owned-process.ts';
import { externalPostgres, type Postgres, startOwnPostgres } from './postgres.ts';
import { findPostgres } from './postgres-binaries.ts';
import { waitUntil } from './wait-until.ts';

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startOwnPostgres({ fast: true });
});
afterAll(async () => postgres.stop());

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const answer = await client.query<Record<string, unknown>>(sql);
    return answer.rows;
  } finally {
    await client.end();
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

it('answers queries as a superuser, in UTF-8, with the letters of every script', async () => {
  const rows = await ask(
    postgres.url,
    `select rolsuper, upper('ö é ж') as upper, current_setting('fsync') as fsync from pg_roles where rolname = current_user`,
  );
  expect(rows).toEqual([{ rolsuper: true, upper: 'Ö É Ж', fsync: 'off' }]);
});

it('copies a template database and drops the copy although somebody is connected', async () => {
  const template = await createDatabase(postgres.url);
  await ask(template, 'create table marker (id int)');
  const copy = await createDatabase(postgres.url, { template: databaseName(template) });
  expect(await ask(copy, 'select count(*)::int as count from marker')).toEqual([{ count: 0 }]);

  const guest = new pg.Client({ connectionString: copy });
  guest.on('error', () => undefined);
  await guest.connect();
  await dropDatabase(postgres.url, copy);
  await expect(ask(copy, 'select 1')).rejects.toThrow('does not exist');
  await guest.end().catch(() => undefined);
});

it('keeps its promises on disk unless told to be fast, and is gone with its directory after stop', async () => {
  const durable = await startOwnPostgres();
  const rows = await ask(
    durable.url,
    `select current_setting('fsync') as fsync, current_setting('data_directory') as directory`,
  );
  expect(rows[0]?.fsync).toBe('on');
  await durable.stop();
  expect(existsSync(String(rows[0]?.directory))).toBe(false);
  expect(isAlive(durable.server?.pid ?? 0)).toBe(false);
});

it('leaves a server that was given by URL alone', async () => {
  const external = externalPostgres(postgres.url);
  await external.stop();
  expect(await ask(external.url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

const ownerScript = fileURLToPath(new URL('fixtures/postgres-owner.ts', import.meta.url));
const Started = z.object({ server: z.number(), guardian: z.number(), directory: z.string() });

/** Another process that has a Postgres and never stops it. */
async function startOwner() {
  const owner = await spawnOwned(process.execPath, [ownerScript], { env: inheritedEnvironment() });
  const line = await waitUntil(() => /^\{.*\}$/m.exec(owner.log())?.[0], {
    what: 'the owner has a Postgres',
    detail: owner.log,
  });
  return { owner, ...Started.parse(JSON.parse(line)) };
}

it('stops with its owner even when that is killed with -9', async () => {
  const { owner, server, directory } = await startOwner();
  await owner.stop({ signal: 'SIGKILL' });
  await waitUntil(() => !isAlive(server) && !existsSync(directory), { what: 'the server and its directory are gone' });
});

it('is swept by the next start when the guardian died as well', async () => {
  const { owner, server, guardian, directory } = await startOwner();
  process.kill(guardian, 'SIGKILL');
  await owner.stop({ signal: 'SIGKILL' });
  expect(isAlive(server)).toBe(true);

  await using next = await startOwnPostgres({ fast: true });
  await waitUntil(() => !isAlive(server), { what: 'the old server is gone' });
  expect(existsSync(directory)).toBe(false);
  expect(await ask(next.url, 'select 1 as one')).toEqual([{ one: 1 }]);
});

it('never looks elsewhere when POSTGRES_BIN names something wrong', async () => {
  await expect(findPostgres('/nowhere/bin')).rejects.toThrow('POSTGRES_BIN names /nowhere/bin');
});
