import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Migration } from '@mikro-orm/migrations';
import pg from 'pg';
import { expect, inject, it } from 'vitest';
import { createDatabase, dropDatabase } from '../../../tests/stack/databases.ts';
import { inheritedEnvironment } from '../../../tests/stack/environment.ts';
import { repositoryRoot } from '../../../tests/stack/processes.ts';
import { migrate } from './migrate.ts';
import { migrations, whyNotCarriedOn } from './migrations.ts';
import { asUser, openLedger } from './open-ledger.fixture.ts';

class KeepNotes extends Migration {
  override up(): void {
    this.addSql('alter table test_cases add column note text, add column votes int not null default 0');
  }
}

/** The statements of a migration during which nobody could write. */
function whatBlocks(source: string): string[] {
  const rebuilds = /create (unique )?index (?!concurrently)|add constraint (?![^;]*not valid)/i;
  // A table that the same migration makes has no rows and no writers yet.
  const made = Array.from(source.matchAll(/create table (\w+)/g), ([, table]) => table);
  const statements = source.split(/[`;]/).filter((one) => rebuilds.test(one));
  return statements.filter((one) => !made.some((table) => one.includes(` on ${table} `)));
}

it('is made once by two coordinators that start together, and a second migration is a no-op (S2-82)', async () => {
  const postgresUrl = inject('postgresUrl');
  const databaseUrl = await createDatabase(postgresUrl);
  try {
    const urls = {
      databaseUrl,
      appUrl: asUser(databaseUrl, 'proofmark_app'),
      workerUrl: asUser(databaseUrl, 'proofmark_worker'),
    };
    const both = await Promise.all([migrate(urls), migrate(urls)]);
    const counts = both.map((done) => (done.ok ? done.applied.length : Number.NaN));
    expect(counts.toSorted((a, b) => a - b)).toEqual([0, migrations.length]);
    expect(await migrate(urls)).toEqual({ ok: true, applied: [] });
  } finally {
    await dropDatabase(postgresUrl, databaseUrl);
  }
});

it('is made on an empty database by the command db:migrate, whose second run is a no-op, and db:generate finds nothing to add (S2-82)', async () => {
  const postgresUrl = inject('postgresUrl');
  const databaseUrl = await createDatabase(postgresUrl);
  const run = promisify(execFile);
  const command = async (name: string): Promise<string> => {
    const env = { ...inheritedEnvironment(), DATABASE_URL: databaseUrl };
    const cwd = join(repositoryRoot, 'coordinator');
    return (await run('npm', ['run', '--silent', name], { cwd, env })).stdout;
  };
  try {
    expect(await command('db:migrate')).toBe(`Applied ${migrations.map(({ name }) => name).join(', ')}.\n`);
    expect(await command('db:migrate')).toBe('The schema is up to date.\n');
    expect(await command('db:generate')).toBe('The migrations say all that the entities say.\n');
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query(`update schema_migrations set name = '0001-create-tables' where name like '0001-%'`);
    await client.end();
    // Made before the first release: one sentence that says what to do, and nothing is touched.
    await expect(command('db:migrate')).rejects.toMatchObject({
      code: 78,
      stdout: '',
      stderr: `${whyNotCarriedOn(['0001-create-tables'])}\n`,
    });
  } finally {
    await dropDatabase(postgresUrl, databaseUrl);
  }
});

it('leaves rows valid that an older version has stored: what came later is null or has its default (S4-45)', async () => {
  const postgresUrl = inject('postgresUrl');
  const databaseUrl = await createDatabase(postgresUrl);
  const urls = {
    databaseUrl,
    appUrl: asUser(databaseUrl, 'proofmark_app'),
    workerUrl: asUser(databaseUrl, 'proofmark_worker'),
  };
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const until = migrations.findIndex(({ name }) => name.includes('definitions'));
    expect(await migrate(urls, { steps: migrations.slice(0, until + 1) })).toMatchObject({ ok: true });
    await client.query(
      `with t as (insert into tenants (name) values ('old') returning id),
         u as (insert into users (tenant_id, login) select id, 'anna' from t returning tenant_id, id),
         a as (insert into agents (tenant_id, name) select tenant_id, 'Desk' from u returning tenant_id, id),
         s as (insert into agent_test_suites (tenant_id, agent_id, name, created_by)
           select a.tenant_id, a.id, 'Hours', u.id from a cross join u returning tenant_id, id)
       insert into test_cases (tenant_id, suite_id, name) select tenant_id, id, 'Closing' from s`,
    );
    const steps = [...migrations, { name: '9999-keep-notes', class: KeepNotes }];
    expect(await migrate(urls, { steps })).toMatchObject({ ok: true, applied: { length: steps.length - until - 1 } });
    const { rows } = await client.query(
      `select c.name, c.variables, c.user_context, c.status, c.note, c.votes, s.variables as suite_variables, s.is_enabled
       from test_cases c join agent_test_suites s on s.id = c.suite_id`,
    );
    expect(rows).toEqual([
      {
        name: 'Closing',
        variables: null,
        user_context: null,
        status: 'active',
        note: null,
        votes: 0,
        suite_variables: null,
        is_enabled: true,
      },
    ]);
    await client.query(`update test_cases set name = 'Closing time'`);
  } finally {
    await client.end();
    await dropDatabase(postgresUrl, databaseUrl);
  }
});

it('gives way to whoever holds a lock that a migration needs, and takes it up again', async () => {
  await using other = await openLedger(inject('postgresUrl'));
  const holder = new pg.Client({ connectionString: other.url });
  await holder.connect();
  await holder.query('begin; lock table test_cases in access exclusive mode');
  const waited = Promise.withResolvers<string>();
  const urls = { databaseUrl: other.url, appUrl: other.appUrl, workerUrl: other.workerUrl };
  const steps = [...migrations, { name: '9999-keep-notes', class: KeepNotes }];
  const migrated = migrate(urls, { steps, onWaiting: waited.resolve });
  expect(await waited.promise).toMatch(/waits for a lock on its table; attempt 1 of/);
  await holder.query('rollback');
  expect(await migrated).toEqual({ ok: true, applied: ['9999-keep-notes'] });
  await holder.end();
});

it('is changed beside those who write: indexes concurrently, constraints validated afterwards', async () => {
  const folder = join(repositoryRoot, 'coordinator/migrations');
  const names = await readdir(folder);
  const blocking: string[] = [];
  for (const name of names) {
    const found = whatBlocks(await readFile(join(folder, name), 'utf8'));
    if (found.length > 0) blocking.push(`${name}: ${found.join('; ')}`);
  }
  expect(names).toHaveLength(migrations.length);
  expect(blocking).toEqual([]);
  const table = '`create table notes (id uuid)`; `create index notes_idx on notes (id)`;';
  const index = 'create unique index runs_note_idx on runs (note)';
  const check = 'alter table runs add constraint runs_note_check check (note is not null)';
  const gently =
    '`create index concurrently a on runs (note)`; `alter table runs add constraint b check (a) not valid`';
  expect(whatBlocks(`${table} \`${index}\`; ${gently}; \`${check}\``)).toEqual([index, check]);
});
