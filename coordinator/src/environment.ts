import { readFileSync } from 'node:fs';
import { z } from 'zod';

const flag = z.enum(['0', '1', 'false', 'true']).transform((text) => text === '1' || text === 'true');
const postgresUrl = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'must be a URL like postgres://user:password@host:5432/database',
});
const withoutSlash = (url: string) => url.replace(/\/+$/, '');
const milliseconds = (fallback: number) => z.coerce.number().int().min(1).max(86_400_000).default(fallback);

/** Plain http is refused except on this machine, where nobody can listen in between. */
const safeUrl = z
  .url({ protocol: /^https?$/ })
  .refine(
    (text) => text.startsWith('https:') || /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/.test(text),
    'must use https, or http on loopback',
  )
  .transform(withoutSlash);

/** Every variable that the coordinator reads, with what it is for: docs/operations.md is printed from this. */
export const environmentVariables = z.object({
  DATABASE_URL: postgresUrl.describe('Postgres, as a login that may create roles and tables: used for migrations only'),
  PROOFMARK_APP_DATABASE_URL: postgresUrl
    .optional()
    .describe('Login for requests. Absent: DATABASE_URL as proofmark_app'),
  PROOFMARK_WORKER_DATABASE_URL: postgresUrl
    .optional()
    .describe('Login for background loops. Absent: DATABASE_URL as proofmark_worker'),
  PROOFMARK_MIGRATE_ON_START: flag.default(false).describe('Apply migrations before anything else'),
  PROOFMARK_ALLOW_LOSSY_DATABASE: flag
    .default(false)
    .describe('Accept a Postgres that loses commits in a crash: for tests on one that is thrown away'),
  PROOFMARK_DATABASE_POOL: z.coerce.number().int().min(2).max(500).default(20).describe('Connections per login'),

  NATS_URL: z
    .string()
    .regex(/^(nats|tls):\/\/\S+$/, 'must be like nats://host:4222')
    .describe('NATS with JetStream; several servers are separated by commas'),
  PROOFMARK_NATS_REQUIRE_SYNC: flag
    .default(false)
    .describe('Refuse a server that acknowledges before it has synced its file'),
  PROOFMARK_NATS_MONITOR_URL: z.url().optional().describe('Monitoring address of NATS, to see how it syncs'),
  PROOFMARK_POOL: z
    .string()
    .regex(/^[a-zA-Z0-9_-]{1,32}$/)
    .default('default')
    .describe('Pool of runners that work is sent to'),

  PORT: z.coerce.number().int().min(0).max(65_535).default(8080).describe('Port to listen on; 0 takes a free one'),
  PROOFMARK_HOST: z.string().min(1).default('0.0.0.0').describe('Address to listen on'),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .transform(withoutSlash)
    .describe('Where users and GitHub reach this coordinator'),
  PROOFMARK_CORS_ORIGINS: z
    .string()
    .default('')
    .transform((text) => text.split(',').filter((origin) => origin !== ''))
    .pipe(z.array(z.url()))
    .describe('Origins that browsers may call from, separated by commas'),
  PROOFMARK_GRAPHQL_INTROSPECTION: flag.default(true).describe('Whether callers with a token may read the schema'),
  PROOFMARK_SECRET: z
    .string()
    .min(32)
    .optional()
    .describe('Signs page cursors and the URLs of files. Absent: derived from the login of the loops'),
  PROOFMARK_BOOTSTRAP_TOKEN: z
    .string()
    .regex(/^pmk_[A-Za-z0-9_-]{20,200}$/, 'must be pmk_ and at least 20 letters or digits')
    .optional()
    .describe('Admin token made for the tenant `default` at start'),

  OIDC_ISSUER: safeUrl
    .default('https://token.actions.githubusercontent.com')
    .describe('Issuer of the tokens of CI jobs'),
  OIDC_JWKS_URI: safeUrl.optional().describe('Keys of the issuer. Absent: found by discovery'),
  OIDC_AUDIENCE: z.string().min(1).optional().describe('Audience that tokens must name. Absent: PUBLIC_URL'),
  PROOFMARK_ENROLL: z
    .enum(['installed', 'manual'])
    .default('installed')
    .describe('Whether installing the App enrols a repository, or only enrollRepository does'),

  GITHUB_SERVER_URL: z
    .url()
    .transform(withoutSlash)
    .default('https://github.com')
    .describe('Where people see repositories; another one for an Enterprise Server'),
  GITHUB_API_URL: z
    .url()
    .transform(withoutSlash)
    .default('https://api.github.com')
    .describe('Where programs reach GitHub'),
  GITHUB_GRAPHQL_URL: z.url().default('https://api.github.com/graphql').describe('The same for GraphQL'),
  GITHUB_APP_ID: z.coerce.number().int().min(1).optional().describe('Absent: no App, nothing is written to GitHub'),
  GITHUB_APP_PRIVATE_KEY: z
    .string()
    .min(1)
    .optional()
    .transform(readPem)
    .describe('PEM, with real or \\n newlines, or base64 of it'),
  GITHUB_WEBHOOK_SECRET: z.string().min(1).optional().describe('Two secrets separated by a comma during rotation'),
  GITHUB_APP_SLUG: z.string().min(1).optional().describe('Absent: asked from GitHub'),
  GITHUB_APP_INSTALLATION_ID: z.coerce
    .number()
    .int()
    .min(1)
    .optional()
    .describe('Absent: looked up for each repository'),
  PROOFMARK_GITHUB_WRITE_INTERVAL_MS: milliseconds(1000).describe('Pause between two writes of one installation'),
  PROOFMARK_GITHUB_REREAD_MS: milliseconds(2000).describe('Wait before reading again after a write of unknown outcome'),
  PROOFMARK_GITHUB_PROGRESS_MS: milliseconds(15_000).describe('First update of the progress on a check'),
  PROOFMARK_GITHUB_SWEEP_MS: milliseconds(300_000).describe('How often forgotten checks are looked for'),

  PROOFMARK_LEASE_MS: milliseconds(25_000).describe(
    'How long a silent runner keeps its test runs, and a silent coordinator its deliveries',
  ),
  PROOFMARK_ACK_WAIT_MS: milliseconds(30_000).describe('After how long an unacknowledged message is delivered again'),
  PROOFMARK_HEARTBEAT_MS: milliseconds(2000).describe('How often runners report'),
  PROOFMARK_REAP_MS: milliseconds(2000).describe('How often silent runners are looked for'),
  PROOFMARK_REPUBLISH_MS: milliseconds(10_000).describe('How often the ledger is compared with the broker'),
  PROOFMARK_TOPOLOGY_MS: milliseconds(15_000).describe('How often streams and consumers are checked'),

  PROOFMARK_BLOB_QUOTA_BYTES: z.coerce
    .number()
    .int()
    .min(0)
    .default(1_073_741_824)
    .describe('What the files of cases of a tenant may take together'),
  PROOFMARK_MAX_OPEN_TEST_RUNS: z.coerce
    .number()
    .int()
    .min(1)
    .default(200_000)
    .describe('Test runs of a tenant that may be open at the same time; a run that would be too many is refused'),

  // Never a reason not to start: what is no value is passed over with a warning.
  TEST_SUITES_RETENTION_CLEANUP_TIME: z
    .string()
    .optional()
    .describe('When old suite runs are removed, UTC, unless a tenant has stored another time. Absent: 02:00'),
  TEST_SUITES_RETENTION_DAYS: z
    .string()
    .optional()
    .describe('How many days suite runs are kept, unless a tenant has stored another number. Absent: 30'),
  TEST_SUITES_RETENTION_RUNS: z
    .string()
    .optional()
    .describe(
      'How many runs of each suite are kept whatever their age, unless a tenant has stored another number. Absent: 30',
    ),

  PROOFMARK_LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('How much is logged, as lines of JSON'),
  PROOFMARK_CHAOS_AT: z
    .string()
    .default('')
    .describe('Makes the process fail at named places: for tests of reliability only'),
});

/** The settings of a coordinator. A wrong value ends the start; `<NAME>_FILE` reads a secret from a file. */
export const Environment = environmentVariables
  .transform((given) => ({
    ...given,
    PROOFMARK_APP_DATABASE_URL: given.PROOFMARK_APP_DATABASE_URL ?? asUser(given.DATABASE_URL, 'proofmark_app'),
    PROOFMARK_WORKER_DATABASE_URL:
      given.PROOFMARK_WORKER_DATABASE_URL ?? asUser(given.DATABASE_URL, 'proofmark_worker'),
    OIDC_AUDIENCE: given.OIDC_AUDIENCE ?? given.PUBLIC_URL,
  }))
  .refine((given) => (given.GITHUB_APP_ID === undefined) === (given.GITHUB_APP_PRIVATE_KEY === undefined), {
    path: ['GITHUB_APP_PRIVATE_KEY'],
    message: 'must be given together with GITHUB_APP_ID',
  })
  .refine((given) => given.PROOFMARK_HEARTBEAT_MS * 2 <= given.PROOFMARK_LEASE_MS, {
    path: ['PROOFMARK_LEASE_MS'],
    message: 'must be at least twice PROOFMARK_HEARTBEAT_MS',
  });
export type Environment = z.infer<typeof Environment>;

type Source = Record<string, string | undefined>;
type Reading<Value> = { ok: true; environment: Value } | { ok: false; problems: string[] };

const withFiles = [
  'DATABASE_URL',
  'PROOFMARK_APP_DATABASE_URL',
  'PROOFMARK_WORKER_DATABASE_URL',
  'NATS_URL',
  'PROOFMARK_SECRET',
].concat(['PROOFMARK_BOOTSTRAP_TOKEN', 'GITHUB_APP_PRIVATE_KEY', 'GITHUB_WEBHOOK_SECRET']);

/** The settings of this process, or every problem with them, one line each. An empty variable counts as absent. */
export function readEnvironment(source: Source = process.env): Reading<Environment> {
  const { given, problems } = readFiles(source);
  const parsed = Environment.safeParse(given);
  if (parsed.success && problems.length === 0) return { ok: true, environment: parsed.data };
  const wrong = parsed.success ? [] : parsed.error.issues.map((issue) => describe(issue, given));
  return { ok: false, problems: [...problems, ...wrong] };
}

/** The same for commands that use nothing but the database: what only the server needs may be absent. */
export function readDatabaseEnvironment(source: Source = process.env): Reading<Environment> {
  return readEnvironment({ NATS_URL: 'nats://unused:4222', PUBLIC_URL: 'http://unused', ...source });
}

function describe({ path, message, code }: z.core.$ZodIssue, given: Source): string {
  const name = String(path[0]);
  const isMissing = given[name] === undefined && code !== 'custom';
  return `${name}: ${isMissing ? 'is missing' : message}`;
}

function readFiles(source: Source): { given: Source; problems: string[] } {
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ''));
  const problems: string[] = [];
  for (const name of withFiles) {
    const path = given[`${name}_FILE`];
    if (path === undefined) continue;
    try {
      given[name] ??= readFileSync(path, 'utf8').trim();
    } catch (error) {
      const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
      problems.push(`${name}_FILE: cannot be read (${reason})`);
    }
  }
  return { given, problems };
}

function asUser(databaseUrl: string, user: string): string {
  const url = new URL(databaseUrl);
  url.username = user;
  return url.href;
}

function readPem(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const pem = text.includes('-----BEGIN') ? text : Buffer.from(text, 'base64').toString('utf8');
  return pem.replaceAll('\\n', '\n');
}
