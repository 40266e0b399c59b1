import { expect, it } from 'vitest';
import { countStatements } from '../graphql/ask.fixture.ts';
import { newTenant, ownLedger } from '../story.fixture.ts';
import { createApiToken, revokeApiToken } from './api-tokens.ts';
import { authenticate } from './authenticate.ts';

const ledger = await ownLedger();

async function newToken() {
  const tenant = await newTenant(ledger);
  const made = await createApiToken(ledger.database, tenant.caller, { name: 'ci', scopes: ['runs:read'] });
  if (!made.ok) expect.fail('there is no token');
  const { token, apiToken } = made;
  await authenticate(ledger.database, token, 'token');
  return { tenant, token, id: apiToken.id, who: { tenantId: tenant.id, tokenId: apiToken.id } };
}

const all = (tokens: readonly string[]) =>
  Promise.all(tokens.map((token) => authenticate(ledger.database, token, 'token')));

it('all who come at the same moment are looked up with one statement, and each is told apart', async () => {
  const [one, other] = [await newToken(), await newToken()];
  const unknown = `${one.token.slice(0, -1)}${one.token.endsWith('A') ? 'B' : 'A'}`;
  const counted = countStatements();
  const callers = await all([one.token, other.token, unknown, one.token, 'nothing of ours']);
  counted.stop();
  expect(callers).toMatchObject([one.who, other.who, null, one.who, null]);
  expect(counted.count()).toBe(1);
});

it('a token that is revoked opens nothing for the next one', async () => {
  const { tenant, token, id } = await newToken();
  await revokeApiToken(ledger.database, tenant.caller, id);
  expect(await all([token, token])).toEqual([null, null]);
});
