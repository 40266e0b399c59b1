import { createHash } from 'node:crypto';
import { stripIgnoredCharacters } from 'graphql';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { authenticate } from '../access/authenticate.ts';
import type { Ledger } from '../database/open-ledger.fixture.ts';
import { judgedRuns, push, sha } from '../judging/judged-runs.fixture.ts';
import { given, newRepository, newTenant, ownLedger, suiteFile, type Tenant } from '../story.fixture.ts';
import { type Ask, asker } from './ask.fixture.ts';

let ledger: Ledger;
let tenant: Tenant;
let ask: Ask;
let runId: string;

beforeAll(async () => {
  ledger = await ownLedger();
  tenant = await newTenant(ledger);
  ask = asker(ledger);
  await newRepository(ledger, tenant);
  const runs = judgedRuns(ledger, tenant);
  const text = suiteFile({ name: 'Hours', cases: 3, repetitions: 3 });
  await runs.baseRun(sha('a'), text);
  runId = await runs.start({ trigger: { ...push, headSha: sha('b') }, text });
  await runs.execute(runId, (name) => name !== 'case 2');
  await runs.judge(runId);
});

const answered = async (query: string, variables: object = {}, caller = tenant.caller): Promise<unknown> => {
  const { data, errors } = await ask(caller, query, variables);
  expect(errors).toEqual([]);
  return Object.values(data ?? {})[0];
};

const Listed = z.object({ edges: z.array(z.object({ node: z.looseObject({ id: z.string(), name: z.string() }) })) });
const tokens = async () =>
  Listed.parse(
    await answered(
      '{ apiTokens { edges { node { id name scopes login repository expiresAt revokedAt lastUsedAt } } } }',
    ),
  ).edges.map(({ node }) => node);

const Made = z.object({ token: z.string(), apiToken: z.object({ id: z.string() }) });

it('tokens are listed without themselves, and one is replaced by another that may do the same', async () => {
  const old = Made.parse(
    await answered(
      'mutation { createApiToken(input: { name: "nightly", scopes: [RUNS_READ], expiresInDays: 30 }) { ... on CreateApiTokenSuccess { token apiToken { id } } } }',
    ),
  );
  const rotate =
    'mutation ($id: UUID!, $hours: Int) { rotateApiToken(id: $id, graceHours: $hours) { __typename ... on RotateApiTokenSuccess { token apiToken { id } } } }';
  const fresh = Made.parse(await answered(rotate, { id: old.apiToken.id, hours: 1 }));
  expect([...given((await authenticate(ledger.database, fresh.token, 'token')) ?? undefined).scopes]).toEqual([
    'runs:read',
  ]);
  expect(await authenticate(ledger.database, old.token, 'token')).not.toBeNull();
  const listed = await tokens();
  expect(listed).toMatchObject([
    { id: fresh.apiToken.id, name: 'nightly', login: 'ci', repository: null, revokedAt: null },
    { id: old.apiToken.id, name: 'nightly' },
  ]);
  const [, before] = listed.map(({ expiresAt }) => Date.parse(String(expiresAt)) - Date.now());
  expect(before).toBeLessThanOrEqual(3_600_000);
  expect(JSON.stringify(listed)).not.toContain(old.token);
  await answered('mutation ($id: UUID!) { revokeApiToken(id: $id) { __typename } }', { id: old.apiToken.id });
  expect(await answered(rotate, { id: old.apiToken.id })).toMatchObject({ __typename: 'NotFound' });
  expect(await answered(rotate, { id: fresh.apiToken.id, hours: 200 })).toMatchObject({ __typename: 'InvalidInput' });
});

it('a token is rotated once, also by two at the same time, and its successor lives as long as it was made for', async () => {
  const create =
    'mutation ($days: Int) { createApiToken(input: { name: "once", scopes: [RUNS_READ], expiresInDays: $days }) { ... on CreateApiTokenSuccess { token apiToken { id } } } }';
  const rotate =
    'mutation ($id: UUID!) { rotateApiToken(id: $id, graceHours: 48) { __typename ... on RotateApiTokenSuccess { apiToken { id expiresAt createdAt } } ... on UserError { message } } }';
  const Answer = z.object({
    __typename: z.string(),
    message: z.string().optional(),
    apiToken: z.object({ id: z.string(), expiresAt: z.string().nullable(), createdAt: z.string() }).optional(),
  });
  // One ends within the grace, one after it, one never.
  for (const days of [1, 30, null]) {
    const { id } = Made.parse(await answered(create, { days })).apiToken;
    const answers = z.array(Answer).parse(await Promise.all([1, 2].map(() => answered(rotate, { id }))));
    const successors = answers.flatMap(({ apiToken }) => apiToken ?? []);
    expect(successors).toHaveLength(1);
    const { expiresAt, createdAt, id: successor } = given(successors[0]);
    const span = expiresAt === null ? null : Math.round((Date.parse(expiresAt) - Date.parse(createdAt)) / 86_400_000);
    expect(span).toBe(days);
    expect(await answered(rotate, { id })).toMatchObject({
      __typename: 'InvalidInput',
      message: expect.stringContaining('rotate the token that took its place'),
    });
    expect(await answered(rotate, { id: successor })).toMatchObject({ __typename: 'RotateApiTokenSuccess' });
  }
});

it('a token for one repository is no admin of the tenant, whatever scopes it has', async () => {
  const [{ id: repository }] = [given((await ledger.query<{ id: string }>('select id from repositories'))[0])];
  const bound = { ...tenant.caller, repositoryId: repository };
  for (const asked of [
    'mutation { createApiToken(input: { name: "free", scopes: [ADMIN] }) { __typename } }',
    `mutation { rotateApiToken(id: "${tenant.userId}") { __typename } }`,
    'mutation { createPerson(input: { login: "intruder", role: ADMIN }) { __typename } }',
    'mutation { createTenant(name: "intruders") { __typename } }',
    '{ audit { edges { node { id } } } }',
    '{ alertChannels { edges { node { id } } } }',
  ]) {
    expect((await ask(bound, asked)).errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  }
  const both =
    'mutation ($id: UUID) { createApiToken(input: { name: "both", scopes: [ADMIN], repositoryId: $id }) { __typename ... on UserError { message } } }';
  expect(await answered(both, { id: repository })).toEqual({
    __typename: 'InvalidInput',
    message: expect.stringContaining('ADMIN is for the whole tenant'),
  });
});

it('repositories are listed, those that a bound token is for alone', async () => {
  const list = '{ repositories { edges { node { id fullName host } } } }';
  expect(await answered(list)).toMatchObject({ edges: [{ node: { fullName: 'acme/shop', host: 'github.com' } }] });
  const elsewhere = { ...tenant.caller, repositoryId: '00000000-0000-4000-8000-000000000000' };
  expect(await answered(list, {}, elsewhere)).toEqual({ edges: [] });
});

it('schedules tell what came of each time, refusals with their reason', async () => {
  await ledger.query(
    `insert into scheduled_runs (tenant_id, suite_id, window_start, due_at, state, run_id, reason)
     select s.tenant_id, s.id, t.at::timestamptz, t.at::timestamptz, t.state, t.run::uuid, t.reason from agent_test_suites s,
       (values ('2026-01-01', 'refused', null, 'Its agent is gone.'), ('2026-01-02', 'started', $2::text, null)) t(at, state, run, reason)
     where s.tenant_id = $1`,
    [tenant.id, runId],
  );
  const list = (state: string | null) =>
    answered(
      'query ($state: ScheduleState) { scheduledRuns(state: $state) { edges { node { state reason suite { name } run { id } } } } }',
      { state },
    );
  const refused = { state: 'REFUSED', reason: 'Its agent is gone.', suite: { name: 'Hours' }, run: null };
  expect(await list('REFUSED')).toEqual({ edges: [{ node: refused }] });
  expect(await list(null)).toMatchObject({
    edges: [{ node: { state: 'STARTED', run: { id: runId } } }, { node: refused }],
  });
});

it('S2-12 what alerted is found by it', async () => {
  const list = '{ suiteRuns(filter: { alertFired: true }) { edges { node { runId verdict { alertFired } } } } }';
  expect(await answered(list)).toEqual({ edges: [{ node: { runId, verdict: { alertFired: true } } }] });
});

it('only what did not pass is run again, with all of its repetitions', async () => {
  const rerun = (only: string, key: string) =>
    answered(
      'mutation ($input: RerunRunInput!) { rerunRun(input: $input) { __typename ... on StartRunSuccess { run { id totalCases } } ... on UserError { message } } }',
      { input: { runId, only, idempotencyKey: key } },
    );
  const again = z
    .object({ run: z.object({ id: z.string(), totalCases: z.int() }) })
    .parse(await rerun('FAILED', 'again'));
  expect(again.run.totalCases).toBe(3);
  const Rows = z.object({
    suiteRuns: z.array(
      z.object({ testRuns: z.object({ edges: z.array(z.object({ node: z.object({ caseName: z.string() }) })) }) }),
    ),
  });
  const { suiteRuns } = Rows.parse(
    await answered('query ($id: UUID!) { run(id: $id) { suiteRuns { testRuns { edges { node { caseName } } } } } }', {
      id: again.run.id,
    }),
  );
  const names = suiteRuns.flatMap(({ testRuns }) => testRuns.edges.map(({ node }) => node.caseName));
  expect(new Set(names)).toEqual(new Set(['case 2']));
  expect(await rerun('ERRORED', 'errors')).toEqual({
    __typename: 'InvalidInput',
    message: 'There is no run with this id, or no case of it ended so',
  });
  expect(await rerun('ALL', 'all')).toMatchObject({ run: { totalCases: 9 } });
});

it('people write notes on a run, and nobody who may only read', async () => {
  const note =
    'mutation ($id: UUID!, $notes: String) { updateRunNotes(id: $id, notes: $notes) { __typename ... on UpdateRunNotesSuccess { run { notes } } } }';
  expect(await answered(note, { id: runId, notes: 'the model was down' })).toMatchObject({
    run: { notes: 'the model was down' },
  });
  expect(await answered(note, { id: runId, notes: 'x'.repeat(10_001) })).toMatchObject({ __typename: 'InvalidInput' });
  const reader = { ...tenant.caller, scopes: new Set(['runs:read'] as const) };
  const { errors } = await ask(reader, note, { id: runId, notes: 'mine' });
  expect(errors.map(({ extensions }) => extensions?.code)).toEqual(['FORBIDDEN']);
});

it('what was deleted comes back as it was, unless its name is taken by then', async () => {
  const made = await answered(
    'mutation { createPreset(input: { name: "strict", values: { Temperature: 0.5 } }) { ... on CreatePresetSuccess { preset { id } } } }',
  );
  const { id } = z.object({ preset: z.object({ id: z.string() }) }).parse(made).preset;
  const remove = () => answered('mutation ($id: UUID!) { deletePreset(id: $id) { __typename } }', { id });
  const restore = () =>
    answered(
      'mutation ($id: UUID!) { restorePreset(id: $id) { __typename ... on RestorePresetSuccess { preset { name values } } } }',
      { id },
    );
  expect(await restore()).toMatchObject({ __typename: 'NotFound' });
  await remove();
  expect(await restore()).toMatchObject({ preset: { name: 'strict', values: { Temperature: 0.5 } } });
  await remove();
  await answered('mutation { createPreset(input: { name: "strict", values: {} }) { __typename } }');
  expect(await restore()).toMatchObject({ __typename: 'InvalidDefinitions' });
});

it('an agent comes back with the suites that went with it, and a suite or case where its owner is there', async () => {
  const [row] = await ledger.query<{ agent: string; suite: string; case: string }>(
    `select s.agent_id as agent, s.id as suite, c.id as case from agent_test_suites s join test_cases c on c.suite_id = s.id
     where s.tenant_id = $1 limit 1`,
    [tenant.id],
  );
  const { agent, suite, case: testCase } = given(row);
  const change = (name: string, id: string) =>
    answered(`mutation ($id: UUID!) { ${name}(id: $id) { __typename } }`, { id });
  await change('deleteAgent', agent);
  expect(await answered('query ($id: UUID!) { suite(id: $id) { name } }', { id: suite })).toBeNull();
  expect(await change('restoreSuite', suite)).toEqual({ __typename: 'NotFound' });
  expect(await change('restoreAgent', agent)).toEqual({ __typename: 'RestoreAgentSuccess' });
  expect(await answered('query ($id: UUID!) { suite(id: $id) { name caseCount } }', { id: suite })).toEqual({
    name: 'Hours',
    caseCount: 3,
  });
  await change('deleteTestCase', testCase);
  expect(await change('restoreTestCase', testCase)).toEqual({ __typename: 'RestoreTestCaseSuccess' });
});

it('where the operator says so, a signed in browser asks what is known by its hash, and nothing else', async () => {
  const strict = asker(ledger, { sessionsKnownOnly: true });
  const browser = { ...tenant.caller, kind: 'session' as const };
  const text = stripIgnoredCharacters('query Viewer { viewer { tenant login kind scopes } }');
  const sha256Hash = createHash('sha256').update(text).digest('hex');
  const known = { extensions: { persistedQuery: { version: 1, sha256Hash } } };
  expect(await strict(browser, known)).toMatchObject({ data: { viewer: { kind: 'session' } }, errors: [] });
  expect((await strict(browser, text)).errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  expect((await strict(browser, { ...known, query: '{ viewer { login } }' })).errors).toHaveLength(1);
  expect((await strict(tenant.caller, text)).errors).toEqual([]);
  expect((await ask(browser, text)).errors).toEqual([]);
});
