import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { authenticate } from '../../access/authenticate.ts';
import { openBrowserSession } from '../../access/browser-sessions.ts';
import type { Caller } from '../../access/caller.ts';
import type { Ledger } from '../../database/open-ledger.fixture.ts';
import { inTenant } from '../../database/transactions.ts';
import { begin, given, newTenant, ownLedger, type Tenant } from '../../story.fixture.ts';
import { housekeeping } from '../../upkeep/housekeeping.ts';
import { type Ask, asker } from '../ask.fixture.ts';

let ledger: Ledger;
let tenant: Tenant;
let ask: Ask;

beforeAll(async () => {
  ledger = await ownLedger();
  tenant = await newTenant(ledger);
  ask = asker(ledger);
});

async function answered(query: string, caller: Caller = tenant.caller): Promise<unknown> {
  const { data, errors } = await ask(caller, query);
  expect(errors).toEqual([]);
  return Object.values(data ?? {})[0];
}

const Entries = z.object({
  edges: z.array(
    z.object({
      node: z.object({
        ...{ login: z.string().nullable(), token: z.string().nullable(), action: z.string(), subject: z.string() },
        ...{ names: z.array(z.string()), total: z.int(), changes: z.unknown() },
      }),
    }),
  ),
});
const entries = async (filter = '{}', of: Tenant = tenant) =>
  Entries.parse(
    await answered(
      `{ audit(filter: ${filter}) { edges { node { login token action subject names total changes } } } }`,
      of.caller,
    ),
  ).edges.map(({ node }) => node);

const Made = z.object({ token: z.string(), apiToken: z.object({ id: z.string() }) });
const newTokenFor = async (login: string, scopes = 'ADMIN') =>
  Made.parse(
    await answered(
      `mutation { createApiToken(input: { name: "of ${login}", scopes: [${scopes}], login: "${login}" }) {
        ... on CreateApiTokenSuccess { token apiToken { id } } } }`,
    ),
  );
const newService = async (login: string, role: string) =>
  z
    .object({ person: z.object({ id: z.string() }) })
    .parse(
      await answered(
        `mutation { createService(input: { login: "${login}", role: ${role} }) { ... on CreatePersonSuccess { person { id } } } }`,
      ),
    ).person.id;
const callerWith = async (token: string) => given((await authenticate(ledger.database, token, 'token')) ?? undefined);

it('a change is noted with who made it, with which token, and what it was before and after', async () => {
  await newService('planner', 'ADMIN');
  const caller = await callerWith((await newTokenFor('planner')).token);
  await answered(
    'mutation { createAiConfiguration(input: { name: "small", provider: "openai", model: "gpt-5-mini" }) { __typename } }',
    caller,
  );
  const [made] = await ledger.query<{ id: string }>(`select id from model_configurations where name = 'small'`);
  await answered(
    `mutation { updateAiConfiguration(input: { id: "${made?.id}", model: "gpt-5" }) { __typename ... on UserError { message } } }`,
    caller,
  );
  await answered(`mutation { deleteAiConfiguration(id: "${made?.id}") { __typename } }`, caller);
  const who = { login: 'planner', token: 'of planner', subject: 'ai-configuration', names: ['small'], total: 1 };
  expect(await entries('{ subject: "ai-configuration" }')).toMatchObject([
    { ...who, action: 'deleted' },
    { ...who, action: 'changed', changes: { model: ['gpt-5-mini', 'gpt-5'] } },
    { ...who, action: 'created', changes: null },
  ]);
});

it('tokens are noted without a trace of themselves, sessions too, and those of CI jobs not at all', async () => {
  const { token, apiToken } = await newTokenFor('ci', 'RUNS_READ');
  const caller = await callerWith(token);
  const session = given((await openBrowserSession(ledger.database, caller)) ?? undefined);
  await answered(`mutation { revokeApiToken(id: "${apiToken.id}") { __typename } }`);
  await ledger.query(
    `insert into api_tokens (tenant_id, name, token_hash, kind, scopes, user_id) values ($1, 'job', 'x', 'run', '{}', $2)`,
    [tenant.id, tenant.userId],
  );
  const noted = await entries();
  expect(noted.slice(0, 3)).toMatchObject([
    { action: 'changed', subject: 'token', names: ['of ci'], changes: { revoked_at: [null, expect.any(String)] } },
    { action: 'created', subject: 'session', login: 'ci', token: 'of ci' },
    { action: 'created', subject: 'token', names: ['of ci'] },
  ]);
  const [{ hash }] = [
    given(
      (
        await ledger.query<{ hash: string }>('select token_hash as hash from api_tokens where id = $1', [apiToken.id])
      )[0],
    ),
  ];
  const text = JSON.stringify(await ledger.query('select * from audit_entries'));
  for (const secret of [token, session.secret, hash]) expect(text).not.toContain(secret);
});

it('what is stored in one statement is one entry, and what nothing comes of is none', async () => {
  const run = await begin(ledger, tenant);
  const stored = await entries('{ subject: "case" }');
  expect(stored).toMatchObject([{ action: 'created', names: ['case 1', 'case 2', 'case 3'], total: 3 }]);
  await answered(`mutation { cancelRun(id: "${run}") { __typename } }`);
  await answered(`mutation { cancelRun(id: "${run}") { __typename } }`);
  await answered(`mutation { updateRunNotes(id: "${run}", notes: "flaky") { __typename } }`);
  expect(await entries('{ subject: "run" }')).toMatchObject([
    { login: 'ci', action: 'annotated', names: [run] },
    { login: 'ci', action: 'cancelled', names: [run] },
  ]);
  await ledger.query('update model_configurations set name = name');
  expect(await entries('{ subject: "ai-configuration" }')).toHaveLength(3);
});

it('a change that is rolled back is noted nowhere, and no request can touch what was noted', async () => {
  const before = (await entries()).length;
  const failing = inTenant(ledger.database, tenant.id, async (em) => {
    await em.execute(`update users set display_name = 'changed' where login = 'ci'`);
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await entries()).toHaveLength(before);
  for (const statement of ['delete from audit_entries', `update audit_entries set action = 'nothing'`])
    await expect(inTenant(ledger.database, tenant.id, (em) => em.execute(statement))).rejects.toThrow(/permission/);
});

it('another tenant, and whoever is no admin, sees none of it', async () => {
  const other = await newTenant(ledger);
  expect((await entries('{}', other)).map(({ names }) => names)).toEqual([['ci']]);
  const reader = { ...tenant.caller, scopes: new Set(['runs:read' as const]) };
  expect((await ask(reader, '{ audit { edges { node { id } } } }')).errors).toMatchObject([
    { extensions: { code: 'FORBIDDEN' } },
  ]);
});

it('what was noted is removed after the days that the operator gives it', async () => {
  await ledger.query(`update audit_entries set at = now() - interval '401 days' where subject = 'case'`);
  const going = new AbortController().signal;
  expect(await housekeeping(ledger.database, { auditDays: 400 }).run(going)).toMatchObject({ auditEntries: 1 });
  expect(await entries('{ subject: "case" }')).toEqual([]);
});

it('the role of somebody bounds all tokens of theirs at once, and nobody changes his own', async () => {
  const id = await newService('nightly', 'CI');
  const { token } = await newTokenFor('nightly');
  expect((await callerWith(token)).scopes).not.toContain('admin');
  expect((await callerWith(token)).scopes).toContain('baseline:write');
  const change = (how: string, of = id) =>
    `mutation { changePerson(id: "${of}", ${how}) { __typename ... on ChangePersonSuccess { person { role scopes disabledAt } } } }`;
  expect(await answered(change('role: READER'))).toMatchObject({ person: { role: 'READER', scopes: ['RUNS_READ'] } });
  expect([...(await callerWith(token)).scopes]).toEqual(['runs:read']);
  await answered(change('isDisabled: true'));
  expect(await authenticate(ledger.database, token, 'token')).toBeNull();
  await answered(change('isDisabled: false'));
  expect([...(await callerWith(token)).scopes]).toEqual(['runs:read']);
  expect(await answered(change('role: READER', tenant.userId))).toMatchObject({ __typename: 'NotAllowed' });
  const listed = await answered('{ people(first: 2) { edges { node { login kind role } } pageInfo { hasNextPage } } }');
  expect(listed).toMatchObject({
    edges: [{ node: { login: 'ci', kind: 'SERVICE', role: 'ADMIN' } }, { node: { login: 'nightly', role: 'READER' } }],
    pageInfo: { hasNextPage: true },
  });
});
