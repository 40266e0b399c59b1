import { connect, type Database } from '@proofmark/coordinator/connect';
import { migrate } from '@proofmark/coordinator/migrate';
import pg from 'pg';
import { createDatabase, dropDatabase } from '../stack/databases.ts';

/** A migrated database of its own with both logins connected, gone at the end of the block. */
export type Ledger = AsyncDisposable & {
  database: Database;
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
  const url = await createDatabase(postgresUrl);
  const appUrl = asUser(url, 'proofmark_app');
  const workerUrl = asUser(url, 'proofmark_worker');
  await migrate({ databaseUrl: url, appUrl, workerUrl });
  const database = await connect({
    PROOFMARK_APP_DATABASE_URL: appUrl,
    PROOFMARK_WORKER_DATABASE_URL: workerUrl,
    PROOFMARK_DATABASE_POOL: poolSize,
  });
  const superuser = new pg.Client({ connectionString: url });
  await superuser.connect();
  const query: Ledger['query'] = async (sql, parameters = []) => (await superuser.query(sql, parameters)).rows;
  const close = async () => {
    await superuser.end();
    await database.close();
    await dropDatabase(postgresUrl, url);
  };
  return { database, url, appUrl, workerUrl, query, close, [Symbol.asyncDispose]: close };
}

export function asUser(url: string, user: string): string {
  const changed = new URL(url);
  changed.username = user;
  changed.password = '';
  return changed.href;
}
