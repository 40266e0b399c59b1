import { createHash, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { blobLinks } from '@proofmark/coordinator/blob-links';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { modelSuite, patient, type RunningProduct, startRunningProduct } from './running-product.ts';

const secret = 'the secret of this coordinator alone';

let running: RunningProduct;
beforeAll(async () => {
  running = await startRunningProduct({
    coordinatorEnv: { PROOFMARK_BLOB_QUOTA_BYTES: String(30 * 1024 * 1024), PROOFMARK_SECRET: secret },
  });
});
afterAll(() => running[Symbol.asyncDispose]());

const digestOf = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

async function put(content: string | Buffer, { digest = digestOf(content), token = running.product.token } = {}) {
  const response = await fetch(`${running.product.url}/blobs/${digest}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}` },
    body: Buffer.from(content),
  });
  return { status: response.status, body: await response.text() };
}

const startText = `mutation Start($input: StartRunInput!) {
  startRun(input: $input) {
    __typename
    ... on StartRunSuccess { run { id } }
    ... on MissingBlobs { code digests }
  }
}`;

describe('files of cases', () => {
  const document = 'On holidays the shop closes at 15.\n';
  const suite = modelSuite();
  const files = suite.files.map(({ path, text }) => ({
    path,
    text: text.replace('- { name: Case 1,', '- { name: Case 1, files: [{ path: docs/holidays.txt, type: text }],'),
  }));
  const input = {
    idempotencyKey: randomUUID(),
    trigger: { triggeredBy: 'API' },
    ...suite,
    files,
    caseFiles: [{ path: 'docs/holidays.txt', sha256: digestOf(document) }],
  };
  const start = async () => (await running.ask(startText, { input })).data?.startRun;

  test(
    'are uploaded when the coordinator asks for them, and reach the agent by way of the runner',
    patient,
    async () => {
      expect(await start()).toEqual({
        __typename: 'MissingBlobs',
        code: 'MISSING_BLOBS',
        digests: [digestOf(document)],
      });
      expect(await put(document)).toEqual({ status: 201, body: '' });
      expect(await put(document)).toEqual({ status: 200, body: '' });
      const { run } = z.object({ run: z.object({ id: z.string() }) }).parse(await start());

      expect(await running.waitForEnd(run.id)).toMatchObject({ status: 'completed', results: [{ status: 'passed' }] });
      const asked = JSON.stringify(running.model.requests);
      expect(asked).toContain('On holidays the shop closes at 15.');
      const [payload] = await running.rows<{ error: string | null; sha256: string }>(
        `select f ->> 'error' as error, f -> 'metadata' ->> 'sha256' as sha256
       from test_case_results c, json_array_elements(c.payload -> 'files') f`,
      );
      expect(payload).toEqual({ error: null, sha256: digestOf(document) });
    },
  );
});

describe('/blobs', () => {
  test('takes only what is what it says, from a token that may start runs, up to 20 MB (F8, C1)', async () => {
    expect(await put('something', { digest: digestOf('something else') })).toMatchObject({ status: 400 });
    expect(await put('something', { token: 'pmk_nobody' })).toMatchObject({ status: 401 });
    const made = await running.ask(`mutation { createApiToken(input: { name: "reader", scopes: [RUNS_READ] }) {
      ... on CreateApiTokenSuccess { token } } }`);
    const { token } = z.object({ token: z.string() }).parse(made.data?.createApiToken);
    expect(await put('something', { token })).toMatchObject({ status: 403 });
    expect(await put(Buffer.alloc(20 * 1024 * 1024 + 1))).toMatchObject({ status: 413 });
    expect(await running.rows('select 1 from blobs where digest = $1', [digestOf('something')])).toEqual([]);
  });

  test('callers without a token who never end what they send take no turn from others', async () => {
    const url = new URL(`/blobs/${digestOf('never sent')}`, running.product.url);
    const open = Array.from({ length: 8 }, () => {
      const call = request(url, { method: 'PUT', headers: { 'content-length': 1000 } });
      // They are cut off below.
      call.on('error', () => undefined);
      return call;
    });
    await Promise.all(open.map((call) => new Promise((sent) => call.write('a', sent))));
    const answers = await Promise.all([0, 1, 2, 3].map((index) => put(`between the others ${index}`)));
    for (const call of open) call.destroy();
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  });

  test('keeps no more than the quota of the tenant (F8)', async () => {
    expect(await put(Buffer.alloc(20 * 1024 * 1024, 1))).toMatchObject({ status: 201 });
    const over = await put(Buffer.alloc(11 * 1024 * 1024, 2));
    expect(over).toMatchObject({ status: 413, body: expect.stringContaining('OVER_QUOTA') });
  });

  test('hands out nothing without a signature, and has no other methods (F8, C8)', async () => {
    const url = `${running.product.url}/blobs/${digestOf('On holidays the shop closes at 15.\n')}`;
    const authorization = `Bearer ${running.product.token}`;
    expect((await fetch(url, { headers: { authorization } })).status).toBe(403);
    const forged = `${url}?${new URLSearchParams({
      tenant: randomUUID(),
      testRun: randomUUID(),
      attempt: '1',
      expires: '4000000000',
      signature: 'a'.repeat(64),
    })}`;
    expect((await fetch(forged)).status).toBe(403);
    const deleted = await fetch(url, { method: 'DELETE', headers: { authorization } });
    expect([deleted.status, deleted.headers.get('allow')]).toEqual([405, 'GET, PUT']);
    expect((await fetch(`${running.product.url}/blobs/not-a-digest`)).status).toBe(404);
  });

  test('hands a file to whoever has a signed URL, as a download and nothing else (F8, G12)', async () => {
    const content = 'On holidays the shop closes at 15.\n';
    // The attempt is over by now; here it goes on for a moment.
    const [lease] = await running.rows<{ tenant: string; chunk: string; attempt: number }>(
      `update chunks set state = 'leased', session_id = (select id from runner_sessions where state = 'open' limit 1)
       returning tenant_id as tenant, id as chunk, attempt`,
    );
    if (lease === undefined) throw new Error('a test run was expected');
    const links = blobLinks(createHash('sha256').update(`blobs ${secret}`).digest(), running.product.url);
    const expires = Math.floor(Date.now() / 1000) + 60;
    const response = await fetch(links.sign(digestOf(content), { ...lease, expires }));
    expect([response.status, await response.text()]).toEqual([200, content]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-disposition': `attachment; filename="${digestOf(content)}"`,
      'content-type': 'application/octet-stream',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    expect((await fetch(links.sign(digestOf('another'), { ...lease, expires }))).status).toBe(403);
    expect((await fetch(links.sign(digestOf(content), { ...lease, expires: expires - 120 }))).status).toBe(403);
  });

  test('there is nothing where no digest is named', async () => {
    expect((await fetch(`${running.product.url}/blobs/`)).status).toBe(404);
  });
});
