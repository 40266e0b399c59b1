import { type MetadataStorage, MikroORM } from '@mikro-orm/postgresql';
import type pg from 'pg';
import { LedgerClient } from './ledger-client.ts';
import { ormOptions } from './orm-options.ts';
import type { Database } from './transactions.ts';

/** Connections of their own for each kind of work: what takes all of one lane takes nothing of another. */
export interface Lanes {
  /** Callers: who they are, and what they ask for. */
  requests: Database;
  /** Calls of runners, and their results. */
  runners: Database;
  /** Chores of the ledger, verdicts among them. */
  loops: Database;
  /** Whatever talks to the forge. */
  forge: Database;
  /** What each lane has by now. */
  connections: () => LaneConnections[];
  close: () => Promise<void>;
}

interface LaneConnections {
  login: 'app' | 'worker';
  lane: 'requests' | 'background' | 'runners' | 'loops' | 'forge';
  busy: number;
  idle: number;
  /** How many there may be. */
  limit: number;
  /** Work that waits for one. */
  waiting: number;
}

export interface DatabaseSettings {
  PROOFMARK_APP_DATABASE_URL: string;
  PROOFMARK_WORKER_DATABASE_URL: string;
  /** Connections per login. */
  PROOFMARK_DATABASE_POOL: number;
}

/** Of the ten seconds of a request, half: on a busy machine Postgres takes seconds to let somebody in. */
const waitForConnectionMs = 5_000;
const statementTimeoutMs = 15_000;
const lockTimeoutMs = 5_000;
const idleInTransactionMs = 30_000;

/** Of the connections of a login, which part each lane has. */
const shares = {
  app: { requests: 0.8, background: 0.2 },
  worker: { requests: 0.2, runners: 0.3, loops: 0.25, forge: 0.25 },
} as const;
/** Whoever creates something on a forge holds one connection for its lock and needs another. */
const leastConnections = 4;

/** How many connections a lane has, of so many for its login. */
const connectionsOf = (share: number, perLogin: number): number =>
  Math.max(leastConnections, Math.floor(share * perLogin));

/** How many deliveries may be under way at once, so that each that holds a lock finds a connection to go on with. */
export const deliveriesAtOnce = (perLogin: number): number => connectionsOf(shares.worker.forge, perLogin) - 2;

/** How many verdicts may be at work at once: the other chores of their lane need connections too. */
export const verdictsAtOnce = (perLogin: number): number => connectionsOf(shares.worker.loops, perLogin) - 2;

/** All pools; connections open when they are first needed, so a database that is down shows at the first query. */
export function connectLanes(settings: DatabaseSettings): Lanes {
  const { PROOFMARK_APP_DATABASE_URL, PROOFMARK_WORKER_DATABASE_URL, PROOFMARK_DATABASE_POOL } = settings;
  const opened: MikroORM[] = [];
  // A pool is made when it is first needed.
  const counted: (Pick<LaneConnections, 'login' | 'lane' | 'limit'> & { pool: pg.Pool | null })[] = [];
  const lane = (of: Pick<LaneConnections, 'login' | 'lane'>, url: string, share: number) => {
    const limit = connectionsOf(share, PROOFMARK_DATABASE_POOL);
    const one: (typeof counted)[number] = { ...of, limit, pool: null };
    counted.push(one);
    const orm = open(url, limit, (pool) => {
      one.pool = pool;
    });
    opened.push(orm);
    return orm;
  };
  const app = (of: keyof (typeof shares)['app']) =>
    lane({ login: 'app', lane: of }, PROOFMARK_APP_DATABASE_URL, shares.app[of]);
  const worker = (of: keyof (typeof shares)['worker']) =>
    lane({ login: 'worker', lane: of }, PROOFMARK_WORKER_DATABASE_URL, shares.worker[of]);
  const background = app('background');
  return {
    requests: { app: app('requests'), worker: worker('requests') },
    runners: { app: background, worker: worker('runners') },
    loops: { app: background, worker: worker('loops') },
    forge: { app: background, worker: worker('forge') },
    connections: () =>
      counted.map(({ pool, ...of }) => {
        const { totalCount = 0, idleCount: idle = 0, waitingCount: waiting = 0 } = pool ?? {};
        return { ...of, busy: totalCount - idle, idle, waiting };
      }),
    close: async () => {
      for (const orm of opened) await orm.close(true);
    },
  };
}

/** One pool for each login, for a program that does one thing at a time. */
export function connect(settings: DatabaseSettings): Database & Pick<Lanes, 'close'> {
  const app = open(settings.PROOFMARK_APP_DATABASE_URL, settings.PROOFMARK_DATABASE_POOL);
  const worker = open(settings.PROOFMARK_WORKER_DATABASE_URL, settings.PROOFMARK_DATABASE_POOL);
  const close = async () => {
    await app.close(true);
    await worker.close(true);
  };
  return { app, worker, close };
}

let tables: MetadataStorage | undefined;

/** What entities say about the tables is worked out once in a process: it takes 40 ms, and a coordinator has six pools. */
function open(clientUrl: string, poolSize: number, onPoolCreated: (pool: pg.Pool) => void = () => undefined): MikroORM {
  const orm: MikroORM = new MikroORM({
    ...ormOptions,
    discovery: { skipSyncDiscovery: tables !== undefined },
    clientUrl,
    pool: { min: 0, max: poolSize },
    driverOptions: {
      connectionTimeoutMillis: waitForConnectionMs,
      statement_timeout: statementTimeoutMs,
      lock_timeout: lockTimeoutMs,
      idle_in_transaction_session_timeout: idleInTransactionMs,
      keepAlive: true,
      options: '-c timezone=UTC -c search_path=public',
      // Statements that are asked together are sent together.
      pipeline: true,
      Client: LedgerClient,
      onPoolCreated,
    },
  });
  if (tables === undefined) {
    tables = orm.getMetadata();
    return orm;
  }
  orm.driver.setMetadata(tables);
  // The library refuses work with the one that is there to be forked.
  const em = Object.assign(orm.driver.createEntityManager(), { global: true });
  return Object.assign(orm, { em });
}
