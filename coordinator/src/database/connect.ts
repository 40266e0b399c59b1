import { type EntityManager, MikroORM } from '@mikro-orm/postgresql';
import type { RawBuilder } from 'kysely';
import { ormOptions } from './orm-options.ts';
import { PreparingClient } from './prepared.ts';

/** The two logins of the coordinator. Neither owns a table, and row-level security binds both. */
export interface Database {
  /** Requests, for one tenant at a time: use `inTenant`. */
  app: MikroORM;
  /** Loops and the look-up of tokens: use `asWorker`. */
  worker: MikroORM;
  close: () => Promise<void>;
}

export interface DatabaseSettings {
  PROOFMARK_APP_DATABASE_URL: string;
  PROOFMARK_WORKER_DATABASE_URL: string;
  /** Connections per login. */
  PROOFMARK_DATABASE_POOL: number;
}

const waitForConnectionMs = 2_000;
const statementTimeoutMs = 15_000;
const lockTimeoutMs = 5_000;
const idleInTransactionMs = 30_000;

/** Both pools; connections open when they are first needed, so a database that is down shows at the first query. */
export async function connect(settings: DatabaseSettings): Promise<Database> {
  const app = await open(settings.PROOFMARK_APP_DATABASE_URL, settings.PROOFMARK_DATABASE_POOL);
  const worker = await open(settings.PROOFMARK_WORKER_DATABASE_URL, settings.PROOFMARK_DATABASE_POOL);
  const close = async () => {
    await app.close(true);
    await worker.close(true);
  };
  return { app, worker, close };
}

async function open(clientUrl: string, poolSize: number): Promise<MikroORM> {
  return MikroORM.init({
    ...ormOptions,
    clientUrl,
    pool: { min: 0, max: poolSize },
    driverOptions: {
      connectionTimeoutMillis: waitForConnectionMs,
      statement_timeout: statementTimeoutMs,
      lock_timeout: lockTimeoutMs,
      idle_in_transaction_session_timeout: idleInTransactionMs,
      options: '-c timezone=UTC',
      Client: PreparingClient,
    },
  });
}

/** Runs the work in one transaction that sees the rows of this tenant only. It commits when the work resolves. */
export async function inTenant<Result>(
  database: Database,
  tenantId: string,
  work: (em: EntityManager) => Promise<Result>,
): Promise<Result> {
  const em = database.app.em.fork({ session: { variables: { 'app.tenant_id': tenantId } } });
  return em.transactional(work);
}

/** Runs the work in one transaction that sees the rows of all tenants, with the rights of the loops. */
export async function asWorker<Result>(
  database: Database,
  work: (em: EntityManager) => Promise<Result>,
): Promise<Result> {
  return database.worker.em.fork().transactional(work);
}

type Session = Pick<ReturnType<EntityManager['getKysely']>, 'executeQuery'>;

/** Runs the work on one connection of the loops without a transaction, for what lasts longer than one may be idle. */
export async function onWorkerSession<Result>(
  database: Database,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  return await database.worker.em.fork().getKysely().connection().execute(work);
}

/** Runs one statement with the rights of the loops. It is a transaction of its own, and takes one way to the ledger instead of three. */
export async function askAsWorker<Row>(database: Database, statement: RawBuilder<Row>): Promise<Row[]> {
  const { rows } = await statement.execute(database.worker.em.fork().getKysely());
  return rows;
}

/** Runs the work in one transaction with the login of requests and no tenant: it sees no row of any. */
export async function asNobody<Result>(
  database: Database,
  work: (em: EntityManager) => Promise<Result>,
): Promise<Result> {
  return await database.app.em.fork().transactional(work);
}
