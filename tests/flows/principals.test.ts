import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { inheritedEnvironment } from '../stack/environment.ts';
import { repositoryRoot } from '../stack/processes.ts';
import { type RunningProduct, startRunningProduct } from './running-product.ts';

let running: RunningProduct;
beforeAll(async () => {
  running = await startRunningProduct({ runners: 0 });
});
afterAll(async () => await running?.[Symbol.asyncDispose]());

const createPerson = `mutation ($input: CreatePersonInput!) { made: createPerson(input: $input) {
  __typename ... on CreatePersonSuccess { person { id login displayName } } ... on InvalidInput { problems { path code } } } }`;
const createToken = `mutation ($input: CreateApiTokenInput!) { made: createApiToken(input: $input) {
  __typename ... on CreateApiTokenSuccess { token } ... on NotFound { message } } }`;
const createTenant = `mutation ($name: String!) { made: createTenant(name: $name) {
  __typename ... on CreateTenantSuccess { tenant token } ... on InvalidInput { problems { path code } } } }`;
const made = async (text: string, variables: Record<string, unknown>, token?: string) =>
  (await running.ask(text, variables, token)).data?.made;
const tokenOf = (value: unknown): string => z.object({ token: z.string() }).parse(value).token;
const viewer = async (token: string) => (await running.ask('{ viewer { tenant login } }', {}, token)).data?.viewer;

/** What the operator types beside the database. */
async function command(...words: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = {
    ...inheritedEnvironment(),
    DATABASE_URL: running.databaseUrl,
    NATS_URL: running.nats.url,
    PUBLIC_URL: running.product.url,
  };
  const script = join(repositoryRoot, 'coordinator/src/access-main.ts');
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, [script, ...words], { env })) };
  } catch (error) {
    return z.object({ code: z.number(), stdout: z.string(), stderr: z.string() }).parse(error);
  }
}

test('S2-80 C19 a person is made by a mutation, gets a token, and what is made with it was made by them', async () => {
  const input = { login: 'anna@example.com', displayName: 'Anna' };
  expect(await made(createPerson, { input: { ...input, role: 'ADMIN' } })).toMatchObject({
    __typename: 'CreatePersonSuccess',
    person: input,
  });
  const token = tokenOf(await made(createToken, { input: { name: 'laptop', scopes: ['ADMIN'], login: input.login } }));
  expect(await viewer(token)).toEqual({ tenant: 'default', login: input.login });

  await made(
    `mutation { made: createAiConfiguration(input: { name: "m", provider: "openai", model: "m" }) { __typename } }`,
    {},
    token,
  );
  const agent = `mutation { made: createAgent(input: { name: "hers", instructions: "x", aiConfiguration: "m" }) {
    ... on CreateAgentSuccess { agent { id } } } }`;
  const { agent: hers } = z.object({ agent: z.object({ id: z.string() }) }).parse(await made(agent, {}, token));
  const suite = `mutation ($id: UUID!) { made: createSuite(input: { name: "hers", agentId: $id }) { __typename } }`;
  expect(await made(suite, { id: hers.id }, token)).toMatchObject({ __typename: 'CreateSuiteSuccess' });
  expect(
    await running.rows(
      `select u.login, u.kind, u.display_name from agent_test_suites s join users u on u.id = s.created_by where s.name = 'hers'`,
    ),
  ).toEqual([{ login: input.login, kind: 'person', display_name: 'Anna' }]);
});

test('a login is given once, and no token is made for somebody who is not there', async () => {
  const input = { login: 'twice' };
  await made(createPerson, { input });
  expect(await made(createPerson, { input })).toEqual({
    __typename: 'InvalidInput',
    problems: [{ path: 'login', code: 'duplicate' }],
  });
  expect(await made(createPerson, { input: { login: 'a b' } })).toMatchObject({
    problems: [{ path: 'login', code: 'invalid_format' }],
  });
  expect(await made(createToken, { input: { name: 'x', scopes: ['RUNS_READ'], login: 'nobody' } })).toMatchObject({
    __typename: 'NotFound',
  });
});

test('S2-80 the operator’s own tenant makes others, and no other tenant does', async () => {
  const token = tokenOf(await made(createTenant, { name: 'second' }));
  expect(await viewer(token)).toEqual({ tenant: 'second', login: 'admin' });
  expect(await made(createTenant, { name: 'second' })).toEqual({
    __typename: 'InvalidInput',
    problems: [{ path: 'name', code: 'duplicate' }],
  });
  expect(await made(createTenant, { name: 'A tenant' })).toMatchObject({ problems: [{ path: 'name' }] });
  expect(await made(createTenant, { name: 'third' }, token)).toMatchObject({ __typename: 'NotAllowed' });
  expect(await running.rows(`select name from tenants order by 1`)).toEqual([{ name: 'default' }, { name: 'second' }]);
});

test('S2-80 both are made by a command, which says what it takes', async () => {
  const tenant = await command('tenant', 'typed');
  expect(await viewer(tokenOf(JSON.parse(tenant.stdout)))).toEqual({ tenant: 'typed', login: 'admin' });
  const person = await command('person', 'typed', 'bob', '--name', 'Bob', '--scopes', 'runs:read');
  expect(JSON.parse(person.stdout)).toMatchObject({ tenant: 'typed', login: 'bob', displayName: 'Bob' });
  const token = tokenOf(JSON.parse(person.stdout));
  expect(await viewer(token)).toEqual({ tenant: 'typed', login: 'bob' });
  const { errors } = await running.ask(createPerson, { input: { login: 'x' } }, token);
  expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  expect(await command('person', 'nowhere', 'bob')).toMatchObject({ code: 2, stderr: 'There is no tenant nowhere\n' });
  expect(await command('person', 'typed', 'bob')).toMatchObject({
    ...{ code: 2, stderr: 'There is somebody with the login bob already\n' },
  });
  expect(await command('people')).toMatchObject({ code: 2, stderr: expect.stringContaining('Usage:') });
});
