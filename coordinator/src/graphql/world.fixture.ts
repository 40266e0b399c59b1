import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import pg from 'pg';
import type { Ledger } from '../database/open-ledger.fixture.ts';
import { judgedRuns, pull, sha } from '../judging/judged-runs.fixture.ts';
import { given, newRepository, newSession, newTenant, suiteFile, type Tenant } from '../story.fixture.ts';
import { asker } from './ask.fixture.ts';

/** A tenant that has of everything one row, or a given number of them. */
export interface World {
  tenant: Tenant;
  /** What a field wants to know by its argument, as GraphQL: ids of this world. */
  argument: (field: string, argument: string) => string;
}

/** What a runner tells of a test run, with so many items in each of its lists. */
function outcomeWith(items: number): Partial<CaseOutcome> {
  const each = <Item>(make: (at: number) => Item): Item[] => Array.from({ length: items }, (_, at) => make(at));
  return {
    checks: each((at) => ({
      ...{ checkIndex: at, checkType: 'contains_phrases', status: 'pass', passed: true, error: null },
      details: { matchedPhrases: ['yes'] },
    })),
    toolCalls: each((at) => ({
      ...{ id: `call-${at}`, name: 'look_up', args: {}, argsError: null, result: {}, error: null },
      ...{ source: 'mock', turn: 0, durationMs: 1 },
    })),
    metrics: each((at) => ({
      ...{ metric_name: `metric ${at}`, score: 1, threshold: null, passed: true, scale: 1, error: null },
      ...{ retry_count: 0, evaluation_time_ms: 1, model_used: null },
    })),
    metricDetails: each((at) => ({
      ...{ metric_name: `metric ${at}`, kind: 'geval' as const, reasoning: null, progress: ['COMPLETE' as const] },
    })),
    outcomes: {
      ...{ passed: true, score: 1, error: null, injectionAttempt: false, judgeHash: null, answers: [] },
      criteria: each((at) => ({ id: `c${at}`, requirement: 'x', reasoning: 'y', status: 'passed' as const })),
    },
    transcript: each(() => ({ role: 'user' as const, text: 'hello' })),
    progress: each(() => ({ state: 'COMPLETE' as const, atMs: 1 })),
  };
}

export async function worldOf(ledger: Ledger, size: number): Promise<World> {
  const tenant = await newTenant(ledger);
  await newRepository(ledger, tenant);
  const few = Math.min(size, 3);
  const matrix = `matrix: { Temperature: [${[0, 0.5, 1].slice(0, few).join(', ')}] }`;
  const text = suiteFile({ name: 'Support', cases: few, extra: matrix });
  const runs = judgedRuns(ledger, tenant);
  const baseId = await runs.baseRun(sha('a'), text);
  const headId = await runs.start({ trigger: { ...pull(1), headSha: sha('b'), baseSha: sha('a') }, text });
  await runs.execute(headId, () => false, outcomeWith(few));
  await runs.judge(headId);
  await ledger.query('update test_cases set flakiness = 0.5 where tenant_id = $1', [tenant.id]);
  await ledger.query(`update case_summaries set outcomes = 'fpfpfpfpfpfp' where tenant_id = $1 and is_base`, [
    tenant.id,
  ]);
  await ledger.query(
    `update test_cases set tags = array(select 'tag ' || n from generate_series(1, $2) n) where tenant_id = $1`,
    [tenant.id, few],
  );
  await differ(ledger, tenant, headId);
  await newSession(ledger);
  await ledger.query(
    `insert into outbox (tenant_id, kind, dedupe_key, run_id, subject)
     select $1, 'github-check', 'check ' || n || r.id, r.id, '{}' from runs r, generate_series(1, $2) n where r.tenant_id = $1`,
    [tenant.id, few],
  );
  await ledger.query(
    `insert into api_tokens (tenant_id, name, token_hash, kind, scopes, user_id)
     select $1::uuid, 'token ' || n, $1::uuid::text || n, 'api', '{admin}', $2 from generate_series(1, $3) n`,
    [tenant.id, tenant.userId, size],
  );
  await ledger.query(
    `insert into users (tenant_id, login) select $1::uuid, 'person ' || n from generate_series(2, $2) n`,
    [tenant.id, size],
  );
  await ledger.query(
    `insert into audit_entries (tenant_id, user_id, token_id, action, subject, names, total)
     select tenant_id, user_id, id, 'changed', 'setting', array(select 'key ' || m from generate_series(1, $2) m), $2
     from api_tokens where tenant_id = $1 and kind = 'api'`,
    [tenant.id, few],
  );
  await ledger.query(
    `insert into repositories (tenant_id, host, external_id, owner_external_id, full_name)
     select $1::uuid, 'github.com', $1::uuid::text || n, '7', 'acme/' || n from generate_series(2, $2) n`,
    [tenant.id, size],
  );
  await ledger.query(
    `update repositories set claim_pins = (
       select jsonb_object_agg(claim, 'x') from (
         select claim from unnest(array['environment', 'job_workflow_ref', 'runner_environment']) claim limit $2) c)
     where tenant_id = $1`,
    [tenant.id, few],
  );
  await ledger.query(
    `insert into scheduled_runs (tenant_id, suite_id, window_start, due_at, state, run_id)
     select s.tenant_id, s.id, now() - n * interval '1 day', now() - n * interval '1 day', 'started', $2
     from agent_test_suites s, generate_series(1, $3) n where s.tenant_id = $1`,
    [tenant.id, headId, size],
  );
  await ledger.query(
    `insert into alert_channels (tenant_id, name, kind, recipients, events, suite_id, repository_id)
     select $1::uuid, 'channel ' || n, 'email', array(select 'a' || m || '@example.com' from generate_series(1, $2) m),
       (array['regression', 'budget', 'recovered'])[1:$2], s.id, p.id
     from generate_series(1, $3) n, (select id from agent_test_suites where tenant_id = $1 limit 1) s,
       (select id from repositories where tenant_id = $1 limit 1) p`,
    [tenant.id, few, size],
  );
  await ledger.query(
    `insert into alerts (tenant_id, kind, suite_id, suite_name, run_id, dedupe_key)
     select s.tenant_id, 'budget', s.id, s.name, $2, 'alert ' || n
     from agent_test_suites s, generate_series(1, $3) n where s.tenant_id = $1`,
    [tenant.id, headId, size],
  );
  await ledger.query(
    `insert into outbox (tenant_id, kind, dedupe_key, alert_id, subject)
     select l.tenant_id, 'alert', l.id || ':' || c.id, l.id, jsonb_build_object('channelId', c.id)
     from alerts l, (select id from alert_channels where tenant_id = $1 limit $2) c where l.tenant_id = $1`,
    [tenant.id, few],
  );
  await define(ledger, tenant, few);
  await multiply(ledger, tenant, size);
  const [ids] = await ledger.query<Record<string, string>>(
    `select s.suite_id as suite, s.id as "suiteRun", s.baseline_suite_run_id as baseline, c.id as "testRun",
       c.test_case_id as "testCase", s.agent_id as agent,
       (select id from model_configurations m where m.tenant_id = s.tenant_id limit 1) as "aiConfiguration",
       (select id from presets m where m.tenant_id = s.tenant_id limit 1) as preset,
       (select id from test_types m where m.tenant_id = s.tenant_id limit 1) as "testType"
     from test_suite_runs s join test_case_results c on c.run_id = s.id where s.run_id = $1 and s.purpose = 'first'
     order by s.baseline_suite_run_id is null, s.sort_order limit 1`,
    [headId],
  );
  const known: Record<string, unknown> = {
    ...{ suiteId: ids?.suite, testCaseId: ids?.testCase, base: baseId, head: headId },
    ...{ baseId: ids?.baseline, headId: ids?.suiteRun, baseSuiteRunId: ids?.baseline, headSuiteRunId: ids?.suiteRun },
    ...{ run: headId },
  };
  const textOf = (field: string, argument: string) =>
    JSON.stringify(given(argument === 'id' ? (ids?.[field] ?? known[field]) : known[argument]));
  return {
    tenant,
    argument: (field, argument) =>
      argument === 'input' ? `{ suiteId: ${textOf(field, 'suiteId')} }` : textOf(field, argument),
  };
}

/** Gives a run other files and another agent than those that it had: what it came to stays as it is. */
async function differ(ledger: Ledger, { id }: Tenant, runId: string): Promise<void> {
  await ledger.query(
    `insert into definition_files (tenant_id, content_hash, text)
     select tenant_id, reverse(content_hash), text || '# other' from definition_files where tenant_id = $1`,
    [id],
  );
  await ledger.query('update run_files set content_hash = reverse(content_hash) where run_id = $1', [runId]);
  await ledger.query(
    `with other as (
       insert into agent_snapshots (tenant_id, agent_id, content_hash, definition)
       select tenant_id, agent_id, reverse(content_hash), definition || '{"instructions": "other"}' from agent_snapshots
       where tenant_id = $1 returning id, agent_id)
     update test_suite_runs s set agent_snapshot_id = other.id from other where s.run_id = $2 and s.agent_id = other.agent_id`,
    [id, runId],
  );
}

/** What stands in no suite file. */
async function define(ledger: Ledger, { caller }: Tenant, variables: number): Promise<void> {
  const choices = '[{ value: "dry" }, { value: "warm" }]';
  const variable = (at: number) =>
    `{ name: "Tone ${at}", displayName: "Tone", dataType: "string", valueSource: "static", required: false, possibleValues: ${choices} }`;
  const all = Array.from({ length: variables }, (_, at) => variable(at)).join(', ');
  const { data, errors } = await asker(ledger)(
    caller,
    `mutation {
      createAiConfiguration(input: { name: "small", provider: "openai", model: "gpt-5-mini" }) { __typename ... on UserError { message } }
      createPreset(input: { name: "strict", values: {} }) { __typename ... on UserError { message } }
      createTestType(input: { name: "shop", variablesSchema: { schemaVersion: "1.0", variables: [${all}] } }) { __typename ... on UserError { message } }
    }`,
  );
  const failed = Object.values(data ?? {}).filter((made) => !String(Object(made).__typename).endsWith('Success'));
  if (errors.length > 0 || failed.length > 0) throw new Error(JSON.stringify([errors, failed]));
}

/** Tables and those of their columns that are ids of rows which are copied too; and what no two rows may share. */
const copied: Record<string, { ids: string[]; texts?: string[]; most?: number }> = {
  runs: { ids: ['id'], texts: ['idempotency_key'] },
  test_suite_runs: { ids: ['id', 'run_id', 'baseline_suite_run_id'] },
  // Reports read their rows in parts of bounded size. These stay below one part, so that only suite runs grow.
  test_case_results: { ids: ['id', 'run_id'], most: 5 },
  planned_test_runs: { ids: ['test_run_id', 'suite_run_id', 'run_id'], most: 5 },
  run_files: { ids: ['id', 'run_id'] },
  case_summaries: { ids: ['suite_run_id'] },
  outbox: { ids: ['id', 'run_id'], texts: ['dedupe_key'] },
  agents: { ids: ['id'], texts: ['name'] },
  agent_test_suites: { ids: ['id', 'agent_id'], texts: ['name', 'path'] },
  test_cases: { ids: ['id', 'suite_id'] },
  model_configurations: { ids: ['id'], texts: ['name'] },
  presets: { ids: ['id'], texts: ['name'] },
  test_types: { ids: ['id'], texts: ['name'] },
};

/** Copies every row of the tenant until there are so many, each copy with ids of its own that refer to each other as before. */
async function multiply(ledger: Ledger, tenant: Tenant, size: number): Promise<void> {
  const client = new pg.Client({ connectionString: ledger.url });
  await client.connect();
  // Foreign keys hold by construction.
  await client.query('set session_replication_role = replica');
  await client.query(`create function pg_temp.copy_of(id uuid, n int) returns uuid language sql
    return overlay(overlay(md5(id::text || n) placing '4' from 13) placing 'a' from 17)::uuid`);
  for (const [table, { ids, texts = [], most = size }] of Object.entries(copied)) {
    const changes = [
      ...ids.map((id) => `'${id}', pg_temp.copy_of(o.${id}, n)`),
      ...texts.map((text) => `'${text}', o.${text} || ' ' || n`),
    ];
    await client.query(
      `insert into ${table} select p.* from (select * from ${table} where tenant_id = '${tenant.id}') o
       cross join generate_series(2, ${Math.min(size, most)}) n
       cross join lateral jsonb_populate_record(null::${table}, to_jsonb(o) || jsonb_build_object(${changes.join(', ')})) p`,
    );
  }
  await client.query(
    `insert into test_suite_members (tenant_id, suite_id, test_case_id, sort_order)
     select c.tenant_id, s.id, c.id, 0 from test_cases c join agent_test_suites s on s.tenant_id = c.tenant_id and s.id <> c.suite_id
     where c.tenant_id = '${tenant.id}' and s.id in (
       select id from agent_test_suites where tenant_id = '${tenant.id}' order by id limit 3)`,
  );
  await client.query('analyze');
  await client.end();
}
