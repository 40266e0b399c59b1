import { Role } from '@proofmark/contracts/words';
import { brokerSecrets, brokerVariables } from '@proofmark/process/broker-login';
import { chaosPlan } from '@proofmark/process/chaos';
import { readSecretFile, readVariables } from '@proofmark/process/read-variables';
import { tracingSecrets, tracingVariables } from '@proofmark/process/tracing-variables';
import {
  amountUsd,
  flag,
  hostName,
  logLevel,
  milliseconds,
  oneOf,
  safeAddress,
  webAddress,
  wholeNumber,
} from '@proofmark/process/variable-kinds';
import { z } from 'zod';
import { TenantName } from './access/create-principals.ts';
import { coordinatorChaosPoints } from './database/chaos.ts';
import {
  contradictionsOf,
  type GithubServer,
  githubSecrets,
  githubServer,
  githubVariables,
  readFurtherServers,
  serversFile,
  withAddresses,
} from './github-servers.ts';

const needed = 'must be a URL like postgres://user:password@host:5432/database';
const databaseUrl = z.url({ protocol: /^postgres(ql)?$/, error: needed });
const isOrigin = (text: string): boolean => URL.parse(text)?.origin === text;

/** Every variable that the coordinator reads, with what it is for: docs/operations.md is printed from this. */
export const coordinatorVariables = z.object({
  DATABASE_URL: databaseUrl
    .optional()
    .describe('Postgres, as a login that may create roles and tables: for migrations only, and not for what serves'),
  PROOFMARK_APP_DATABASE_URL: databaseUrl
    .optional()
    .describe('Postgres, as the login for requests. Absent: DATABASE_URL as proofmark_app'),
  PROOFMARK_WORKER_DATABASE_URL: databaseUrl
    .optional()
    .describe('Postgres, as the login for background loops. Absent: DATABASE_URL as proofmark_worker'),
  PROOFMARK_MIGRATE_ON_START: flag
    .default(false)
    .describe('Apply migrations before anything else, for which DATABASE_URL is needed: for one machine'),
  PROOFMARK_ALLOW_LOSSY_DATABASE: flag
    .default(false)
    .describe('Accept a Postgres that loses commits in a crash: for tests on one that is thrown away'),
  PROOFMARK_DATABASE_POOL: wholeNumber(2, 500, 20)
    .default(20)
    .describe('Connections for each of the two logins, shared out among requests, runners, chores and GitHub'),

  ...brokerVariables,
  PROOFMARK_NATS_ALLOW_ANONYMOUS: flag
    .default(false)
    .describe(
      'Accept a server on another machine that takes anybody without a login: whoever reaches it can be any runner',
    ),
  PROOFMARK_NATS_REQUIRE_SYNC: flag
    .default(false)
    .describe('Refuse a server that acknowledges before it has synced its file'),
  PROOFMARK_NATS_MONITOR_URL: webAddress('http://nats:8222')
    .optional()
    .describe('Monitoring address of NATS, to see how it syncs'),
  PROOFMARK_NATS_REPLICAS: wholeNumber(1, 5, 3)
    .default(1)
    .describe(
      'Servers of a cluster of NATS that hold each message: 3 for a cluster of three, of which one may be lost',
    ),

  PORT: wholeNumber(0, 65_535, 8080).default(8080).describe('Port to listen on; 0 takes a free one'),
  PROOFMARK_HOST: hostName.default('0.0.0.0').describe('Address to listen on'),
  PUBLIC_URL: webAddress('https://proofmark.example.com').describe('Where users and GitHub reach this coordinator'),
  PROOFMARK_CORS_ORIGINS: z
    .string()
    .default('')
    .transform((text) => text.split(',').flatMap((origin) => origin.trim() || []))
    .refine(
      (origins) => origins.every(isOrigin),
      'must be origins, without a path, such as https://tools.example.com; several are separated by commas',
    )
    .describe('Origins that browsers may call from, separated by commas'),
  PROOFMARK_GRAPHQL_INTROSPECTION: flag.default(true).describe('Whether callers with a token may read the schema'),
  PROOFMARK_GRAPHIQL: flag
    .default(false)
    .describe(
      'Serve GraphiQL, an editor for queries, at /graphiql; what it asks needs a token or somebody who is signed in',
    ),
  PROOFMARK_SIGN_IN_ISSUER: safeAddress('https://login.example.com')
    .optional()
    .describe('OpenID provider with which people sign in by name ([secure.md](secure.md)). Absent: with tokens only'),
  PROOFMARK_SIGN_IN_CLIENT_ID: z
    .string()
    .regex(/^\S+$/, 'must be one word')
    .optional()
    .describe('How the provider knows this coordinator'),
  PROOFMARK_SIGN_IN_CLIENT_SECRET: z
    .string()
    .min(8, 'must have at least 8 characters')
    .optional()
    .describe('Absent: a public client, with PKCE alone'),
  PROOFMARK_SIGN_IN_TENANT: TenantName.default('default').describe('Tenant whose people sign in by name'),
  PROOFMARK_SIGN_IN_CLAIM: z
    .string()
    .regex(/^[A-Za-z0-9_.:/-]{1,200}$/, 'must be the name of a claim, such as email or preferred_username')
    .default('email')
    .describe('Claim of the provider that is the login of a person here; email has to be verified'),
  PROOFMARK_SIGN_IN_NEWCOMERS: z
    .enum(Role.options, { error: `must be one of ${Role.options.join(', ')}` })
    .optional()
    .describe('Role of whoever signs in for the first time. Absent: an admin makes people beforehand'),
  PROOFMARK_SESSIONS_KNOWN_ONLY: flag
    .default(false)
    .describe('Whether a browser that is signed in may ask only what the page asks. Tokens may ask anything'),
  PROOFMARK_SECRET: z
    .string()
    .min(32, 'must have at least 32 characters, such as what `openssl rand -hex 32` prints')
    .optional()
    .describe('Signs page cursors and links. Absent: a random one, which the first replica stores'),
  PROOFMARK_BOOTSTRAP_TOKEN: z
    .string()
    .regex(/^pmk_[A-Za-z0-9_-]{20,200}$/, 'must be pmk_ and 20 to 200 letters, digits, "-" or "_"')
    .optional()
    .describe('Admin token made for the tenant `default` at start'),

  OIDC_AUDIENCE: z
    .string()
    .regex(/^\S+$/, 'must be one word or URL, such as https://proofmark.example.com')
    .optional()
    .describe('Audience that tokens must name. Absent: PUBLIC_URL'),
  PROOFMARK_ENROLL: oneOf(['installed', 'manual'])
    .default('installed')
    .describe('Whether installing the App enrols a repository, or only enrollRepository does'),
  PROOFMARK_ALLOW_ADMIN_ENROLL: flag
    .default(false)
    .describe(
      'Let admins enrol any repository without proof that it is theirs: only where all tenants trust each other',
    ),

  ...githubVariables.shape,
  PROOFMARK_GITHUB_HOSTS: serversFile
    .optional()
    .describe(
      'Path of a file that names further GitHub servers ([github.md](github.md)). Absent: there is the one above',
    ),
  PROOFMARK_GITHUB_WRITE_INTERVAL_MS: milliseconds(1000).describe('Pause between two writes of one installation'),
  PROOFMARK_GITHUB_REREAD_MS: milliseconds(2000).describe('Wait before reading again after a write of unknown outcome'),
  PROOFMARK_GITHUB_PROGRESS_MS: milliseconds(15_000).describe('First update of the progress on a check'),
  PROOFMARK_GITHUB_QUEUE_MS: milliseconds(60_000).describe(
    'How long a commit in a merge queue waits for the job of a workflow before it is run from here',
  ),
  PROOFMARK_GITHUB_SWEEP_MS: milliseconds(300_000).describe(
    'How often pull requests with active runs and checks in progress are looked at; failed webhooks half as often',
  ),

  PROOFMARK_SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must be a URL like smtps://user:password@mail.example.com:465' })
    .optional()
    .describe('Mail server for alerts. Absent: no channel sends mails'),
  PROOFMARK_SMTP_FROM: z
    .string()
    .regex(/^[^\r\n]{3,200}$/, 'must be an address such as Proofmark <proofmark@example.com>')
    .optional()
    .describe('Sender of these mails. Absent: proofmark@ and the host of PUBLIC_URL'),
  PROOFMARK_ALERT_URL_ALLOW: z
    .string()
    .default('')
    .transform((text) => text.split(',').flatMap((origin) => origin.trim() || []))
    .refine(
      (origins) => origins.every(isOrigin),
      'must be origins, without a path, such as http://chat.internal:8065; several are separated by commas',
    )
    .describe('Private origins that webhooks of alerts may be sent to, separated by commas'),

  PROOFMARK_LEASE_MS: milliseconds(25_000).describe(
    'How long a silent runner keeps its test runs, and a silent coordinator its deliveries',
  ),
  PROOFMARK_ACK_WAIT_MS: milliseconds(30_000).describe('After how long an unacknowledged message is delivered again'),
  PROOFMARK_HEARTBEAT_MS: milliseconds(2000).describe('How often runners report'),
  PROOFMARK_REAP_MS: milliseconds(2000).describe('How often silent runners are looked for'),
  PROOFMARK_REPUBLISH_MS: milliseconds(10_000).describe('How often the ledger is compared with the broker'),
  PROOFMARK_TOPOLOGY_MS: milliseconds(15_000).describe('How often streams and consumers are checked'),

  PROOFMARK_AUDIT_DAYS: wholeNumber(1, 36_500, 400).default(400).describe('How many days it is kept who changed what'),
  PROOFMARK_BLOB_QUOTA_BYTES: wholeNumber(0, 2 ** 53 - 1, 1_073_741_824)
    .default(1_073_741_824)
    .describe('What the files of cases of a tenant may take together'),
  PROOFMARK_MAX_OPEN_TEST_RUNS: wholeNumber(1, 1_000_000_000, 200_000)
    .default(200_000)
    .describe('Test runs of a tenant that may be open at the same time; a run that would be too many is refused'),
  PROOFMARK_FORK_BUDGET_USD: amountUsd(1_000_000)
    .default(1)
    .describe('What a run of a fork may cost that a maintainer approved'),
  PROOFMARK_ALLOW_COMMAND_AGENTS: flag
    .default(false)
    .describe('Take runs of agents that are programs, for runners that may start them; those of forks never'),

  // Any text: a wrong one is passed over with a warning, because a slip of the pen must never mean "keep nothing".
  TEST_SUITES_RETENTION_CLEANUP_TIME: z
    .string()
    .optional()
    .describe(
      'When old suite runs are removed, UTC, unless a tenant has stored another time. Absent or no time of day: 02:00',
    ),
  TEST_SUITES_RETENTION_DAYS: z
    .string()
    .optional()
    .describe(
      'How many days suite runs are kept, unless a tenant has stored another number. Absent or no whole number: 30',
    ),
  TEST_SUITES_RETENTION_RUNS: z
    .string()
    .optional()
    .describe(
      'How many runs of each suite are kept whatever their age, unless a tenant has stored another number. Absent or no whole number: 30',
    ),

  ...tracingVariables,
  PROOFMARK_LOG_LEVEL: logLevel.default('info').describe('How much is logged, as lines of JSON'),
  PROOFMARK_CHAOS_AT: chaosPlan(coordinatorChaosPoints),
});

type Variables = z.infer<typeof coordinatorVariables>;

/** The settings of a coordinator. A wrong value ends the start; `<NAME>_FILE` reads a secret from a file. */
export type CoordinatorEnvironment = ReturnType<typeof complete>;

const complete = (given: Variables, further: readonly GithubServer[]) => ({
  ...given,
  /** The one of these variables, and those of the file. */
  githubServers: [githubServer(given), ...further] as const,
  PROOFMARK_APP_DATABASE_URL: given.PROOFMARK_APP_DATABASE_URL ?? asUser(given.DATABASE_URL ?? '', 'proofmark_app'),
  PROOFMARK_WORKER_DATABASE_URL:
    given.PROOFMARK_WORKER_DATABASE_URL ?? asUser(given.DATABASE_URL ?? '', 'proofmark_worker'),
  OIDC_AUDIENCE: given.OIDC_AUDIENCE ?? given.PUBLIC_URL,
});

type Source = Record<string, string | undefined>;
type Reading<Value> = { ok: true; environment: Value } | { ok: false; problems: string[] };

/** They may be read from files, and are never shown: also the URLs hold passwords. */
export const coordinatorSecrets = [
  'DATABASE_URL',
  'PROOFMARK_APP_DATABASE_URL',
  'PROOFMARK_WORKER_DATABASE_URL',
  ...brokerSecrets,
  'PROOFMARK_SECRET',
  'PROOFMARK_SIGN_IN_CLIENT_SECRET',
  'PROOFMARK_BOOTSTRAP_TOKEN',
  'PROOFMARK_SMTP_URL',
  ...tracingSecrets,
  ...githubSecrets,
] as const;

/** What this process was given. */
export const coordinatorSource = (): Source => process.env;

/** The settings of this process, or every problem with them, one line each. An empty variable counts as absent. */
export function readCoordinatorEnvironment(source: Source = process.env): Reading<CoordinatorEnvironment> {
  const read = readVariables(coordinatorVariables, withAddresses(source), {
    secrets: coordinatorSecrets,
    readFile: readSecretFile,
  });
  const file = read.values.PROOFMARK_GITHUB_HOSTS;
  const first = read.complete === undefined ? null : githubServer(read.complete);
  const further = file === undefined ? { servers: [], problems: [] } : readFurtherServers(file, first);
  const all = [...read.problems, ...contradictions(source, read.values), ...further.problems];
  return read.complete === undefined || all.length > 0
    ? { ok: false, problems: all }
    : { ok: true, environment: complete(read.complete, further.servers) };
}

/** The same for commands that use nothing but the database, as its administrator: what only the server needs may be absent. */
export function readDatabaseEnvironment(
  source: Source = process.env,
): Reading<CoordinatorEnvironment & { DATABASE_URL: string }> {
  const broker = source.NATS_URL_FILE === undefined ? { NATS_URL: 'nats://unused:4222' } : {};
  const read = readCoordinatorEnvironment({ ...broker, PUBLIC_URL: 'http://unused', ...source });
  if (!read.ok) return read;
  const { DATABASE_URL, ...others } = read.environment;
  return DATABASE_URL === undefined
    ? { ok: false, problems: [`DATABASE_URL: is missing; it ${needed}`] }
    : { ok: true, environment: { ...others, DATABASE_URL } };
}

/** Values that are right by themselves and wrong together. */
function contradictions(given: Source, values: Partial<Variables>): string[] {
  const { PROOFMARK_HEARTBEAT_MS: heartbeatMs, PROOFMARK_LEASE_MS: leaseMs } = values;
  const problems: string[] = [];
  const isGiven = (name: string) => Boolean(given[name] || given[`${name}_FILE`]);
  const logins = ['PROOFMARK_APP_DATABASE_URL', 'PROOFMARK_WORKER_DATABASE_URL'];
  if (!isGiven('DATABASE_URL')) {
    for (const name of logins.filter((one) => !isGiven(one)))
      problems.push(`${name}: is missing; it ${needed}, unless DATABASE_URL is given`);
    if (values.PROOFMARK_MIGRATE_ON_START === true)
      problems.push('DATABASE_URL: is missing; it must be given together with PROOFMARK_MIGRATE_ON_START');
  }
  problems.push(...contradictionsOf(given));
  const provider = ['PROOFMARK_SIGN_IN_ISSUER', 'PROOFMARK_SIGN_IN_CLIENT_ID'];
  if (provider.some(isGiven))
    for (const name of provider.filter((one) => !isGiven(one)))
      problems.push(`${name}: is missing; ${provider.join(' and ')} must be given together`);
  if (heartbeatMs !== undefined && leaseMs !== undefined && heartbeatMs * 2 > leaseMs)
    problems.push(
      `PROOFMARK_LEASE_MS: "${leaseMs}" must be at least twice PROOFMARK_HEARTBEAT_MS, which is ${heartbeatMs}: else a runner that reports is taken for dead`,
    );
  return problems;
}

function asUser(databaseUrl: string, user: string): string {
  const url = new URL(databaseUrl);
  url.username = user;
  return url.href;
}
