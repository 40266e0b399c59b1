import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { expect, inject, it } from 'vitest';
import { createDatabase, dropDatabase } from '../../../tests/stack/databases.ts';
import { inheritedEnvironment } from '../../../tests/stack/environment.ts';
import { repositoryRoot } from '../../../tests/stack/processes.ts';
import { migrate, openOwner } from './migrate.ts';
import { migrations } from './migrations.ts';
import { asUser } from './open-ledger.fixture.ts';
import { appRole, ensureRoles, loginOf, workerRole } from './roles.ts';

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
    expect(both.map((names) => names.length).toSorted((a, b) => a - b)).toEqual([0, migrations.length]);
    expect(await migrate(urls)).toEqual([]);
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
    await ensureRoles(client, [loginOf(appRole, urls.appUrl), loginOf(workerRole, urls.workerUrl)]);
    const owner = await openOwner(databaseUrl);
    for (const { name } of migrations) {
      await owner.migrator.up({ migrations: [name] });
      const { rows } = await client.query(`select to_regclass('public.test_cases') is not null as known`);
      if (rows[0]?.known === true) break;
    }
    await owner.close(true);
    await client.query(
      `with t as (insert into tenants (name) values ('old') returning id),
         u as (insert into users (tenant_id, login) select id, 'anna' from t returning tenant_id, id),
         a as (insert into agents (tenant_id, name) select tenant_id, 'Desk' from u returning tenant_id, id),
         s as (insert into agent_test_suites (tenant_id, agent_id, name, created_by)
           select a.tenant_id, a.id, 'Hours', u.id from a cross join u returning tenant_id, id)
       insert into test_cases (tenant_id, suite_id, name) select tenant_id, id, 'Closing' from s`,
    );
    expect((await migrate(urls)).length).toBeGreaterThan(0);
    const { rows } = await client.query(
      `select c.name, c.variables, c.user_context, c.status, s.variables as suite_variables, s.is_enabled
       from test_cases c join agent_test_suites s on s.id = c.suite_id`,
    );
    expect(rows).toEqual([
      {
        name: 'Closing',
        variables: null,
        user_context: null,
        status: 'active',
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
