import { reasonOf } from '@proofmark/domain/log-line';
import { brokerHosts } from '@proofmark/process/broker-login';
import { sql } from 'kysely';
import { createTransport } from 'nodemailer';
import pg from 'pg';
import { checkLedger } from './database/check-ledger.ts';
import { connect } from './database/connect.ts';
import { askAsWorker } from './database/transactions.ts';
import { checkServer, factsOf } from './dispatch/check-server.ts';
import { connectBroker } from './dispatch/connect-nats.ts';
import { readSyncState } from './dispatch/read-sync-state.ts';
import { type CoordinatorEnvironment, readCoordinatorEnvironment } from './environment.ts';
import { examineApp, skewOf } from './feedback/examine-app.ts';

/** `fault`: it does not work so. `doubt`: it works, and somebody should know. */
interface Found {
  level: 'fault' | 'doubt';
  /** What is wrong and what to do, without secrets. */
  message: string;
}

export type Examined = { what: string; found: Found[] }[];

const fault = (message: string): Found => ({ level: 'fault', message });
const doubt = (message: string): Found => ({ level: 'doubt', message });

const patienceMs = 30_000;
const mostSkewMs = 5_000;

/**
 * Looks at everything that a coordinator needs, as its settings name it, and changes nothing. What cannot be reached keeps
 * nothing else from being looked at.
 */
export async function examineCoordinator(
  source: Record<string, string | undefined>,
  nowMs: () => number = Date.now,
): Promise<Examined> {
  const read = readCoordinatorEnvironment(source);
  if (!read.ok) return [{ what: 'settings', found: read.problems.map(fault) }];
  const { environment } = read;
  const looks: [what: string, look: (of: CoordinatorEnvironment, nowMs: () => number) => Promise<Found[]>][] = [
    ['settings', settingsDoubts],
    ['database', database],
    ['broker', broker],
    ['GitHub', github],
    ['mail', mail],
  ];
  return await Promise.all(
    looks.map(async ([what, look]) => ({ what, found: await within(what, look(environment, nowMs)) })),
  );
}

async function within(what: string, looking: Promise<Found[]>): Promise<Found[]> {
  const late = Promise.withResolvers<Found[]>();
  const timer = setTimeout(
    () => late.resolve([fault(`The look at ${what} came to no end within ${patienceMs / 1000} s`)]),
    patienceMs,
  );
  try {
    return await Promise.race([looking, late.promise]);
  } catch (error) {
    return [fault(`The look at ${what} failed: ${reasonOf(error)}`)];
  } finally {
    clearTimeout(timer);
  }
}

async function settingsDoubts(environment: CoordinatorEnvironment): Promise<Found[]> {
  const { PROOFMARK_SECRET, PUBLIC_URL, githubServers, PROOFMARK_CHAOS_AT: chaos } = environment;
  const { protocol, hostname } = new URL(PUBLIC_URL);
  const isLocal = hostname === 'localhost' || hostname === '127.0.0.1';
  const hookless = githubServers.filter(({ app, webhookSecrets }) => app !== null && webhookSecrets.length === 0);
  return [
    ...(PROOFMARK_SECRET === undefined
      ? [
          doubt(
            'PROOFMARK_SECRET is not set: the key of links and of addresses of alerts lies in the database, beside what it protects; set one',
          ),
        ]
      : []),
    ...(protocol === 'http:' && !isLocal
      ? [fault('PUBLIC_URL is http: tokens would travel in the clear; use https')]
      : []),
    ...(chaos.length > 0 ? [fault('PROOFMARK_CHAOS_AT is set: this process fails on purpose; take it away')] : []),
    ...hookless.map(({ host }) =>
      fault(
        `GITHUB_WEBHOOK_SECRET is not set for ${host}: nothing that GitHub says is heard, such as a press on "Re-run"`,
      ),
    ),
  ];
}

async function database(environment: CoordinatorEnvironment, nowMs: () => number): Promise<Found[]> {
  const logins = {
    PROOFMARK_APP_DATABASE_URL: environment.PROOFMARK_APP_DATABASE_URL,
    PROOFMARK_WORKER_DATABASE_URL: environment.PROOFMARK_WORKER_DATABASE_URL,
  };
  const refused = (await Promise.all(Object.entries(logins).map(([name, url]) => whyNoLogin(name, url)))).flat();
  if (refused.length > 0) return [...new Set(refused)].map(fault);
  const opened = connect({ ...environment, PROOFMARK_DATABASE_POOL: 2 });
  try {
    const wrong = (await checkLedger(opened)).map(({ kind, message }) =>
      kind === 'durability' && environment.PROOFMARK_ALLOW_LOSSY_DATABASE ? doubt(message) : fault(message),
    );
    const isWhole = !wrong.some(({ message }) => message.startsWith('The schema'));
    return [...wrong, ...(await room(opened, environment, nowMs)), ...(isWhole ? await runners(opened) : [])];
  } finally {
    await opened.close();
  }
}

type Opened = Awaited<ReturnType<typeof connect>>;

async function whyNoLogin(name: string, url: string): Promise<string[]> {
  const { host, username, pathname } = new URL(url);
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  try {
    await client.connect();
    return [];
  } catch (error) {
    const code = Object(error).code;
    if (code === '28P01' || code === '28000')
      return [
        `Postgres refuses the login ${username} of ${name}: set its password, or run the migrations, which make the logins`,
      ];
    if (code === '3D000')
      return [`Postgres at ${host} has no database ${pathname.slice(1)}: create it, and run the migrations`];
    return [`Postgres at ${host} does not answer (${reasonOf(error)}): start it, or correct the address in ${name}`];
  } finally {
    // What never connected cannot be ended.
    await client.end().catch(() => undefined);
  }
}

async function room(
  opened: Opened,
  { PROOFMARK_DATABASE_POOL: perLogin }: CoordinatorEnvironment,
  nowMs: () => number,
): Promise<Found[]> {
  const before = nowMs();
  const [row] = await askAsWorker(
    opened,
    sql<{ nowMs: number; most: number }>`
      select (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs", current_setting('max_connections')::int as most`,
  );
  if (row === undefined) return [];
  const skewMs = skewOf(row.nowMs, before, nowMs());
  const needed = 2 * perLogin;
  return [
    ...skewFound(skewMs, 'Postgres'),
    ...(row.most < needed
      ? [
          fault(
            `Postgres takes ${row.most} connections, one coordinator wants up to ${needed}: raise max_connections, or lower PROOFMARK_DATABASE_POOL`,
          ),
        ]
      : []),
  ];
}

const skewFound = (skewMs: number, of: string): Found[] =>
  Math.abs(skewMs) <= mostSkewMs
    ? []
    : [
        fault(
          `The clock of this machine is ${Math.round(Math.abs(skewMs) / 1000)} s ${skewMs > 0 ? 'behind' : 'ahead of'} that of ${of}: let both follow a time server (NTP)`,
        ),
      ];

async function runners(opened: Opened): Promise<Found[]> {
  const [row] = await askAsWorker(
    opened,
    sql<{
      open: number;
    }>`select count(*)::int as open from runner_sessions where state = 'open' and lease_until > now()`,
  );
  return (row?.open ?? 0) > 0 ? [] : [doubt('No runner is connected: runs are accepted, and wait')];
}

async function broker(environment: CoordinatorEnvironment): Promise<Found[]> {
  const watch = { brokerLost: () => undefined, brokerBack: () => undefined };
  const hosts = brokerHosts(environment.NATS_URL);
  let opened: Awaited<ReturnType<typeof connectBroker>>;
  try {
    opened = await connectBroker(environment, watch);
  } catch (error) {
    const isRefused = /authori[sz]ation|authentication/i.test(reasonOf(error));
    return [
      fault(
        isRefused
          ? 'NATS refuses the login: PROOFMARK_NATS_SEED, or the login in NATS_URL, must be that of the coordinator (deploy/README.md)'
          : `NATS at ${hosts.join(', ')} does not answer (${reasonOf(error)}): start it, or correct NATS_URL`,
      ),
    ];
  }
  try {
    const sync = await readSyncState(environment.PROOFMARK_NATS_MONITOR_URL);
    const { refusals, warnings } = checkServer(factsOf(opened.connection, { sync, hosts }), {
      requiresSync: environment.PROOFMARK_NATS_REQUIRE_SYNC,
      allowsAnonymous: environment.PROOFMARK_NATS_ALLOW_ANONYMOUS,
    });
    const { PROOFMARK_NATS_REPLICAS: replicas } = environment;
    const isAlone = opened.connection.info?.cluster === undefined;
    return [
      ...refusals.map(fault),
      ...(replicas > 1 && isAlone
        ? [fault(`PROOFMARK_NATS_REPLICAS is ${replicas}, and NATS is a single server: set it to 1, or make a cluster`)]
        : []),
      ...warnings.map(doubt),
    ];
  } finally {
    await opened.close();
  }
}

async function github({ githubServers, PUBLIC_URL }: CoordinatorEnvironment, nowMs: () => number): Promise<Found[]> {
  const apps = githubServers.flatMap((server) => (server.app === null ? [] : [{ ...server, ...server.app }]));
  if (apps.length === 0)
    return [doubt(`No App is configured: no check is written. \`github-app ${PUBLIC_URL}\` makes one`)];
  const examined = await Promise.all(apps.map(async (app) => await examineApp({ ...app, appId: app.id }, nowMs)));
  return examined.flatMap(({ faults, doubts, skewMs }) => [
    ...faults.map(fault),
    ...doubts.map(doubt),
    ...skewFound(skewMs, 'GitHub'),
  ]);
}

async function mail({ PROOFMARK_SMTP_URL: url }: CoordinatorEnvironment): Promise<Found[]> {
  if (url === undefined) return [];
  const transport = createTransport({ url, connectionTimeout: 5000, greetingTimeout: 5000 });
  try {
    await transport.verify();
    return [];
  } catch (error) {
    const { host } = new URL(url);
    return [
      fault(
        `The mail server at ${host} cannot be used (${reasonOf(error)}): correct PROOFMARK_SMTP_URL, or alerts by mail are given up`,
      ),
    ];
  } finally {
    transport.close();
  }
}
