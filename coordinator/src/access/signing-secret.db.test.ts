import { expect, it } from 'vitest';
import { inTenant } from '../database/transactions.ts';
import { newTenant, ownLedger } from '../story.fixture.ts';
import { keyFor, signingSecret } from './signing-secret.ts';

const ledger = await ownLedger();

it('without a secret of the operator all replicas sign with one that is random, and that no request can read', async () => {
  const [one, other] = await Promise.all([
    signingSecret(ledger.database, undefined),
    signingSecret(ledger.database, undefined),
  ]);
  expect(one).toMatch(/^[0-9a-f]{64}$/);
  expect(other).toBe(one);
  expect(ledger.workerUrl).not.toContain(one);
  const { id } = await newTenant(ledger);
  const reading = inTenant(ledger.database, id, (em) => em.execute('select value from stored_secrets'));
  await expect(reading).rejects.toThrow(/permission denied/);
});

it('the secret of the operator counts alone, and each purpose has a key of its own', async () => {
  const given = 'x'.repeat(32);
  expect(await signingSecret(ledger.database, given)).toBe(given);
  expect(keyFor('blobs', given)).not.toEqual(keyFor('downloads', given));
  expect(keyFor('blobs', given)).toEqual(keyFor('blobs', given));
});
