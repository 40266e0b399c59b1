import { sql } from 'kysely';
import pg from 'pg';
import { beforeAll, expect, it } from 'vitest';
import { judgedRuns } from '../judging/judged-runs.fixture.ts';
import { begin, given, newTenant, ownLedger, suiteFile } from '../story.fixture.ts';
import { asWorker, inTenant, readInTenant } from './transactions.ts';

// Few connections, so that tenants take turns on each of them.
const ledger = await ownLedger(4);
const acme = await newTenant(ledger);
const rival = await newTenant(ledger);
beforeAll(async () => {
  await begin(ledger, acme);
  await begin(ledger, rival);
  // As if both were still being queued.
  await ledger.query(`insert into queue_plans (tenant_id, run_id, run_seed, total, settings, parts, rounds, round, part)
    select tenant_id, id, '', 1, '[]', 1, 1, 1, 0 from runs`);
  await ledger.query(
    `insert into queue_plan_parts (tenant_id, run_id, part, lines) select tenant_id, id, 0, '[]' from runs`,
  );
});

const isolated = [
  'agent_test_suites',
  'test_cases',
  'test_suite_runs',
  'runs',
  'chunks',
  'planned_test_runs',
  'work_contents',
  'queue_plans',
  'queue_plan_parts',
  'users',
  'definition_files',
];

async function asApp<Row extends pg.QueryResultRow>(statements: string[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString: ledger.appUrl });
  await client.connect();
  try {
    let rows: Row[] = [];
    for (const statement of statements) rows = (await client.query<Row>(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

const tenantsOf = (tenantId: string, table: string) =>
  inTenant(ledger.database, tenantId, async (em) => {
    const rows = await em.execute<{ tenant_id: string }[]>(`select distinct tenant_id from ${table}`);
    return rows.map((row) => row.tenant_id);
  });

it('shows no rows without a tenant, whether the setting is absent or empty (S2-87, R3)', async () => {
  for (const table of isolated) {
    const count = `select count(*)::int as count from ${table}`;
    expect(await asApp([count])).toEqual([{ count: 0 }]);
    expect(await asApp([`select set_config('app.tenant_id', '', false)`, count])).toEqual([{ count: 0 }]);
  }
});

it('shows a tenant its own rows and nobody else’s (S2-86)', async () => {
  for (const table of isolated) expect(await tenantsOf(acme.id, table)).toEqual([acme.id]);
  const tenants = await inTenant(ledger.database, acme.id, (em) => em.execute('select id from tenants'));
  expect(tenants).toEqual([{ id: acme.id }]);
});

it('reads for many at once on few connections, each the rows of its own tenant, whatever fails beside it', async () => {
  const ofSuites = (tenantId: string) =>
    readInTenant(
      ledger.database,
      tenantId,
      sql<{ tenant_id: string }>`select distinct tenant_id from agent_test_suites`,
    );
  const failing = (tenantId: string) => readInTenant(ledger.database, tenantId, sql`select 1 / 0`);
  const asker = async (number: number) => {
    for (let at = number; at < number + 6; at += 1) {
      const { id } = at % 2 === 0 ? acme : rival;
      if (at % 3 === 2) await expect(failing(id)).rejects.toMatchObject({ code: '22012' });
      else expect(await ofSuites(id)).toEqual([{ tenant_id: id }]);
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, number) => asker(number)));
  // Whoever comes next on such a connection without a tenant sees nothing.
  const nobody = await ledger.database.app.em.fork().execute('select count(*)::int as count from agent_test_suites');
  expect(nobody).toEqual([{ count: 0 }]);
});

it('only reads what is asked in one way, and takes no tenant for SQL', async () => {
  const written = readInTenant(ledger.database, acme.id, sql`update users set login = 'intruder'`);
  await expect(written).rejects.toMatchObject({ code: '25006' });
  const smuggled = readInTenant(ledger.database, `'; commit; select '`, sql`select id from users`);
  await expect(smuggled).rejects.toMatchObject({ code: '22P02' });
});

it('lets a tenant insert, update and delete its own suites and leaves those of others alone (S2-85)', async () => {
  const changed = await inTenant(ledger.database, acme.id, async (em) => {
    const mine = await em.execute<{ id: string }[]>(
      `insert into agent_test_suites (tenant_id, agent_id, name, created_by)
       select tenant_id, id, 'mine', ?::uuid from agents limit 1 returning id`,
      [acme.userId],
    );
    const all = await em.execute<object[]>(`update agent_test_suites set description = 'seen' returning tenant_id`);
    await em.execute('delete from agent_test_suites where id = ?', [given(mine[0]).id]);
    return all;
  });
  expect(changed).toEqual([{ tenant_id: acme.id }, { tenant_id: acme.id }]);
  expect(
    await ledger.query('select distinct description from agent_test_suites where tenant_id = $1', [rival.id]),
  ).toEqual([{ description: null }]);
});

it('refuses a row that names another tenant (S2-88)', async () => {
  const insert = inTenant(ledger.database, acme.id, async (em) => {
    await em.execute(`insert into users (tenant_id, login) values (?, 'intruder')`, [rival.id]);
  });
  await expect(insert).rejects.toMatchObject({ code: '42501' });
});

it('refuses to move a row to another tenant (S2-88)', async () => {
  const update = inTenant(ledger.database, acme.id, async (em) => {
    await em.execute('update users set tenant_id = ?', [rival.id]);
  });
  await expect(update).rejects.toMatchObject({ code: '42501' });
});

it('refuses a row that points at a parent of another tenant (S2-89, R4)', async () => {
  const [suite] = await ledger.query<{ id: string }>('select id from agent_test_suites where tenant_id = $1', [
    rival.id,
  ]);
  const insert = inTenant(ledger.database, acme.id, async (em) => {
    await em.execute(`insert into test_cases (tenant_id, suite_id, name) values (?, ?, 'smuggled')`, [
      acme.id,
      given(suite).id,
    ]);
  });
  await expect(insert).rejects.toMatchObject({ code: '23503' });
});

it('lets two tenants use the same names (R5)', async () => {
  for (const tenant of [acme, rival]) {
    await inTenant(ledger.database, tenant.id, async (em) => {
      await em.execute(`insert into presets (tenant_id, name, "values") values (?, 'fast', '{}')`, [tenant.id]);
    });
  }
  const again = inTenant(ledger.database, acme.id, async (em) => {
    await em.execute(`insert into presets (tenant_id, name, "values") values (?, 'fast', '{}')`, [acme.id]);
  });
  await expect(again).rejects.toMatchObject({ code: '23505' });
});

it('leaks nothing over 200 interleaved reads of two tenants on 4 connections (R7)', async () => {
  // More askers than connections, and few enough that none waits for its turn as long as a slow machine gives up.
  const asker = async (number: number) => {
    for (let at = number; at < number + 25; at += 1) {
      const tenant = at % 2 === 0 ? acme : rival;
      expect(await tenantsOf(tenant.id, 'test_cases')).toEqual([tenant.id]);
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, number) => asker(number)));
});

it('leaves no tenant behind on a connection after commit or rollback (R7)', async () => {
  const failing = inTenant(ledger.database, acme.id, () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');
  const outside = Array.from({ length: 8 }, () =>
    ledger.database.app.em.fork().transactional(async (em) => await em.execute('select id from runs')),
  );
  expect((await Promise.all(outside)).flat()).toEqual([]);
});

it('gives the loops what they need and nothing of the models and presets of a tenant (R1)', async () => {
  const seen = await asWorker(ledger.database, async (em) => await em.execute('select distinct tenant_id from runs'));
  expect(seen).toHaveLength(2);
  for (const table of ['model_configurations', 'presets', 'test_types']) {
    const read = asWorker(ledger.database, (em) => em.execute(`select * from ${table}`));
    await expect(read).rejects.toMatchObject({ code: '42501' });
  }
});

it('keeps what the loops remember from requests (R1)', async () => {
  for (const table of [
    'runner_sessions',
    'dead_letters',
    'used_token_ids',
    'webhook_deliveries',
    'installation_pace',
    'coordinator_beats',
  ]) {
    await expect(asApp([`select * from ${table}`])).rejects.toMatchObject({ code: '42501' });
  }
});

it('lets nobody rewrite a result (P5)', async () => {
  const update = 'update test_case_results set status = status';
  await expect(asApp([`select set_config('app.tenant_id', '${acme.id}', false)`, update])).rejects.toMatchObject({
    code: '42501',
  });
  await expect(asWorker(ledger.database, (em) => em.execute(update))).rejects.toMatchObject({ code: '42501' });
});

it('removes everything of a tenant with the tenant (S2-02, S2-23, S2-43, S2-62)', async () => {
  const gone = await newTenant(ledger);
  const { start, execute, judge } = judgedRuns(ledger, gone);
  const runId = await start({ trigger: { triggeredBy: 'api' }, text: suiteFile() });
  await execute(runId, () => true);
  await judge(runId);
  const held = async () => {
    const tables = await ledger.query<{ name: string }>(
      `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'tenant_id'`,
    );
    const rows = await Promise.all(
      tables.map(({ name }) =>
        ledger.query(`select '${name}' as name from ${name} where tenant_id = $1 limit 1`, [gone.id]),
      ),
    );
    return rows.flat().map(({ name }) => name);
  };
  expect(await held()).toEqual(expect.arrayContaining(['test_cases', 'test_case_results', 'case_summaries']));
  await ledger.query('delete from tenants where id = $1', [gone.id]);
  expect(await held()).toEqual([]);
});
