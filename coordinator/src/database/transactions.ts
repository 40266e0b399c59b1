import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import type { RawBuilder } from 'kysely';

/** The two logins of the coordinator. Neither owns a table, and row-level security binds both. */
export interface Database {
  /** Requests, for one tenant at a time: use `inTenant`. */
  app: MikroORM;
  /** Loops and the look-up of tokens: use `asWorker`. */
  worker: MikroORM;
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
