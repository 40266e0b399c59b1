import { expect, it } from 'vitest';
import { waitUntil } from '../../../tests/stack/wait-until.ts';
import { ownLedger } from '../story.fixture.ts';
import { createAlone } from './create-alone.ts';

const ledger = await ownLedger();

/** The sessions of this database that have such a lock or wait for it. */
const sessions = () =>
  ledger.query<{ state: string; granted: boolean }>(
    `select a.state, l.granted from pg_locks l join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'advisory' and a.datname = current_database() order by l.granted desc`,
  );

it('whoever creates something keeps the others out without a transaction that Postgres would end', async () => {
  const order: string[] = [];
  const entered = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const first = createAlone(ledger.database, 'comment:acme/shop:1', async () => {
    entered.resolve();
    await release.promise;
    order.push('first');
  });
  await entered.promise;
  const second = createAlone(ledger.database, 'comment:acme/shop:1', async () => void order.push('second'));
  await waitUntil(async () => (await sessions()).length === 2, { what: 'the second one waits' });
  expect(await sessions()).toEqual([
    { state: 'idle', granted: true },
    { state: 'active', granted: false },
  ]);
  await createAlone(ledger.database, 'comment:acme/shop:2', async () => void order.push('another subject'));
  release.resolve();
  await Promise.all([first, second]);
  expect(order).toEqual(['another subject', 'first', 'second']);
  expect(await sessions()).toEqual([]);
});

it('a create that fails lets the next one try', async () => {
  const failing = createAlone(ledger.database, 'check:acme/shop:a', () => Promise.reject(new Error('no answer')));
  await expect(failing).rejects.toThrow('no answer');
  expect(await createAlone(ledger.database, 'check:acme/shop:a', () => Promise.resolve('created'))).toBe('created');
  expect(await sessions()).toEqual([]);
});
