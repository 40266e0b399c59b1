import { describe, expect, inject, it } from 'vitest';
import { newTenant, ownLedger } from '../story.fixture.ts';
import { checkLedger } from './check-ledger.ts';
import { openOwner } from './migrate.ts';
import { whyNotCarriedOn } from './migrations.ts';
import { openLedger } from './open-ledger.fixture.ts';

const ledger = await ownLedger();

interface ColumnRow {
  name: string;
  type: string;
  nullable: boolean;
  fallback: string | null;
}

/** The columns of a table as `name type [null] [= default]`. */
async function columnsOf(table: string): Promise<string[]> {
  const rows = await ledger.query<ColumnRow>(
    `select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, not a.attnotnull as nullable,
       pg_get_expr(d.adbin, d.adrelid) as fallback
     from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
     where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped`,
    [table],
  );
  return rows.map(
    ({ name, type, nullable, fallback }) =>
      `${name} ${type}${nullable ? ' null' : ''}${fallback === null ? '' : ` = ${fallback}`}`,
  );
}

async function indexesOf(table: string): Promise<string[]> {
  const rows = await ledger.query<{ definition: string }>(
    `select replace(indexdef, ' ON public.', ' on ') as definition from pg_indexes where tablename = $1 order by 1`,
    [table],
  );
  return rows.map(({ definition }) => definition);
}

async function foreignKeysOf(table: string): Promise<string[]> {
  const rows = await ledger.query<{ definition: string }>(
    `select pg_get_constraintdef(oid) as definition from pg_constraint where conrelid = $1::regclass and contype = 'f'`,
    [table],
  );
  return rows.map(({ definition }) => definition);
}

describe('schema', () => {
  it('is what the entities say: migrations and entities have not drifted apart (S2-81, S4-46, C25)', async () => {
    const owner = await openOwner(ledger.url);
    try {
      expect(await owner.schema.getUpdateSchemaSQL()).toBe('');
      expect(await owner.migrator.checkSchema()).toBe(false);
    } finally {
      await owner.close(true);
    }
  });

  it('has tables and columns in snake_case (C10)', async () => {
    const columns = await ledger.query<{ place: string; table: string; column: string }>(
      `select table_name || '.' || column_name as place, table_name as table, column_name as column
       from information_schema.columns where table_schema = 'public'`,
    );
    expect(columns.length).toBeGreaterThan(200);
    const isPlain = (name: string) => /^[a-z][a-z0-9_]*$/.test(name);
    const others = columns.filter(({ table, column }) => !isPlain(table) || !isPlain(column));
    expect(others.map(({ place }) => place)).toEqual([]);
  });

  it('is accepted at start-up, apart from the durability that tests give up', async () => {
    const findings = await checkLedger(ledger.database);
    expect(findings.filter(({ kind }) => kind !== 'durability')).toEqual([]);
  });

  it('is refused at start-up when the login is a superuser or migrations are missing', async () => {
    await using other = await openLedger(inject('postgresUrl'));
    await other.query(`delete from schema_migrations where name like '0006%'`);
    const superuser = { ...other.database, app: other.database.worker };
    expect((await checkLedger(superuser)).map(({ kind }) => kind)).toContain('schema');
    const owner = await openOwner(other.url);
    try {
      expect((await checkLedger({ ...other.database, app: owner })).map(({ message }) => message).join()).toContain(
        'owner of tables',
      );
    } finally {
      await owner.close(true);
    }
  });

  it('is refused at start-up when no release carries it on', async () => {
    await using other = await openLedger(inject('postgresUrl'));
    await other.query(`update schema_migrations set name = '0009-protect-tenants' where name like '0009-%'`);
    expect((await checkLedger(other.database)).filter(({ kind }) => kind === 'schema')).toEqual([
      { kind: 'schema', message: whyNotCarriedOn(['0009-protect-tenants']) },
    ]);
  });

  it('serves coordinators that know all it needs, however far it is ahead, and refuses those that do not', async () => {
    await using other = await openLedger(inject('postgresUrl'));
    const refused = async () =>
      (await checkLedger(other.database)).filter(({ kind }) => kind !== 'durability').map(({ message }) => message);
    await other.query(`insert into schema_migrations (name) values ('9998-add-something'), ('9999-add-more')`);
    expect(await refused()).toEqual([]);
    await other.query(`insert into schema_needs (name) values ('9998-add-something')`);
    expect(await refused()).toEqual(['The schema is for coordinators that know 9998-add-something: use a newer one']);
  });

  it('is refused at start-up when somebody has let tenants see each other', async () => {
    await using other = await openLedger(inject('postgresUrl'));
    const refused = async () => (await checkLedger(other.database)).map(({ message }) => message).join('\n');
    await other.query('alter table runs no force row level security');
    await other.query('alter table presets disable row level security');
    expect(await refused()).toContain('Row-level security is not forced on presets, runs: tenants would not be apart');
    await other.query('grant create on schema public to public');
    expect(await refused()).toContain('is allowed to create tables in the schema public');
    const owner = await openOwner(other.url);
    try {
      const asOwner = { ...other.database, worker: owner };
      expect((await checkLedger(asOwner)).map(({ message }) => message).join()).toContain(
        'The login proofmark_owner is',
      );
    } finally {
      await owner.close(true);
    }
  });

  it('has the tables that seed 002 refers to, and their foreign keys point there (S2-79)', async () => {
    for (const [table, targets] of [
      ['agent_test_suites', ['tenants', 'agents', 'model_configurations', 'users']],
      ['test_cases', ['agent_test_suites']],
      ['test_suite_runs', ['tenants', 'agent_test_suites', 'runs', 'users']],
      ['test_case_results', ['test_suite_runs', 'test_cases']],
    ] as const) {
      const keys = (await foreignKeysOf(table)).join('\n');
      for (const target of targets) expect(keys).toMatch(new RegExp(`REFERENCES ${target}\\(`));
    }
  });
});

describe('agent_test_suites', () => {
  it('has the columns of the seed (S2-01, S2-02, S2-03, S2-04, S2-05, S2-06, S2-07, S2-08, S2-09, S2-10, S2-11, S2-13, S2-14, S2-15, S2-16, S2-17)', async () => {
    expect(await columnsOf('agent_test_suites')).toEqual(
      expect.arrayContaining([
        'id uuid = gen_random_uuid()',
        'tenant_id uuid',
        'agent_id uuid',
        'name text',
        'description text null',
        `schedule_type text = 'manual'::text`,
        'schedule_time text null',
        'schedule_day_of_week integer null',
        'llm_judge_model_config_id uuid null',
        'alert_on_regression boolean = true',
        'alert_threshold_percent integer = 10',
        'is_enabled boolean = true',
        'created_by uuid',
        'created_at timestamp with time zone = now()',
        'updated_at timestamp with time zone = now()',
        'deleted_at timestamp with time zone null',
      ]),
    );
  });

  it('has the indexes of the seed under their names (S2-18, S2-19, S2-20)', async () => {
    const indexes = await indexesOf('agent_test_suites');
    expect(indexes).toContain('CREATE INDEX agent_test_suites_tenant_idx on agent_test_suites USING btree (tenant_id)');
    expect(indexes).toContain('CREATE INDEX agent_test_suites_agent_idx on agent_test_suites USING btree (agent_id)');
    expect(indexes).toContain(
      'CREATE UNIQUE INDEX agent_test_suites_agent_name_key on agent_test_suites USING btree (tenant_id, agent_id, name) WHERE (deleted_at IS NULL)',
    );
  });

  it('goes with its tenant and its agent, and only forgets its judge (S2-02, S2-03, S2-09)', async () => {
    const keys = await foreignKeysOf('agent_test_suites');
    expect(keys).toContain('FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE');
    expect(keys).toContain('FOREIGN KEY (tenant_id, agent_id) REFERENCES agents(tenant_id, id) ON DELETE CASCADE');
    expect(keys).toContain(
      'FOREIGN KEY (tenant_id, llm_judge_model_config_id) REFERENCES model_configurations(tenant_id, id) ON DELETE SET NULL (llm_judge_model_config_id)',
    );
  });
});

describe('test_cases', () => {
  it('has the columns of the seeds (S2-21, S2-22, S2-23, S2-24, S2-25, S2-26, S2-27, S2-28, S2-29, S2-30, S2-31)', async () => {
    expect(await columnsOf('test_cases')).toEqual(
      expect.arrayContaining([
        'id uuid = gen_random_uuid()',
        'suite_id uuid',
        'tenant_id uuid',
        'name text',
        'description text null',
        'question text null',
        'expected_behavior jsonb null',
        'sort_order integer = 0',
        'is_enabled boolean = true',
        'created_at timestamp with time zone = now()',
        'updated_at timestamp with time zone = now()',
        'deleted_at timestamp with time zone null',
      ]),
    );
  });

  it('keeps tags as TEXT[] with a GIN index (S1-53, S1-54)', async () => {
    expect(await columnsOf('test_cases')).toContain(`tags text[] = '{}'::text[]`);
    expect(await indexesOf('test_cases')).toContain('CREATE INDEX test_cases_tags_idx on test_cases USING gin (tags)');
  });

  it('keeps persona, context, outcomes and tool expectations as nullable JSONB (S1-55, S1-56)', async () => {
    const columns = await columnsOf('test_cases');
    for (const name of ['persona', 'user_context', 'expected_outcomes', 'expected_tool_calls'])
      expect(columns).toContain(`${name} jsonb null`);
    expect(columns.filter((column) => / jsonb(?! null)/.test(column))).toEqual([]);
  });

  it('has the indexes of the seed under their names (S2-39, S2-40)', async () => {
    const indexes = await indexesOf('test_cases');
    expect(indexes).toContain('CREATE INDEX test_cases_suite_idx on test_cases USING btree (suite_id)');
    expect(indexes).toContain('CREATE UNIQUE INDEX test_cases_tenant_idx on test_cases USING btree (tenant_id, id)');
  });

  it('has an index for each order and filter that reads all cases of a tenant', async () => {
    const indexes = await indexesOf('test_cases');
    for (const [kind, name, columns] of [
      ['INDEX', 'created_at_idx', 'tenant_id, created_at, id'],
      ['UNIQUE INDEX', 'suite_name_key', 'tenant_id, name, suite_id'],
    ])
      expect(indexes).toContain(
        `CREATE ${kind} test_cases_${name} on test_cases USING btree (${columns}) WHERE (deleted_at IS NULL)`,
      );
  });
});

describe('test_suite_runs', () => {
  it('has the columns of the seed (S2-41, S2-42, S2-43, S2-44, S2-45, S2-46, S2-47, S2-48, S2-49, S2-50, S2-52, S2-53, S2-54)', async () => {
    expect(await columnsOf('test_suite_runs')).toEqual(
      expect.arrayContaining([
        'id uuid = gen_random_uuid()',
        'suite_id uuid',
        'tenant_id uuid',
        `status text = 'pending'::text`,
        'triggered_by text',
        'triggered_by_user_id uuid null',
        'total_cases integer = 0',
        'passed_cases integer = 0',
        'failed_cases integer = 0',
        'skipped_cases integer = 0',
        'errored_cases integer = 0',
        'started_at timestamp with time zone null',
        'completed_at timestamp with time zone null',
        'error_message text null',
        'created_at timestamp with time zone = now()',
      ]),
    );
  });

  it('has the indexes of the seed under their names (S2-55, S2-56, S2-57, S2-58)', async () => {
    const indexes = await indexesOf('test_suite_runs');
    for (const [name, kind] of [
      ['suite', 'btree (suite_id)'],
      ['tenant', 'btree (tenant_id)'],
      ['status', 'btree (status)'],
      ['created_at', 'btree (created_at)'],
    ]) {
      expect(indexes).toContain(`CREATE INDEX test_suite_runs_${name}_idx on test_suite_runs USING ${kind}`);
    }
  });
});

describe('test_case_results', () => {
  it('has the columns of the seed (S2-59, S2-60, S2-61, S2-62, S2-63, S2-64, S2-65, S2-66, S2-67, S2-68, C23)', async () => {
    expect(await columnsOf('test_case_results')).toEqual(
      expect.arrayContaining([
        'id uuid = gen_random_uuid()',
        'run_id uuid',
        'test_case_id uuid',
        'tenant_id uuid',
        'status text',
        'actual_response text null',
        'check_results jsonb null',
        'duration_ms integer null',
        'latency_ms double precision null',
        'error_message text null',
        'created_at timestamp with time zone = now()',
      ]),
    );
  });

  it('has the indexes of the seed under their names, and one row per case, repetition and variant (S2-75, S2-76, S2-77, S2-78, C24, C25)', async () => {
    const indexes = await indexesOf('test_case_results');
    expect(indexes).toContain(
      'CREATE INDEX test_case_results_run_idx on test_case_results USING btree (run_id, tenant_id, sort_order, repetition, id)',
    );
    expect(indexes).toContain(
      'CREATE UNIQUE INDEX test_case_results_tenant_idx on test_case_results USING btree (tenant_id, id)',
    );
    expect(indexes).toContain(
      'CREATE UNIQUE INDEX test_case_results_test_case_idx on test_case_results USING btree (test_case_id, run_id, repetition, variant, tenant_id)',
    );
  });
});

describe('variables', () => {
  it('are stored as nullable JSONB on every level (S4-09, S4-39, S4-40, S4-41, S4-42, S4-43, S4-44, S4-46, S4-94)', async () => {
    for (const [table, column] of [
      ['test_types', 'variables_schema'],
      ['test_cases', 'variables'],
      ['agent_test_suites', 'variables'],
      ['test_case_results', 'resolved_variables'],
      ['test_suite_runs', 'resolved_variables'],
    ] as const) {
      expect(await columnsOf(table)).toContain(`${column} jsonb null`);
    }
  });
});

describe('row-level security', () => {
  it('is enabled, forced and has a policy on every table of ours (S2-84, R2)', async () => {
    const open = await ledger.query(`
      select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public' and c.relkind in ('r', 'p') and c.relname <> 'schema_migrations'
        and not (c.relrowsecurity and c.relforcerowsecurity
          and exists (select 1 from pg_policy p where p.polrelid = c.oid))`);
    expect(open).toEqual([]);
  });

  it('keeps requests to their tenant on every table with tenant_id, which is every table that requests can reach (S2-83, R2)', async () => {
    const rows = await ledger.query<{ table: string; policies: string[]; hasTenant: boolean; reachable: boolean }>(`
      select c.relname as table,
        array(select pg_get_expr(p.polqual, p.polrelid) || ' / ' || pg_get_expr(p.polwithcheck, p.polrelid) from pg_policy p
          where p.polrelid = c.oid and 'proofmark_app'::regrole = any(p.polroles)) as policies,
        exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id') as "hasTenant",
        has_table_privilege('proofmark_app', c.oid, 'select, insert, update, delete') as reachable
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public' and c.relkind in ('r', 'p') and c.relname not in ('schema_migrations', 'tenants')`);
    const own = `(tenant_id = (NULLIF(current_setting('app.tenant_id'::text, true), ''::text))::uuid)`;
    for (const row of rows) {
      expect(row).toMatchObject({ reachable: row.hasTenant, policies: row.hasTenant ? [`${own} / ${own}`] : [] });
    }
    expect(rows.filter(({ hasTenant }) => hasTenant).length).toBeGreaterThan(20);
  });

  it('is bound to roles that cannot escape it: no superuser, no BYPASSRLS, no owner (S2-90, R1)', async () => {
    const roles = await ledger.query(`
      select rolname, rolcanlogin, rolsuper, rolbypassrls, rolcreaterole,
        (select count(*)::int from pg_class c where c.relowner = r.oid) as owned
      from pg_roles r where rolname in ('proofmark_app', 'proofmark_worker') order by 1`);
    const harmless = { rolcanlogin: true, rolsuper: false, rolbypassrls: false, rolcreaterole: false, owned: 0 };
    expect(roles).toEqual([
      { rolname: 'proofmark_app', ...harmless },
      { rolname: 'proofmark_worker', ...harmless },
    ]);
    const [owner] = await ledger.query(
      `select rolcanlogin, rolsuper, rolbypassrls from pg_roles where rolname = 'proofmark_owner'`,
    );
    expect(owner).toEqual({ rolcanlogin: false, rolsuper: false, rolbypassrls: false });
    const foreign = await ledger.query(
      `select tablename from pg_tables where schemaname = 'public' and tableowner <> 'proofmark_owner'`,
    );
    expect(foreign).toEqual([]);
  });

  it('is not left by a foreign key: each one between tables of tenants carries the tenant (R4)', async () => {
    const narrow = await ledger.query(`
      select conrelid::regclass::text as "from", confrelid::regclass::text as "to" from pg_constraint
      where contype = 'f' and connamespace = 'public'::regnamespace and confrelid <> 'tenants'::regclass and not (
        (select attname from pg_attribute where attrelid = conrelid and attnum = conkey[1]) = 'tenant_id'
        and (select attname from pg_attribute where attrelid = confrelid and attnum = confkey[1]) = 'tenant_id')`);
    expect(narrow).toEqual([]);
  });

  it('knows the tenant of every row: it exists, and the row goes with it, by a key of its own or of what it is part of (S2-02, S2-23, S2-43, S2-62, S2-89)', async () => {
    const lost = await ledger.query(`
      with recursive sure as (
        select conrelid, confrelid from pg_constraint k
        where contype = 'f' and connamespace = 'public'::regnamespace and confdeltype = 'c' and not exists (
          select from pg_attribute a where a.attrelid = k.conrelid and a.attnum = any(k.conkey) and not a.attnotnull)),
      known as (
        select 'tenants'::regclass::oid as id union select conrelid from sure join known on known.id = sure.confrelid)
      select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.oid not in (select id from known) order by 1`);
    expect(lost).toEqual([]);
  });

  it('is not told by a unique key: each one of a table of tenants contains the tenant, or requests cannot reach it (R5)', async () => {
    const telling = await ledger.query(`
      select i.indexrelid::regclass::text as name from pg_index i join pg_class c on c.oid = i.indrelid
      where i.indisunique and c.relnamespace = 'public'::regnamespace
        and exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id')
        and not exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and a.attnum = any(i.indkey::int2[]))`);
    // What is of the forge belongs to one tenant, and requests can put no row under its key.
    expect(telling).toEqual([{ name: 'repositories_one_tenant_key' }, { name: 'installations_one_tenant_key' }]);
    const [rights] = await ledger.query(`
      select has_table_privilege('proofmark_app', 'repositories', 'insert')
          or has_table_privilege('proofmark_app', 'installations', 'insert, update') as inserts,
        has_column_privilege('proofmark_app', 'repositories', 'host', 'update') as moves,
        has_column_privilege('proofmark_app', 'repositories', 'external_id', 'update') as renumbers`);
    expect(rights).toEqual({ inserts: false, moves: false, renumbers: false });
  });

  it('holds for a repository of a forge, which belongs to one tenant', async () => {
    const enrol = ({ id }: { id: string }, externalId: string) =>
      ledger.query(
        `insert into repositories (tenant_id, host, external_id, owner_external_id, full_name)
         values ($1, 'github.com', $2, '7', 'acme/shop')`,
        [id, externalId],
      );
    const [first, late] = [await newTenant(ledger), await newTenant(ledger)];
    await enrol(first, '77');
    await enrol(late, '78');
    await expect(enrol(late, '77')).rejects.toThrow('repositories_one_tenant_key');
  });

  it('is not gone round by views or functions of the definer (R6)', async () => {
    const views = await ledger.query(`select viewname from pg_views where schemaname = 'public'`);
    const functions = await ledger.query(
      `select proname from pg_proc where pronamespace = 'public'::regnamespace and prosecdef`,
    );
    expect([...views, ...functions]).toEqual([]);
  });
});
