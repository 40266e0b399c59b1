import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { AgentDriver } from '@proofmark/contracts/agent-file';
import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aCase, casePorts } from '../case/a-case.fixture.ts';
import { readKeyRing } from '../models/key-ring.ts';
import { runCase } from '../run-case/run-case.ts';
import { reachAgents } from './reach-agents.ts';

let directory = '';
const pem = (name: string): string => readFileSync(join(directory, name), 'utf8');
const openssl = (...args: string[]): void => void execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' });

/** A company with an authority of its own, a service and a client that it vouches for. */
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'service-tls-'));
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...ec, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=Company');
  await writeFile(join(directory, 'names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1');
  for (const name of ['service', 'client']) {
    openssl('req', ...ec, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
    openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.pem`, ...signed);
  }
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Asks the service of the company; it answers who the client is. */
async function ask(tls: object | undefined, { isAllowed = true } = {}): Promise<CaseOutcome> {
  const options = { key: pem('service.key'), cert: pem('service.pem'), ca: pem('ca.pem'), requestCert: true };
  const server = createServer({ ...options, rejectUnauthorized: false }, (request, response) => {
    const socket = request.socket as TLSSocket; // of a server that speaks TLS
    const name = socket.authorized ? socket.getPeerCertificate().subject.CN : 'nobody';
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ reply: `Hello ${String(name)}` }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`; // a server on TCP has a port
  const names = ['COMPANY_CA', 'CLIENT_CERT', 'CLIENT_KEY'];
  const ring = readKeyRing(
    {
      ...{ COMPANY_CA: pem('ca.pem'), CLIENT_CERT: pem('client.pem'), CLIENT_KEY: pem('client.key') },
      PROOFMARK_KEY_ENVS: names.join(','),
      PROOFMARK_KEY_ORIGINS: isAllowed ? names.map((name) => `${name}=${origin}`).join(',') : '',
    },
    { allowsLoopback: true },
  );
  if (!ring.ok) throw new Error(ring.problems.join('\n'));
  await using reach = reachAgents({ keys: ring.keys, now: () => new Date(), programs: null });
  const mapping = { request: {}, response: 'reply' };
  try {
    return await runCase(
      aCase({ agent: { driver: AgentDriver.parse({ type: 'http', url: origin, mapping, ...(tls && { tls }) }) } }),
      casePorts({ reach, pause: async () => undefined }),
      new AbortController().signal,
    );
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const ca = { from_env: 'COMPANY_CA' };
const client = { cert: { from_env: 'CLIENT_CERT' }, key: { from_env: 'CLIENT_KEY' } };

test('a service with a private authority is believed when whoever runs the cases knows it', async () => {
  expect(await ask({ ca })).toMatchObject({ status: 'passed', response: 'Hello nobody' });
  expect(await ask(undefined)).toMatchObject({ status: 'error', errorMessage: expect.stringContaining('certificate') });
});

test('the certificate of a client says who asks', async () => {
  expect(await ask({ ca, ...client })).toMatchObject({ status: 'passed', response: 'Hello client' });
});

test('a key goes to no origin that its owner did not name, and what is no key says so', async () => {
  expect(await ask({ ca, ...client }, { isAllowed: false })).toMatchObject({
    status: 'error',
    errorMessage: expect.stringContaining('tls.ca: COMPANY_CA may not be sent to https://127.0.0.1'),
  });
  expect(await ask({ ca, ...client, key: ca })).toMatchObject({ status: 'error', errorKind: 'agent' });
});
