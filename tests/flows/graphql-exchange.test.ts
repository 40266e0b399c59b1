import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { OidcIssuer } from '../stack/github/oidc-issuer.ts';
import { listen } from '../stack/listen.ts';
import { askToStart, modelSuite, type RunningProduct, startRunningProduct } from './running-product.ts';

const audience = 'https://proofmark.example.com';
const sha = 'a'.repeat(40);
let server: Server;
let oidc: OidcIssuer;
let running: RunningProduct;

beforeAll(async () => {
  server = createServer((_request, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify(oidc.jwks())),
  );
  const { origin } = await listen(server, 0);
  oidc = await OidcIssuer.create(origin);
  running = await startRunningProduct({
    coordinatorEnv: { OIDC_ISSUER: oidc.issuer, OIDC_JWKS_URI: `${origin}/jwks`, OIDC_AUDIENCE: audience },
  });
});
afterAll(async () => {
  await running?.[Symbol.asyncDispose]();
  server?.close();
});

const usual = {
  aud: audience,
  repository: 'shop/desk',
  repository_id: '1001',
  repository_owner_id: '2002',
  run_id: '3003',
  run_attempt: '1',
  event_name: 'pull_request',
  ref: 'refs/pull/7/merge',
  sha: 'f'.repeat(40),
};
const jobToken = (claims: Record<string, unknown> = {}) => oidc.sign({ ...usual, ...claims });

const exchangeText = 'mutation { exchangeToken { token expiresAt reporting maxBodyBytes } }';
const exchange = async (claims: Record<string, unknown> = {}) =>
  await running.ask(exchangeText, {}, await jobToken(claims));
const Exchanged = z.object({
  exchangeToken: z.object({ token: z.string().startsWith('pmr_'), expiresAt: z.iso.datetime(), reporting: z.string() }),
});
const runToken = async (claims: Record<string, unknown> = {}) =>
  Exchanged.parse((await exchange(claims)).data).exchangeToken;

const enroll = (input: Record<string, unknown>, token?: string) =>
  running.ask(
    `mutation ($input: EnrollRepositoryInput!) { enrollRepository(input: $input) {
      __typename ... on UserError { code message } } }`,
    { input: { host: 'github.com', repositoryId: '1001', ownerId: '2002', fullName: 'shop/desk', ...input } },
    token,
  );

/** An admin of another tenant of the same coordinator. */
async function otherAdmin(): Promise<string> {
  const [tenant] = await running.rows<{ id: string }>('insert into tenants (name) values ($1) returning id', [
    randomUUID(),
  ]);
  const [user] = await running.rows<{ id: string }>(
    `insert into users (tenant_id, login, kind, role) values ($1, 'admin', 'service', 'admin') returning id`,
    [tenant?.id],
  );
  const token = `pmk_${randomBytes(32).toString('base64url')}`;
  await running.rows(
    `insert into api_tokens (tenant_id, name, token_hash, kind, scopes, user_id) values ($1, 'admin', $2, 'api', array['admin'], $3)`,
    [tenant?.id, createHash('sha256').update(token).digest('hex'), user?.id],
  );
  return token;
}

const answerOf = async (input: Record<string, unknown>, token?: string) =>
  (await enroll(input, token)).data?.enrollRepository;
const enrolled = { __typename: 'EnrollRepositorySuccess' };
const refused = (message: string) => ({
  ...{ __typename: 'NotAllowed', code: 'FORBIDDEN', message: expect.stringContaining(message) },
});

test('C6 an admin enrols no repository without proof, is told what to do, and learns nothing about other tenants', async () => {
  const numbers = { repositoryId: '5001', ownerId: '5002' };
  const unproven = await answerOf(numbers);
  expect(unproven).toEqual(refused('Send an OIDC token of one of its jobs as `proof`'));
  const other = await otherAdmin();
  const proof = await jobToken({ repository_id: '5001', repository_owner_id: '5002' });
  expect(await answerOf({ ...numbers, proof }, other)).toEqual(enrolled);
  expect(await answerOf(numbers)).toEqual(unproven);
  // Whoever has it may name it anew, and not give it to another owner.
  expect(await answerOf({ ...numbers, fullName: 'shop/renamed' }, other)).toEqual(enrolled);
  expect(await answerOf({ ...numbers, ownerId: '5003' }, other)).toEqual(unproven);
});

test('C6 only a token that a job of this very repository was given proves anything, and once', async () => {
  const numbers = { repositoryId: '6001', ownerId: '6002' };
  const own = { repository_id: '6001', repository_owner_id: '6002' };
  const wrong = refused('The proof is no token that a job of this repository');
  for (const claims of [
    { repository_id: '6002' },
    { repository_owner_id: '6003' },
    { aud: 'https://elsewhere.example' },
  ])
    expect(await answerOf({ ...numbers, proof: await jobToken({ ...own, ...claims }) })).toEqual(wrong);
  const proof = await jobToken(own);
  expect(await answerOf({ ...numbers, host: 'github.example.com', proof })).toEqual(wrong);
  expect(await answerOf({ ...numbers, proof })).toEqual(wrong);
  expect(await answerOf({ ...numbers, proof: await jobToken(own) })).toEqual(enrolled);
});

test('C6 of two tenants that enrol a repository at the same moment one gets it', async () => {
  const tokens = [await otherAdmin(), await otherAdmin(), await otherAdmin(), await otherAdmin()];
  const answers = await Promise.all(
    tokens.map(async (token) => {
      const proof = await jobToken({ repository_id: '7001', repository_owner_id: '7002' });
      return await answerOf({ repositoryId: '7001', ownerId: '7002', proof }, token);
    }),
  );
  const taken = refused('Another tenant of this coordinator has this repository');
  expect(answers).toHaveLength(4);
  expect(answers.filter((answer) => JSON.stringify(answer) === JSON.stringify(enrolled))).toEqual([enrolled]);
  expect(answers.filter((answer) => JSON.stringify(answer) !== JSON.stringify(enrolled))).toEqual([
    taken,
    taken,
    taken,
  ]);
});

test('C6 a repository gets nothing until its numbers are enrolled, and again nothing when its owner changes', async () => {
  expect((await exchange()).status).toBe(403);
  expect(await answerOf({ proof: await jobToken() })).toEqual(enrolled);
  expect(await runToken()).toMatchObject({ reporting: 'NONE' });
  expect((await exchange({ repository_owner_id: '2003' })).status).toBe(403);
  expect((await exchange({ repository_id: '1002' })).status).toBe(403);
});

test('C7 a token of a job works once', async () => {
  const token = await jobToken();
  expect((await running.ask(exchangeText, {}, token)).status).toBe(200);
  const again = await running.ask(exchangeText, {}, token);
  expect([again.status, again.errors[0]?.extensions?.code]).toEqual([401, 'UNAUTHENTICATED']);
});

test('a token of a job opens nothing but the exchange', async () => {
  const { status, errors } = await running.ask('{ viewer { tenant } }', {}, await jobToken());
  expect([status, errors[0]?.extensions?.code]).toEqual([403, 'FORBIDDEN']);
});

test.each(['pull_request_target', 'workflow_run', 'issue_comment'])(
  'C8 a job of the event %s is refused',
  async (event_name) => {
    expect((await exchange({ event_name })).status).toBe(403);
  },
);

test('a run is of what the issuer signed, whatever the job says, and only jobs of the same workflow run see it', async () => {
  const { token } = await runToken();
  const suite = modelSuite();
  const lie = {
    triggeredBy: 'API',
    event: 'push',
    host: 'evil.example.com',
    repositoryExternalId: '9',
    ref: 'refs/heads/main',
    workflowRunId: '1',
    headSha: sha,
  };
  const started = await running.ask(
    'mutation ($input: StartRunInput!) { startRun(input: $input) { ... on StartRunSuccess { run { id triggeredBy event host repository ref pullRequest headSha isBase } } ... on UserError { code message } } }',
    { input: { idempotencyKey: 'of a job', trigger: lie, ...suite } },
    token,
  );
  const { startRun } = z.object({ startRun: z.object({ run: z.looseObject({ id: z.string() }) }) }).parse(started.data);
  expect(startRun.run).toMatchObject({
    triggeredBy: 'CI',
    event: 'pull_request',
    host: 'github.com',
    repository: 'shop/desk',
    ref: 'refs/pull/7/merge',
    pullRequest: 7,
    headSha: sha,
    isBase: false,
  });

  const seen = async (claims: Record<string, unknown>) =>
    (
      await running.ask(
        'query ($id: UUID!) { run(id: $id) { id } runs { edges { node { id } } } }',
        { id: startRun.run.id },
        (
          await runToken(claims)
        ).token,
      )
    ).data;
  expect(await seen({ run_attempt: '2' })).toEqual({
    run: { id: startRun.run.id },
    runs: { edges: [{ node: { id: startRun.run.id } }] },
  });
  expect(await seen({ run_id: '4004' })).toEqual({ run: null, runs: { edges: [] } });
  const cancelled = await running.ask(
    'mutation ($id: UUID!) { cancelRun(id: $id) { __typename } }',
    { id: startRun.run.id },
    (await runToken({ run_id: '4004' })).token,
  );
  expect(cancelled.data?.cancelRun).toEqual({ __typename: 'NotAllowed' });
});

test('a run token can neither enrol repositories nor make tokens', async () => {
  const { token } = await runToken();
  expect((await enroll({ repositoryId: '7' }, token)).errors[0]?.extensions?.code).toBe('FORBIDDEN');
  const made = await running.ask(
    'mutation { createApiToken(input: { name: "x", scopes: [RUNS_READ] }) { __typename } }',
    {},
    token,
  );
  expect(made.errors[0]?.extensions?.code).toBe('FORBIDDEN');
});

test('a run token ends after 15 minutes', async () => {
  const { token, expiresAt } = await runToken();
  const minutes = (Date.parse(expiresAt) - Date.now()) / 60_000;
  expect(minutes).toBeGreaterThan(14);
  expect(minutes).toBeLessThan(16);
  await running.rows(`update api_tokens set expires_at = now() where kind = 'run'`);
  expect((await running.ask('{ viewer { tenant } }', {}, token)).status).toBe(401);
  expect(await askToStart(running.ask, modelSuite(), 'another')).toMatchObject({ __typename: 'StartRunSuccess' });
});

test('C7 an admin narrows whose jobs of a repository are let in, by what else their tokens say', async () => {
  const numbers = { repository_id: '8001', repository_owner_id: '8002', repository: 'shop/pinned' };
  const workflow = (file: string) => ({ job_workflow_ref: `shop/pinned/.github/workflows/${file}@refs/pull/7/merge` });
  expect(
    await answerOf({ repositoryId: '8001', ownerId: '8002', fullName: 'shop/pinned', proof: await jobToken(numbers) }),
  ).toEqual(enrolled);
  const { data } = await running.ask('{ repositories { edges { node { id fullName } } } }', {});
  const Listed = z.object({
    repositories: z.object({ edges: z.array(z.object({ node: z.object({ id: z.uuid(), fullName: z.string() }) })) }),
  });
  const listed = Listed.parse(data).repositories.edges.map(({ node }) => node);
  const id = listed.find(({ fullName }) => fullName === 'shop/pinned')?.id;
  const pin = async (claimPins: object[]) =>
    (
      await running.ask(
        `mutation ($input: UpdateRepositoryInput!) { updateRepository(input: $input) {
          ... on UpdateRepositorySuccess { repository { claimPins { claim value } } } ... on UserError { code } } }`,
        { input: { id, claimPins } },
      )
    ).data?.updateRepository;
  const pins = [
    { claim: 'JOB_WORKFLOW_REF', value: 'shop/pinned/.github/workflows/evals.yml@*' },
    { claim: 'ENVIRONMENT', value: 'evals' },
  ];
  expect(await pin(pins)).toEqual({ repository: { claimPins: pins } });
  const right = { ...numbers, ...workflow('evals.yml'), environment: 'evals' };
  for (const claims of [
    numbers,
    { ...right, ...workflow('other.yml') },
    { ...right, environment: 'production' },
    { ...numbers, ...workflow('evals.yml') },
  ]) {
    const { status, errors } = await exchange(claims);
    expect([status, errors[0]?.message]).toEqual([403, expect.stringContaining('pinned')]);
  }
  expect(await runToken(right)).toMatchObject({ token: expect.any(String) });
  expect(await pin([...pins, ...pins])).toEqual({ code: 'INVALID_INPUT' });
  expect(await pin([])).toEqual({ repository: { claimPins: [] } });
  expect(await runToken(numbers)).toMatchObject({ token: expect.any(String) });
});
