import { generateKeyPairSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, test } from 'vitest';
import { listen } from '../../tests/stack/listen.ts';
import { receiveMails } from './alerts/receivers.fixture.ts';
import type { Ledger } from './database/open-ledger.fixture.ts';
import { type Examined, examineCoordinator } from './examine-coordinator.ts';
import { ownLedger } from './story.fixture.ts';

/** A server that greets as NATS does, and says what a test wants it to be. */
async function greetAsNats() {
  const state = { info: {} as object, refuses: false };
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write(
      `INFO ${JSON.stringify({ server_id: 'N', max_payload: 1_048_576, headers: true, ...state.info })}\r\n`,
    );
    socket.on('data', (data) => {
      if (state.refuses) socket.end(`-ERR 'Authorization Violation'\r\n`);
      else if (data.includes('PING')) socket.write('PONG\r\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return { state, url: `nats://coordinator:hunter2@127.0.0.1:${address.port}`, close: () => server.close() };
}

const wholeApp = {
  slug: 'proofmark',
  permissions: {
    ...{ checks: 'write', pull_requests: 'write', contents: 'read', metadata: 'read' },
    ...{ merge_queues: 'read', issues: 'write' },
  },
  events: ['check_run', 'check_suite', 'pull_request', 'merge_group'],
};

/** A server that tells an App who it is, as a test wants it. */
async function knowApp() {
  const state = { status: 200, app: wholeApp };
  const server = createHttpServer((request, response) => {
    const body = request.url?.endsWith('/installations') ? [{ id: 1, suspended_at: null }] : state.app;
    response.writeHead(state.status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  return { state, ...(await listen(server)) };
}

let ledger: Ledger;
let nats: Awaited<ReturnType<typeof greetAsNats>>;
let github: Awaited<ReturnType<typeof knowApp>>;
let post: Awaited<ReturnType<typeof receiveMails>>;
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

beforeAll(async () => {
  ledger = await ownLedger(2);
  [nats, github, post] = await Promise.all([greetAsNats(), knowApp(), receiveMails()]);
});
afterAll(async () => {
  nats.close();
  await Promise.all([github.close(), post[Symbol.asyncDispose]()]);
});
beforeEach(() => {
  Object.assign(nats.state, { info: { version: '2.12.0', jetstream: true }, refuses: false });
  Object.assign(github.state, { status: 200, app: wholeApp });
});

const withPassword = (url: string): string => url.replace('@', ':hunter2@');
const healthy = (): Record<string, string> => ({
  PROOFMARK_APP_DATABASE_URL: withPassword(ledger.appUrl),
  PROOFMARK_WORKER_DATABASE_URL: withPassword(ledger.workerUrl),
  PROOFMARK_ALLOW_LOSSY_DATABASE: '1',
  NATS_URL: nats.url,
  PUBLIC_URL: 'https://proofmark.example.com',
  PROOFMARK_SECRET: 'x'.repeat(32),
  GITHUB_API_URL: github.origin,
  GITHUB_APP_ID: '7',
  GITHUB_APP_PRIVATE_KEY: privateKey,
  GITHUB_WEBHOOK_SECRET: 'hunter2',
  PROOFMARK_SMTP_URL: post.url,
});

const faultsOf = (examined: Examined): string[] =>
  examined.flatMap(({ what, found }) =>
    found.flatMap(({ level, message }) => (level === 'fault' ? `${what}: ${message}` : [])),
  );

it('finds no fault where there is none, and says what somebody should know', async () => {
  const examined = await examineCoordinator(healthy());
  expect(faultsOf(examined)).toEqual([]);
  expect(examined.map(({ what }) => what)).toEqual(['settings', 'database', 'broker', 'GitHub', 'mail']);
  const doubts = JSON.stringify(examined);
  expect(doubts).toContain('No runner is connected');
  expect(doubts).toContain('fsync is off');
});

/** What is planted, and with what it is named. `undo` gives back what others need. */
interface Planted {
  env?: () => Record<string, string>;
  plant?: () => unknown;
  undo?: string;
  nowMs?: () => number;
  says: RegExp;
}

const closed = '127.0.0.1:1';
const planted: Record<string, Planted> = {
  'a setting of the wrong form': {
    env: () => ({ PUBLIC_URL: 'proofmark.example.com' }),
    says: /^settings: PUBLIC_URL: .*must be/,
  },
  'tokens in the clear': {
    env: () => ({ PUBLIC_URL: 'http://proofmark.example.com' }),
    says: /^settings: PUBLIC_URL is http.*use https/,
  },
  'webhooks that nobody can trust': {
    env: () => ({ GITHUB_WEBHOOK_SECRET: '' }),
    says: /^settings: GITHUB_WEBHOOK_SECRET is not set for github.com/,
  },
  'a process that fails on purpose': {
    env: () => ({ PROOFMARK_CHAOS_AT: 'after_run_commit' }),
    says: /^settings: PROOFMARK_CHAOS_AT is set.*take it away/,
  },
  'a Postgres that is away': {
    env: () => ({
      PROOFMARK_APP_DATABASE_URL: `postgres://proofmark_app:hunter2@${closed}/x`,
      PROOFMARK_WORKER_DATABASE_URL: withPassword(ledger.workerUrl),
    }),
    says: /^database: Postgres at 127\.0\.0\.1:1 does not answer.*PROOFMARK_APP_DATABASE_URL/,
  },
  'a database that nobody made': {
    env: () => {
      const [app, worker] = [new URL(ledger.appUrl), new URL(ledger.workerUrl)];
      app.pathname = worker.pathname = '/nowhere';
      return { PROOFMARK_APP_DATABASE_URL: app.href, PROOFMARK_WORKER_DATABASE_URL: worker.href };
    },
    says: /^database: Postgres at .* has no database nowhere: create it/,
  },
  'a login that Postgres does not know': {
    env: () => ({ PROOFMARK_APP_DATABASE_URL: ledger.appUrl.replace('proofmark_app', 'nobody') }),
    says: /^database: Postgres refuses the login nobody of PROOFMARK_APP_DATABASE_URL/,
  },
  'a login that row-level security does not bind': {
    env: () => ({ PROOFMARK_APP_DATABASE_URL: ledger.url }),
    says: /^database: The login .* is a superuser/,
  },
  'row-level security that somebody took away': {
    plant: () => ledger.query('alter table runs no force row level security'),
    undo: 'alter table runs force row level security',
    says: /^database: Row-level security is not forced on runs/,
  },
  'a migration that did not run': {
    plant: () => ledger.query(`delete from schema_migrations where name like '0008%'`),
    undo: `insert into schema_migrations (name) values ('0008-remember-upkeep')`,
    says: /^database: The schema lacks 0008-remember-upkeep: run the migrations/,
  },
  'a schema for newer coordinators': {
    plant: () => ledger.query(`insert into schema_needs (name) values ('9999-from-the-future')`),
    undo: `delete from schema_needs where name = '9999-from-the-future'`,
    says: /^database: The schema is for coordinators that know 9999-from-the-future: use a newer one/,
  },
  'a Postgres that loses commits': {
    env: () => ({ PROOFMARK_ALLOW_LOSSY_DATABASE: '0' }),
    says: /^database: fsync is off.*switch it on/,
  },
  'more connections than there are': {
    env: () => ({ PROOFMARK_DATABASE_POOL: '500' }),
    says: /^database: Postgres takes \d+ connections, one coordinator wants up to 1000/,
  },
  'a clock that is wrong': {
    nowMs: () => Date.now() - 60_000,
    says: /^database: The clock of this machine is \d+ s behind that of Postgres.*NTP/,
  },
  'a NATS that is away': {
    env: () => ({ NATS_URL: `nats://coordinator:hunter2@${closed}` }),
    says: /^broker: NATS at 127\.0\.0\.1 does not answer.*correct NATS_URL/,
  },
  'a NATS that knows another login': {
    plant: () => Object.assign(nats.state, { refuses: true }),
    says: /^broker: NATS refuses the login: PROOFMARK_NATS_SEED/,
  },
  'a NATS that is too old': {
    plant: () => Object.assign(nats.state, { info: { version: '2.1.0', jetstream: true } }),
    says: /^broker: NATS 2\.1\.0 is too old: install/,
  },
  'a NATS that keeps nothing': {
    plant: () => Object.assign(nats.state, { info: { version: '2.12.0', jetstream: false } }),
    says: /^broker: JetStream is off: start nats-server with -js/,
  },
  'more copies than servers': {
    env: () => ({ PROOFMARK_NATS_REPLICAS: '3' }),
    says: /^broker: PROOFMARK_NATS_REPLICAS is 3, and NATS is a single server/,
  },
  'an App that GitHub does not know': {
    plant: () => Object.assign(github.state, { status: 401 }),
    says: /^GitHub: GitHub at github\.com does not know the App: GITHUB_APP_ID/,
  },
  'an App without the right to write checks': {
    plant: () =>
      Object.assign(github.state, { app: { ...wholeApp, permissions: { ...wholeApp.permissions, checks: 'read' } } }),
    says: /^GitHub: The App proofmark on github\.com lacks checks: write/,
  },
  'an App that is told nothing': {
    plant: () => Object.assign(github.state, { app: { ...wholeApp, events: [] } }),
    says: /^GitHub: The App proofmark on github\.com is not told of check_run, pull_request, merge_group/,
  },
  'a mail server that is away': {
    env: () => ({ PROOFMARK_SMTP_URL: `smtp://proofmark:hunter2@${closed}` }),
    says: /^mail: The mail server at 127\.0\.0\.1:1 cannot be used.*PROOFMARK_SMTP_URL/,
  },
};

test('the page lists each of them', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/doctor.md'), 'utf8');
  const [, list = ''] = /^## Beside a coordinator\n(.*?)^## /ms.exec(page) ?? [];
  expect(Array.from(list.matchAll(/^- (.+)$/gm), ([, fault]) => fault)).toEqual(Object.keys(planted));
});

test.for(Object.entries(planted))('%s is named, with what to do, and without a secret', async ([, fault]) => {
  const { env = () => ({}), plant, undo, nowMs, says } = fault;
  await plant?.();
  try {
    const examined = await examineCoordinator({ ...healthy(), ...env() }, nowMs);
    const found = faultsOf(examined);
    expect(found).toContainEqual(expect.stringMatching(says));
    expect(JSON.stringify(examined)).not.toContain('hunter2');
  } finally {
    if (undo !== undefined) await ledger.query(undo);
  }
});
