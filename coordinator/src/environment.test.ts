import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { coordinatorVariables, readCoordinatorEnvironment, readDatabaseEnvironment } from './environment.ts';

const least = {
  DATABASE_URL: 'postgres://owner:secret@db:5432/proofmark',
  NATS_URL: 'nats://nats:4222',
  PUBLIC_URL: 'https://proofmark.example.com/',
};

test('the least environment gives defaults, with the logins of requests and loops derived from the owner', () => {
  const read = readCoordinatorEnvironment(least);
  expect(read).toMatchObject({
    ok: true,
    environment: {
      PORT: 8080,
      PUBLIC_URL: 'https://proofmark.example.com',
      OIDC_AUDIENCE: 'https://proofmark.example.com',
      PROOFMARK_APP_DATABASE_URL: 'postgres://proofmark_app:secret@db:5432/proofmark',
      PROOFMARK_WORKER_DATABASE_URL: 'postgres://proofmark_worker:secret@db:5432/proofmark',
      PROOFMARK_LEASE_MS: 25_000,
      PROOFMARK_HEARTBEAT_MS: 2000,
      PROOFMARK_ENROLL: 'installed',
    },
  });
});

test('what serves needs no login of the administrator; only who migrates does', () => {
  const { DATABASE_URL: _administrator, ...others } = least;
  const serving = {
    ...others,
    PROOFMARK_APP_DATABASE_URL: 'postgres://proofmark_app:one@db:5432/proofmark',
    PROOFMARK_WORKER_DATABASE_URL: 'postgres://proofmark_worker:two@db:5432/proofmark',
  };
  expect(readCoordinatorEnvironment(serving)).toMatchObject({
    ok: true,
    environment: { DATABASE_URL: undefined, PROOFMARK_APP_DATABASE_URL: serving.PROOFMARK_APP_DATABASE_URL },
  });
  expect(readCoordinatorEnvironment({ ...serving, PROOFMARK_MIGRATE_ON_START: '1' })).toEqual({
    ok: false,
    problems: ['DATABASE_URL: is missing; it must be given together with PROOFMARK_MIGRATE_ON_START'],
  });
  expect(readDatabaseEnvironment(serving)).toEqual({
    ok: false,
    problems: ['DATABASE_URL: is missing; it must be a URL like postgres://user:password@host:5432/database'],
  });
});

test('all wrong and missing variables are told at once, with their value and what to write', () => {
  const read = readCoordinatorEnvironment({
    NATS_URL: 'localhost',
    PUBLIC_URL: '',
    PORT: 'eighty',
    OIDC_ISSUER: 'http://issuer.example.com',
    GITHUB_APP_ID: '7',
    PROOFMARK_LEASE_MS: '1000',
  });
  expect(read.ok ? [] : read.problems).toEqual([
    'NATS_URL: its value, which is not shown, must be like nats://host:4222; several servers are separated by commas',
    'PORT: "eighty" must be a whole number from 0 to 65535, such as 8080',
    'PUBLIC_URL: is missing; it must be a URL like https://proofmark.example.com',
    'OIDC_ISSUER: "http://issuer.example.com" must use https, for what comes from there is trusted (http is for this machine only), such as https://token.actions.githubusercontent.com',
    'PROOFMARK_APP_DATABASE_URL: is missing; it must be a URL like postgres://user:password@host:5432/database, unless DATABASE_URL is given',
    'PROOFMARK_WORKER_DATABASE_URL: is missing; it must be a URL like postgres://user:password@host:5432/database, unless DATABASE_URL is given',
    'GITHUB_APP_PRIVATE_KEY: is missing; it must be given together with GITHUB_APP_ID',
    'PROOFMARK_LEASE_MS: "1000" must be at least twice PROOFMARK_HEARTBEAT_MS, which is 2000: else a runner that reports is taken for dead',
  ]);
});

/** Wrong values that stop nothing: a default counts in their place. */
const retention = {
  TEST_SUITES_RETENTION_CLEANUP_TIME: '26:00',
  TEST_SUITES_RETENTION_DAYS: '0',
  TEST_SUITES_RETENTION_RUNS: 'all',
};

/** Nothing that stands in these stops anything: so OpenTelemetry asks. */
type Telemetry = 'OTEL_SERVICE_NAME' | 'OTEL_RESOURCE_ATTRIBUTES';

test('S2-104 C49 a wrong retention value does not stop the start', () => {
  expect(readCoordinatorEnvironment({ ...least, ...retention })).toMatchObject({ ok: true, environment: retention });
});

/** A value that each other variable of the table refuses. */
const wrong: Record<Exclude<keyof typeof coordinatorVariables.shape, keyof typeof retention | Telemetry>, string> = {
  DATABASE_URL: 'mysql://owner:hunter2@db/proofmark',
  PROOFMARK_APP_DATABASE_URL: 'hunter2',
  PROOFMARK_WORKER_DATABASE_URL: 'hunter2',
  PROOFMARK_MIGRATE_ON_START: 'yes',
  PROOFMARK_ALLOW_LOSSY_DATABASE: 'on',
  PROOFMARK_DATABASE_POOL: '1',
  NATS_URL: 'nats.example.com hunter2',
  PROOFMARK_NATS_SEED: 'hunter2',
  PROOFMARK_NATS_CA_FILE: ' ca.pem',
  PROOFMARK_NATS_ALLOW_ANONYMOUS: 'yes',
  PROOFMARK_NATS_REQUIRE_SYNC: '2',
  PROOFMARK_NATS_MONITOR_URL: 'nats:8222',
  PROOFMARK_NATS_REPLICAS: '0',
  PORT: '65536',
  PROOFMARK_HOST: 'http://0.0.0.0',
  PUBLIC_URL: 'proofmark.example.com',
  PROOFMARK_CORS_ORIGINS: 'https://tools.example.com/page',
  PROOFMARK_GRAPHQL_INTROSPECTION: 'off',
  PROOFMARK_GRAPHIQL: 'yes',
  PROOFMARK_SIGN_IN_ISSUER: 'http://login.example.com',
  PROOFMARK_SIGN_IN_CLIENT_ID: 'two words',
  PROOFMARK_SIGN_IN_CLIENT_SECRET: 'short',
  PROOFMARK_SIGN_IN_TENANT: 'No Name',
  PROOFMARK_SIGN_IN_CLAIM: 'two words',
  PROOFMARK_SIGN_IN_NEWCOMERS: 'owner',
  PROOFMARK_SESSIONS_KNOWN_ONLY: 'maybe',
  PROOFMARK_SECRET: 'hunter2',
  PROOFMARK_BOOTSTRAP_TOKEN: 'hunter2',
  OIDC_ISSUER: 'http://issuer.example.com',
  OIDC_JWKS_URI: 'issuer.example.com',
  OIDC_AUDIENCE: 'two words',
  PROOFMARK_ENROLL: 'all',
  PROOFMARK_ALLOW_ADMIN_ENROLL: 'nobody',
  GITHUB_SERVER_URL: 'github.com',
  GITHUB_API_URL: 'api.github.com',
  GITHUB_GRAPHQL_URL: 'graphql',
  GITHUB_APP_ID: 'proofmark',
  GITHUB_APP_PRIVATE_KEY: 'hunter2',
  GITHUB_WEBHOOK_SECRET: 'hunter2,,',
  GITHUB_APP_SLUG: 'https://github.com/apps/proofmark',
  GITHUB_APP_INSTALLATION_ID: '0',
  PROOFMARK_GITHUB_HOSTS: '/nowhere/servers.yaml',
  PROOFMARK_GITHUB_WRITE_INTERVAL_MS: '1s',
  PROOFMARK_GITHUB_REREAD_MS: '0',
  PROOFMARK_GITHUB_PROGRESS_MS: '-1',
  PROOFMARK_FORK_BUDGET_USD: 'much',
  PROOFMARK_GITHUB_QUEUE_MS: '-1',
  PROOFMARK_GITHUB_SWEEP_MS: '1e9',
  PROOFMARK_SMTP_URL: 'https://mail.example.com/hunter2',
  PROOFMARK_SMTP_FROM: 'x',
  PROOFMARK_ALERT_URL_ALLOW: 'http://chat.internal:8065/hooks',
  PROOFMARK_LEASE_MS: '86400001',
  PROOFMARK_ACK_WAIT_MS: '30.5',
  PROOFMARK_HEARTBEAT_MS: 'often',
  PROOFMARK_REAP_MS: '0x10',
  PROOFMARK_REPUBLISH_MS: ' 10',
  PROOFMARK_TOPOLOGY_MS: 'NaN',
  PROOFMARK_AUDIT_DAYS: '0',
  PROOFMARK_BLOB_QUOTA_BYTES: '1GB',
  PROOFMARK_MAX_OPEN_TEST_RUNS: '0',
  PROOFMARK_ALLOW_COMMAND_AGENTS: 'perhaps',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
  OTEL_EXPORTER_OTLP_HEADERS: 'hunter2',
  PROOFMARK_LOG_LEVEL: 'loud',
  PROOFMARK_CHAOS_AT: 'before_lunch',
};

test.each(Object.entries(wrong))('a wrong %s stops the start and says what to write', (name, value) => {
  const read = readCoordinatorEnvironment({ ...least, [name]: value });
  const problems = (read.ok ? [] : read.problems).filter((problem) => problem.startsWith(`${name}: `));
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(/^\w+: (".*"|its value, which is not shown,) must .{4,}/);
  expect(problems[0]).not.toContain('hunter2');
});

test('wrong values of all variables are told together', () => {
  const read = readCoordinatorEnvironment(wrong);
  const names = (read.ok ? [] : read.problems).map((problem) => problem.split(':')[0]);
  expect(names).toEqual(Object.keys(coordinatorVariables.shape).filter((name) => Object.hasOwn(wrong, name)));
});

test('a webhook secret may be a sentence, and there may be two of them', () => {
  const read = (value: string) => readCoordinatorEnvironment({ ...least, GITHUB_WEBHOOK_SECRET: value });
  for (const value of ['hunter2', 'the old secret,the new one']) expect(read(value)).toMatchObject({ ok: true });
  for (const value of ['a,b,c', ' a', 'a, b', ',']) expect(read(value)).toMatchObject({ ok: false });
});

test('an App needs both its id and its key, and the key may be base64 of the PEM', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  expect(readCoordinatorEnvironment({ ...least, GITHUB_APP_PRIVATE_KEY: pem })).toEqual({
    ok: false,
    problems: ['GITHUB_APP_ID: is missing; it must be given together with GITHUB_APP_PRIVATE_KEY'],
  });
  for (const given of [pem, pem.replaceAll('\n', '\\n'), Buffer.from(pem).toString('base64')]) {
    const read = readCoordinatorEnvironment({ ...least, GITHUB_APP_ID: '7', GITHUB_APP_PRIVATE_KEY: given });
    expect(read.ok && read.environment.GITHUB_APP_PRIVATE_KEY).toBe(pem);
  }
});

test('a secret file that cannot be read is named, without its path, and its variable is not called missing', () => {
  const { DATABASE_URL: _url, ...rest } = least;
  expect(readCoordinatorEnvironment({ ...rest, DATABASE_URL_FILE: '/nowhere/secret' })).toEqual({
    ok: false,
    problems: ['DATABASE_URL_FILE: cannot be read (ENOENT); it must be the path of a file that this process may read'],
  });
});

test('a secret is given as a value or as a file, not as both', () => {
  const read = readCoordinatorEnvironment({ ...least, NATS_URL_FILE: import.meta.filename });
  expect(read.ok ? [] : read.problems).toEqual([
    'NATS_URL_FILE: is given together with NATS_URL; leave one of them out',
  ]);
});

test('commands that use only the database need nothing else, and take a broker from a file where there is one', () => {
  expect(readDatabaseEnvironment({ DATABASE_URL: least.DATABASE_URL }).ok).toBe(true);
  const read = readDatabaseEnvironment({ DATABASE_URL: least.DATABASE_URL, NATS_URL_FILE: import.meta.filename });
  expect(read.ok ? [] : read.problems.map((problem) => problem.split(':')[0])).toEqual(['NATS_URL']);
});
