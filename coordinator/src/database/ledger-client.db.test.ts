import { createRequire } from 'node:module';
import { sql } from 'kysely';
import { expect, inject, it } from 'vitest';
import { openLedger } from './open-ledger.fixture.ts';
import { prepared } from './prepared.ts';
import { asWorker } from './transactions.ts';
import { whenSent } from './unnest.ts';

const connections = 2;
/** More often than there are connections: each that stayed away would be missed. */
const often = Array.from({ length: 3 * connections }, (_, at) => at);

const serves = async (ledger: Awaited<ReturnType<typeof openLedger>>): Promise<unknown> =>
  asWorker(ledger.database, async (em) => (await sql`select 1 as one`.execute(em.getKysely())).rows);

it('is a client of the same pg that the pool of the ORM comes from', () => {
  const own = createRequire(import.meta.url);
  const orm = createRequire(own.resolve('@mikro-orm/postgresql'));
  expect(orm.resolve('pg')).toBe(own.resolve('pg'));
});

it('F38 serves on after Postgres has ended more transactions than the pool has connections', async () => {
  await using ledger = await openLedger(inject('postgresUrl'), connections);
  for (const _ of often) {
    const lost = asWorker(ledger.database, async (em) => {
      await sql`select pg_terminate_backend(pg_backend_pid())`.execute(em.getKysely());
    });
    await expect(lost).rejects.toThrow(/terminating connection|Connection terminated/);
  }
  expect(await serves(ledger)).toEqual([{ one: 1 }]);
});

it('F38 serves on after more transactions could not begin than the pool has connections', async () => {
  await using ledger = await openLedger(inject('postgresUrl'), connections);
  const pool = await ledger.database.worker.em.getConnection().getNativeClient();
  expect(await serves(ledger)).toEqual([{ one: 1 }]);
  const cut = (client: unknown) =>
    (client as { connection: { stream: { destroy: () => void } } }).connection.stream.destroy();
  pool.on('acquire', cut);
  for (const _ of often) await expect(serves(ledger)).rejects.toThrow(/Connection terminated|connection error/);
  pool.off('acquire', cut);
  expect(await serves(ledger)).toEqual([{ one: 1 }]);
});

it('serves on after the parameters of a prepared statement could not be made', async () => {
  await using ledger = await openLedger(inject('postgresUrl'), connections);
  const say = (make: () => string): Promise<unknown> =>
    asWorker(
      ledger.database,
      async (em) => (await sql`${prepared} select ${whenSent(make)}::text as said`.execute(em.getKysely())).rows,
    );
  const broken = () => {
    throw new TypeError('object is no text');
  };
  expect(await say(() => 'one')).toEqual([{ said: 'one' }]);
  for (const _ of often) await expect(say(broken)).rejects.toThrow('object is no text');
  for (const _ of often) expect(await say(() => 'two')).toEqual([{ said: 'two' }]);
});
