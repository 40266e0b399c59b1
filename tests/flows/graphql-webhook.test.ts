import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '../stack/wait-until.ts';
import { modelSuite, type RunningProduct, startRunningProduct } from './running-product.ts';

const secret = 'the-secret-of-the-app';
const older = 'an-older-secret';
let running: RunningProduct;

beforeAll(async () => {
  running = await startRunningProduct({
    coordinatorEnv: { GITHUB_WEBHOOK_SECRET: `${secret},${older}`, PROOFMARK_ALLOW_ADMIN_ENROLL: '1' },
  });
  await running.ask(
    'mutation { enrollRepository(input: { host: "github.com", repositoryId: "1001", ownerId: "2002", fullName: "shop/desk" }) { __typename } }',
  );
});
afterAll(async () => await running?.[Symbol.asyncDispose]());

const signature = (body: string, key = secret) => `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;

async function deliver(
  payload: unknown,
  {
    event = 'pull_request',
    id = randomUUID(),
    headers = {},
  }: { event?: string; id?: string; headers?: Record<string, string> } = {},
) {
  const body = JSON.stringify(payload);
  const response = await fetch(`${running.product.url}/webhooks/github`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-event': event,
      'x-github-delivery': id,
      'x-hub-signature-256': signature(body),
      ...headers,
    },
    body,
  });
  return response.status;
}

const pullRequest = (action: string, number: number, sha: string, repositoryId = 1001) => ({
  action,
  number,
  repository: { id: repositoryId },
  pull_request: { head: { sha } },
});
const [first, second] = ['a'.repeat(40), 'b'.repeat(40)];
let pullRequests = 0;

/** A run of a pull request that does not end by itself. */
async function heldRun(): Promise<{ runId: string; number: number }> {
  pullRequests += 1;
  running.model.hold();
  const trigger = {
    triggeredBy: 'CI',
    event: 'pull_request',
    host: 'github.com',
    repositoryExternalId: '1001',
    headSha: first,
    pullRequest: pullRequests,
  };
  const { data } = await running.ask(
    'mutation ($input: StartRunInput!) { startRun(input: $input) { ... on StartRunSuccess { run { id } } ... on UserError { code message } } }',
    { input: { idempotencyKey: randomUUID(), trigger, ...modelSuite({ cases: 2 }) } },
  );
  expect(data?.startRun).toMatchObject({ run: { id: expect.any(String) } });
  const [run] = await running.rows<{ id: string }>('select id from runs order by created_at desc limit 1');
  return { runId: run?.id ?? '', number: pullRequests };
}

/** Deliveries are acted on after their answer: waits until none is left, then says where the run stands. */
const settledStatusOf = async (runId: string) => {
  const isSettled = async () =>
    (await running.rows("select 1 from webhook_deliveries where state = 'due'")).length === 0;
  await waitUntil(isSettled, { what: 'all deliveries were acted on', detail: running.product.coordinator.log });
  return await statusOf(runId);
};

const statusOf = async (runId: string) =>
  (await running.rows<{ status: string }>('select status from runs where id = $1', [runId]))[0]?.status;

test('a closed pull request ends its runs, and the same delivery again has no effect', async () => {
  const { runId, number } = await heldRun();
  const id = randomUUID();
  expect(await deliver(pullRequest('closed', number, first), { id })).toBe(202);
  expect(await settledStatusOf(runId)).toBe('cancelled');
  expect(await deliver(pullRequest('closed', number, first), { id })).toBe(202);
  expect(await running.rows('select 1 from webhook_deliveries where delivery_id = $1', [id])).toHaveLength(1);
});

test('a newer head ends the runs of the older one and not its own', async () => {
  const { runId, number } = await heldRun();
  expect(await deliver(pullRequest('synchronize', number, first))).toBe(202);
  expect(await settledStatusOf(runId)).not.toBe('cancelled');
  expect(await deliver(pullRequest('synchronize', number, second))).toBe(202);
  expect(await settledStatusOf(runId)).toBe('cancelled');
});

test('W1 a missing, a wrong and a foreign signature are refused, and nothing is stored or done', async () => {
  const { runId, number } = await heldRun();
  const payload = pullRequest('closed', number, first);
  const before = await running.rows('select count(*)::int as count from webhook_deliveries');
  for (const wrong of [
    '',
    'sha256=',
    signature('{}'),
    signature(JSON.stringify(payload), 'a guess'),
    signature(JSON.stringify(payload)).replace('sha256', 'sha1'),
  ]) {
    expect(await deliver(payload, { headers: { 'x-hub-signature-256': wrong } })).toBe(401);
  }
  expect(await deliver(payload, { headers: { 'content-type': 'text/plain' } })).toBe(415);
  expect(await running.rows('select count(*)::int as count from webhook_deliveries')).toEqual(before);
  expect(await settledStatusOf(runId)).not.toBe('cancelled');
  // The older of two secrets still counts during rotation.
  expect(
    await deliver(payload, { headers: { 'x-hub-signature-256': signature(JSON.stringify(payload), older) } }),
  ).toBe(202);
  expect(await settledStatusOf(runId)).toBe('cancelled');
});

test.each([
  ['an unknown event', 'star', { action: 'created' }],
  ['an unknown repository', 'pull_request', pullRequest('closed', 1, first, 9)],
  ['an unknown action', 'pull_request', pullRequest('labeled', 1, first)],
  ['another form', 'pull_request', { action: 'closed' }],
])('%s is accepted and changes nothing', async (_what, event, payload) => {
  const before = await running.rows('select id, status from runs order by id');
  expect(await deliver(payload, { event })).toBe(202);
  await settledStatusOf(randomUUID());
  expect(await running.rows('select id, status from runs order by id')).toEqual(before);
});

test('without a secret there is no such path', async () => {
  await using other = await startRunningProduct({ runners: 0 });
  const response = await fetch(`${other.product.url}/webhooks/github`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  expect(response.status).toBe(404);
});
