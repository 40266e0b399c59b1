import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { listen } from '../../../tests/stack/listen.ts';
import { inProcess } from '../try-proofmark.fixture.ts';

const nobody = '6f1f7a52-5c43-4a5e-9d0b-2f7f6d8d0a11';

/** A coordinator that has done what it was told, and whose answers to mutations a proxy has lost. */
async function losingCoordinator() {
  const asked: string[] = [];
  const lists: Readonly<Record<string, object>> = {
    ListCasesOfSuite: { suite: null },
    ApiTokens: { apiTokens: { edges: [], pageInfo: { hasNextPage: false, endCursor: null } } },
  };
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { operationName } = JSON.parse(await text(request));
    asked.push(operationName);
    const data = lists[operationName];
    response.writeHead(data === undefined ? 502 : 200, { 'content-type': 'application/json' });
    response.end(data === undefined ? 'Bad gateway' : JSON.stringify({ data }));
  };
  const { origin, close } = await listen(createServer((request, response) => void serve(request, response)));
  const type = async (...args: string[]) =>
    await inProcess('empty', [...args, '--coordinator', origin], { PROOFMARK_TOKEN: 'pmk_x' });
  return { asked, type, [Symbol.asyncDispose]: close };
}

test.each([
  [['tokens', 'create', 'ci', '--scope', 'runs:read'], 'tokens list` shows it. Revoke it, and make another'],
  [['tokens', 'rotate', nobody], 'tokens list` shows it. Revoke it, and make another'],
  [['tenants', 'create', 'branch'], 'Make a tenant of another name.'],
  [['repositories', 'enroll', 'a/b', '--repository-id', '1', '--owner-id', '2'], 'repositories list` shows it'],
  [['channels', 'create', 'ops', '--kind', 'webhook', '--url', 'https://x.example'], 'Delete it, and make another.'],
])('what can be asked for but once is asked for once, and a lost answer says how to go on: %j', async (args, cure) => {
  await using coordinator = await losingCoordinator();
  const { code, stdout, stderr } = await coordinator.type(...args);
  expect([code, stdout, coordinator.asked.length], stderr).toEqual([3, '', 1]);
  expect(stderr).toContain('It may have been made all the same: ');
  expect(stderr).toContain(cure);
});

const nobodyListens = await listen(createServer());
await nobodyListens.close();

test.each([
  ['where nobody listens', nobodyListens.origin],
  ['at an address that there is not', 'https://coordinator.invalid'],
])('what never left has made nothing: %s', async (_where, url) => {
  const args = ['tokens', 'create', 'ci', '--scope', 'runs:read', '--coordinator', url];
  const { code, stderr } = await inProcess('empty', args, { PROOFMARK_TOKEN: 'pmk_x' });
  expect([code, stderr]).toEqual([3, expect.stringContaining(`No answer from ${url}: `)]);
  expect(stderr).not.toContain('made');
});

test('a suite that nobody knows by this id is wrong usage, as by its name', async () => {
  await using coordinator = await losingCoordinator();
  const { code, stdout, stderr } = await coordinator.type('suites', 'show', nobody);
  expect([code, stdout, stderr]).toEqual([
    2,
    '',
    expect.stringContaining(`has no suite ${nobody}: \`proofmark suites`),
  ]);
});

test('a repository is changed only where something is said of it', async () => {
  await using coordinator = await losingCoordinator();
  const { code, stdout, stderr } = await coordinator.type('repositories', 'change', nobody);
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('Say what to change: --pin')]);
  expect(coordinator.asked).toEqual([]);
});
