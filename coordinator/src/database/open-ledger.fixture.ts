import pg from 'pg';
import { inject } from 'vitest';
import { createDatabase, databaseName, dropDatabase } from '../../../tests/stack/databases.ts';
import { waitUntil } from '../../../tests/stack/wait-until.ts';
import { connect } from './connect.ts';

/** A migrated database of its own with both logins connected, gone at the end of the block. */
export type Ledger = AsyncDisposable & {
  database: Awaited<ReturnType<typeof connect>>;
  /** A superuser, whom row-level security does not bind. */
  url: string;
  appUrl: string;
  workerUrl: string;
  /** Reads and changes as the superuser. */
  query: <Row extends pg.QueryResultRow = Record<string, unknown>>(
    sql: string,
    parameters?: unknown[],
  ) => Promise<Row[]>;
  close: () => Promise<void>;
};

export async function openLedger(postgresUrl: string, poolSize = 10): Promise<Ledger> {
  const url = await createDatabase(postgresUrl, { template: inject('migratedDatabase') });
  const ledger = await ledgerOn(url, poolSize);
  const close = async () => {
    await ledger.close();
    await allGone(postgresUrl, databaseName(url));
    await dropDatabase(postgresUrl, url);
  };
  return { ...ledger, close, [Symbol.asyncDispose]: close };
}

/** The ledger in a database that is there already, and stays. */
export async function ledgerOn(url: string, poolSize = 10): Promise<Ledger> {
  const appUrl = asUser(url, 'proofmark_app');
  const workerUrl = asUser(url, 'proofmark_worker');
  const database = connect({
    PROOFMARK_APP_DATABASE_URL: appUrl,
    PROOFMARK_WORKER_DATABASE_URL: workerUrl,
    PROOFMARK_DATABASE_POOL: poolSize,
  });
  const superuser = new pg.Pool({ connectionString: url, max: 4 });
  const query: Ledger['query'] = async (sql, parameters = []) => (await superuser.query(sql, parameters)).rows;
  const close = async () => {
    await superuser.end();
    await database.close();
  };
  return { database, url, appUrl, workerUrl, query, close, [Symbol.asyncDispose]: close };
}

/** A pool has ended before its connections have; one that is thrown out by the drop would be an uncaught error. */
async function allGone(postgresUrl: string, database: string): Promise<void> {
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  const isEmpty = async () =>
    (await client.query('select 1 from pg_stat_activity where datname = $1', [database])).rowCount === 0;
  await waitUntil(isEmpty, { what: 'nobody is connected to the database' });
  await client.end();
}

export function asUser(url: string, user: string): string {
  const changed = new URL(url);
  changed.username = user;
  changed.password = '';
  return changed.href;
}
