import pg from 'pg';

/** How much is stored, beside what is there already. */
export interface Size {
  /** Runs of the base branch, each of one suite. */
  runs: number;
  /** Ten tables get their rows in so many statements, so that nothing is done in one huge transaction. */
  runsPerStatement: number;
}

/** What a copied row has of its own: column to SQL over `c`, the copy, and `o`, the original. */
type Changes = Record<string, string>;

const endedAt = `now() - c.n * interval '10 minutes'`;

const tables: { table: string; from: string; changes: Changes }[] = [
  {
    table: 'runs',
    from: 'id = $1',
    changes: {
      id: 'c.run_id',
      idempotency_key: `'copy ' || c.n`,
      created_at: endedAt,
      is_base: 'true',
      head_sha: `md5(c.n::text) || '00000000'`,
    },
  },
  {
    table: 'test_suite_runs',
    from: 'run_id = $1',
    changes: { id: 'c.suite_run_id', run_id: 'c.run_id', created_at: endedAt, completed_at: endedAt },
  },
  {
    table: 'test_case_results',
    from: 'run_id = $2',
    // One case in ten fails now and then, so that two runs differ.
    changes: {
      id: 'md5(o.id::text || c.n)::uuid',
      run_id: 'c.suite_run_id',
      status: `case when o.sort_order % 10 = 0 and (c.n + o.sort_order / 10) % 3 = 0 then 'failed' else o.status end`,
      created_at: endedAt,
    },
  },
  {
    table: 'case_summaries',
    from: 'suite_run_id = $2',
    changes: {
      suite_run_id: 'c.suite_run_id',
      ended_at: endedAt,
      is_base: 'true',
      is_history: 'true',
    },
  },
];

/** Stores copies of a judged run, ten minutes apart, as if the base branch had been tested so often. */
export async function storeCopies(url: string, of: { runId: string; suiteRunId: string }, size: Size): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // Foreign keys hold by construction.
    await client.query('set session_replication_role = replica');
    await client.query(`create temporary table copies as
      select n, gen_random_uuid() as run_id, gen_random_uuid() as suite_run_id from generate_series(1, ${size.runs}) n`);
    for (const { table, from, changes } of tables) {
      const columns = await columnsOf(client, table);
      const values = columns.map((name) => changes[name] ?? `o."${name}"`);
      const text = `insert into ${table} (${columns.map((name) => `"${name}"`).join(', ')})
        select ${values.join(', ')} from (select * from ${table} where ${from}) o cross join copies c
        where c.n between $3 and $4 and $1::uuid is not null and $2::uuid is not null`;
      for (let first = 1; first <= size.runs; first += size.runsPerStatement)
        await client.query(text, [of.runId, of.suiteRunId, first, first + size.runsPerStatement - 1]);
    }
    // As autovacuum does in time, also for what was there before.
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}

async function columnsOf(client: pg.Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  );
  return rows.map(({ name }) => name);
}
