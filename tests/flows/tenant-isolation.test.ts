import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { inheritedEnvironment } from '../stack/environment.ts';
import { repositoryRoot } from '../stack/processes.ts';
import { type GraphqlAnswer, modelSuite, type RunningProduct, startRunningProduct } from './running-product.ts';

let running: RunningProduct;
let theirs: string;
let own: { runId: string; suiteRunId: string; testRunId: string; tokenId: string; cursor: string };

/** One stored definition of each kind, made by the first tenant. */
const definitions = {
  aiConfiguration: { type: 'AiConfiguration', id: '' },
  testType: { type: 'TestType', id: '' },
  preset: { type: 'Preset', id: '' },
  agent: { type: 'Agent', id: '' },
  suite: { type: 'Suite', id: '' },
  testCase: { type: 'TestCase', id: '' },
};

const nobody = '00000000-0000-4000-8000-000000000000';

beforeAll(async () => {
  running = await startRunningProduct();
  theirs = await createTenant('other');
  await makeDefinitions();
  const runId = await running.start(modelSuite({ cases: 2 }));
  await running.waitForEnd(runId);
  const [row] = await running.rows<{ suiteRunId: string; testRunId: string }>(
    'select s.id as "suiteRunId", c.id as "testRunId" from test_suite_runs s join test_case_results c on c.run_id = s.id where s.run_id = $1',
    [runId],
  );
  const [token] = await running.rows<{ id: string }>(`select id from api_tokens where name = 'bootstrap'`);
  const { data } = await running.ask('{ runs(first: 1) { pageInfo { endCursor } } }');
  const { runs } = z.object({ runs: z.object({ pageInfo: z.object({ endCursor: z.string() }) }) }).parse(data);
  own = {
    runId,
    suiteRunId: row?.suiteRunId ?? '',
    testRunId: row?.testRunId ?? '',
    tokenId: token?.id ?? '',
    cursor: runs.pageInfo.endCursor,
  };
});
afterAll(async () => await running?.[Symbol.asyncDispose]());

async function makeDefinitions(): Promise<void> {
  const make = async (field: keyof typeof definitions, input: Record<string, unknown>) => {
    const { type } = definitions[field];
    const text = `mutation ($input: Create${type}Input!) { create: create${type}(input: $input) { ... on Create${type}Success { made: ${field} { id } } } }`;
    const { data } = await running.ask(text, { input: { name: `own ${field}`, ...input } });
    definitions[field].id = z
      .object({ create: z.object({ made: z.object({ id: z.string() }) }) })
      .parse(data).create.made.id;
  };
  await make('aiConfiguration', { provider: 'openai', model: 'm' });
  await make('testType', {});
  await make('preset', { values: {} });
  await make('agent', { instructions: 'Be kind.', aiConfiguration: 'own aiConfiguration' });
  await make('suite', { agentId: definitions.agent.id });
  const expectedBehavior = { checks: [{ type: 'contains_phrases', phrases: ['x'] }] };
  await make('testCase', { suiteId: definitions.suite.id, input: 'x', expectedBehavior });
}

async function createTenant(name: string): Promise<string> {
  const script = join(repositoryRoot, 'coordinator/src/access-main.ts');
  const env = {
    ...inheritedEnvironment(),
    DATABASE_URL: running.databaseUrl,
    NATS_URL: running.nats.url,
    PUBLIC_URL: running.product.url,
  };
  const { stdout } = await promisify(execFile)(process.execPath, [script, 'tenant', name], { env });
  return z.object({ token: z.string() }).parse(JSON.parse(stdout)).token;
}

const asOther = (query: string, variables: Record<string, unknown>): Promise<GraphqlAnswer> =>
  running.ask(query, variables, theirs);

/** The text of an answer with the id that was asked for taken out: what is left must not tell the two cases apart. */
const without = (id: string, answer: GraphqlAnswer): string => JSON.stringify(answer).replaceAll(id, 'ID');

test.each([
  ['run', 'query ($id: UUID!) { run(id: $id) { id } }', () => own.runId],
  ...Object.entries(definitions).flatMap(([field, kind]): [string, string, () => string][] => [
    [`${field}`, `query ($id: UUID!) { ${field}(id: $id) { id } }`, () => kind.id],
    [
      `${field} to change`,
      `mutation ($id: UUID!) { update${kind.type}(input: { id: $id }) { __typename ... on UserError { code message } } }`,
      () => kind.id,
    ],
    [
      `${field} to delete`,
      `mutation ($id: UUID!) { delete${kind.type}(id: $id) { __typename ... on UserError { code message } } }`,
      () => kind.id,
    ],
  ]),
  ...['include', 'exclude'].flatMap((verb): [string, string, () => string][] => [
    [
      `suite to ${verb} a case`,
      `mutation ($id: UUID!) { ${verb}TestCase(input: { suiteId: $id, testCaseId: "${nobody}" }) { __typename ... on UserError { code message } } }`,
      () => definitions.suite.id,
    ],
  ]),
  ...['suiteId', 'testCaseId'].map((key): [string, string, () => string] => [
    `${key} to run`,
    `mutation ($id: UUID!) { startStoredRun(input: { idempotencyKey: "foreign", ${key}: $id }) { __typename ... on UserError { code message } } }`,
    () => (key === 'suiteId' ? definitions.suite.id : definitions.testCase.id),
  ]),
  [
    'run to repeat',
    'mutation ($id: UUID!) { rerunRun(input: { idempotencyKey: "foreign", runId: $id }) { __typename ... on UserError { code message } } }',
    () => own.runId,
  ],
  [
    'test run to repeat',
    'mutation ($id: UUID!) { repeatTestRun(input: { idempotencyKey: "foreign", testRunId: $id }) { __typename ... on UserError { code message } } }',
    () => own.testRunId,
  ],
  [
    'suite to judge values for',
    'query ($id: UUID!) { validateVariables(input: { suiteId: $id }) { valid } }',
    () => definitions.suite.id,
  ],
  ['suite run', 'query ($id: UUID!) { suiteRun(id: $id) { id } }', () => own.suiteRunId],
  ['test run', 'query ($id: UUID!) { testRun(id: $id) { id response } }', () => own.testRunId],
  [
    'run to cancel',
    'mutation ($id: UUID!) { cancelRun(id: $id) { __typename ... on UserError { code message } } }',
    () => own.runId,
  ],
  [
    'token to revoke',
    'mutation ($id: UUID!) { revokeApiToken(id: $id) { __typename ... on UserError { code message } } }',
    () => own.tokenId,
  ],
])('R9 a foreign %s answers exactly as one that does not exist', async (_what, query, id) => {
  const foreign = await asOther(query, { id: id() });
  const missing = await asOther(query, { id: nobody });
  expect(without(id(), foreign)).toBe(without(nobody, missing));
  expect(foreign.errors).toEqual([]);
  const [run] = await running.rows('select status from runs where id = $1', [own.runId]);
  expect(run).toEqual({ status: 'completed' });
});

test('R5 S2-80 both tenants may use the same idempotency key and the same names, and a new one needs no SQL for its first run', async () => {
  const key = 'the same key';
  const mine = await running.start(modelSuite(), { idempotencyKey: key });
  const other = await running.start(modelSuite(), { idempotencyKey: key, token: theirs });
  expect(other).not.toBe(mine);
  for (const runId of [mine, other]) expect((await running.waitForEnd(runId)).status).toBe('completed');
});

test('R9 what another tenant has stands in no list', async () => {
  const lists = ['aiConfigurations', 'testTypes', 'presets', 'agents', 'suites'];
  const text = lists.map((list) => `${list}(first: 100) { edges { node { id } } }`).join(' ');
  const { data, errors } = await asOther(`{ ${text} tags(first: 100) { edges { node { name testCases } } } }`, {});
  expect(errors).toEqual([]);
  for (const { id } of Object.values(definitions)) expect(JSON.stringify(data)).not.toContain(id);
  expect(JSON.stringify(data?.tags)).not.toMatch(/"testCases":[1-9]/);
});

test('R9 what another tenant has cannot be named when something is made', async () => {
  const Made = z.object({ made: z.object({ made: z.object({ id: z.string() }) }) });
  const make = async (type: string, field: string, input: Record<string, unknown>) => {
    const text = `mutation ($input: Create${type}Input!) { made: create${type}(input: $input) { ... on Create${type}Success { made: ${field} { id } } } }`;
    return Made.parse((await asOther(text, { input })).data).made.made.id;
  };
  const agentId = await make('Agent', 'agent', {
    name: 'theirs',
    instructions: 'x',
    driver: { type: 'scripted', replies: [{ reply: 'x' }] },
  });
  const suiteId = await make('Suite', 'suite', { agentId, name: 'theirs' });
  const refused = async (name: string, input: Record<string, unknown>) => {
    const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;
    const text = `mutation ($input: ${type}!) { result: ${name}(input: $input) { __typename ... on UserError { message } } }`;
    const { data, errors } = await asOther(text, { input });
    expect(errors).toEqual([]);
    return data?.result;
  };
  const [repository] = await running.rows<{ id: string }>(
    `insert into repositories (tenant_id, host, external_id, owner_external_id, full_name, default_branch)
     select tenant_id, 'github.com', '9001', '9', 'acme/own', 'main' from runs where id = $1 returning id`,
    [own.runId],
  );
  const files = [
    {
      path: 'a.suite.yaml',
      text: 'name: A\nagent: { name: A, instructions: A, driver: { type: scripted, replies: [{ reply: a }] } }\ncases: [{ name: a, input: a, expected_behavior: { checks: [{ type: contains_phrases, phrases: [a] }] } }]\n',
    },
  ];
  const sent = { files, suitePaths: ['a.suite.yaml'] };
  const notFound = { __typename: 'NotFound', message: expect.any(String) };
  for (const foreign of [true, false]) {
    const id = (field: keyof typeof definitions) => (foreign ? definitions[field].id : nobody);
    expect(await refused('createSuite', { agentId: id('agent'), name: 'x' })).toEqual(notFound);
    expect(await refused('createTestCase', { suiteId: id('suite'), name: 'x', input: 'x' })).toEqual(notFound);
    expect(await refused('includeTestCase', { suiteId, testCaseId: id('testCase') })).toEqual(notFound);
    expect(await refused('importDefinitions', { ...sent, repositoryId: foreign ? repository?.id : nobody })).toEqual(
      notFound,
    );
  }
});

test('a tenant lists only its own runs, and a cursor of another tenant opens nothing', async () => {
  const listed = await asOther('{ runs(first: 100) { edges { node { id } } } }', {});
  expect(JSON.stringify(listed)).not.toContain(own.runId);
  const paged = await asOther('query ($after: String) { runs(after: $after) { edges { node { id } } } }', {
    after: own.cursor,
  });
  expect(paged.errors.map(({ extensions }) => extensions?.code)).toEqual(['BAD_USER_INPUT']);
});

test('R3 the login of requests sees no row without a tenant, and every table of tenants forces its policy', async () => {
  const url = new URL(running.databaseUrl);
  url.username = 'proofmark_app';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    for (const table of [
      'runs',
      'test_suite_runs',
      'test_case_results',
      'chunks',
      'planned_test_runs',
      'work_contents',
      'api_tokens',
      'users',
      'tenants',
    ]) {
      expect([table, (await client.query(`select * from ${table}`)).rows]).toEqual([table, []]);
    }
  } finally {
    await client.end();
  }
  const tables = await running.rows<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'public' and c.relkind = 'r' and exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id')
       and not (c.relrowsecurity and c.relforcerowsecurity)`,
  );
  expect(tables).toEqual([]);
});

test('a subscription to a foreign run tells nothing', async () => {
  const response = await fetch(`${running.product.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', authorization: `Bearer ${theirs}` },
    body: JSON.stringify({
      query: 'subscription ($id: UUID!) { runProgress(id: $id) { id } }',
      variables: { id: own.runId },
    }),
  });
  const text = await response.text();
  expect(text).not.toContain(own.runId);
  expect(text).toContain('event: complete');
});
