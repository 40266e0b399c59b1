import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import type { CompiledQuery, RawBuilder } from 'kysely';
import type { Pool, PoolClient } from 'pg';
import { actorVariables } from './acting.ts';

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
  const em = database.app.em.fork({ session: { variables: { 'app.tenant_id': tenantId, ...actorVariables() } } });
  return em.transactional(work);
}

/**
 * Reads with one statement what this tenant may see. The transaction around it is sent together with it: one way to the ledger
 * instead of four.
 */
export async function readInTenant<Row>(
  database: Database,
  tenantId: string,
  statement: RawBuilder<Row>,
): Promise<Row[]> {
  const { pool, compile } = wayTo(database.app);
  const { sql: text, parameters } = compile(statement);
  const client = await (await pool()).connect();
  // The commit does nothing after a statement that failed; the answer of each has come before the connection is given back.
  const [opened, asked, closed] = await together(client, () =>
    Promise.allSettled([
      client.query(`begin read only; set local app.tenant_id = ${client.escapeLiteral(tenantId)}`),
      client.query(text, [...parameters]),
      client.query('commit'),
    ]),
  );
  client.release(opened.status === 'rejected' || closed.status === 'rejected');
  if (opened.status === 'rejected') throw opened.reason;
  if (asked.status === 'rejected') throw asked.reason;
  if (closed.status === 'rejected') throw closed.reason;
  return asked.value.rows;
}

interface Way {
  pool: () => Promise<Pool>;
  compile: (statement: RawBuilder<unknown>) => CompiledQuery;
}

const ways = new WeakMap<MikroORM, Way>();

/** The connections of a login, and what makes texts of statements for them: the same for every statement that is asked alone. */
function wayTo(orm: MikroORM): Way {
  const known = ways.get(orm);
  if (known !== undefined) return known;
  const em = orm.em.fork();
  const [connection, kysely] = [em.getConnection(), em.getKysely()];
  const way: Way = {
    pool: () => connection.getNativeClient(),
    compile: (statement) => statement.compile(kysely),
  };
  ways.set(orm, way);
  return way;
}

/** What is asked meanwhile leaves in one piece: each piece is a call of the system, and wakes Postgres. */
function together<Answers>({ connection: { stream } }: PoolClient, ask: () => Answers): Answers {
  stream.cork();
  try {
    return ask();
  } finally {
    stream.uncork();
  }
}

/** Runs the work in one transaction that sees the rows of all tenants, with the rights of the loops. */
export async function asWorker<Result>(
  database: Database,
  work: (em: EntityManager) => Promise<Result>,
): Promise<Result> {
  const variables = actorVariables();
  const isActing = Object.keys(variables).length > 0;
  return database.worker.em.fork(isActing ? { session: { variables } } : {}).transactional(work);
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
  const { pool, compile } = wayTo(database.worker);
  const { sql: text, parameters } = compile(statement);
  const client = await (await pool()).connect();
  try {
    return (await client.query(text, [...parameters])).rows;
  } finally {
    client.release();
  }
}

/** Runs the work in one transaction with the login of requests and no tenant: it sees no row of any. */
export async function asNobody<Result>(
  database: Database,
  work: (em: EntityManager) => Promise<Result>,
): Promise<Result> {
  return await database.app.em.fork().transactional(work);
}
