import pg from 'pg';
import { expect, it } from 'vitest';
import { given, newTenant, ownLedger } from '../story.fixture.ts';

const ledger = await ownLedger();
const tenant = await newTenant(ledger);

async function insert(table: string, row: Record<string, unknown>): Promise<string> {
  const values = { tenant_id: tenant.id, ...row };
  const names = Object.keys(values);
  const places = names.map((_, index) => `$${index + 1}`);
  const [inserted] = await ledger.query<{ id: string }>(
    `insert into ${table} (${names.join(', ')}) values (${places.join(', ')}) returning id`,
    Object.values(values),
  );
  return given(inserted).id;
}

const insertSuite = (row: Record<string, unknown>) =>
  insert('agent_test_suites', { agent_id: agentId, created_by: tenant.userId, ...row });
const insertCase = (row: Record<string, unknown>) => insert('test_cases', { suite_id: suiteId, ...row });
const agentId = await insert('agents', { name: 'agent' });
const suiteId = await insertSuite({ name: 'suite' });

it('takes a case with nothing but a name: every JSONB column may be null (S1-56)', async () => {
  const id = await insertCase({ name: 'only a name' });
  const [row] = await ledger.query(
    'select persona, user_context, expected_outcomes, expected_tool_calls, variables, difficulty, status, tags from test_cases where id = $1',
    [id],
  );
  expect(row).toEqual({
    persona: null,
    user_context: null,
    expected_outcomes: null,
    expected_tool_calls: null,
    variables: null,
    difficulty: 'normal',
    status: 'active',
    tags: [],
  });
});

it.each([
  ['difficulty', 'medium', 'S1-51'],
  ['status', 'deleted', 'S1-52'],
  ['kind', 'batch', 'C02'],
  ['name', '', 'C01'],
  ['name', 'x'.repeat(256), 'C01'],
])('refuses a case whose %s is %j (%s) (S1-51, S1-52, C01, C02)', async (column, value) => {
  await expect(insertCase({ name: 'a case', [column]: value })).rejects.toMatchObject({ code: '23514' });
});

it('wants a question of every case that is not simulated (C02, S2-26)', async () => {
  await expect(insertCase({ name: 'single', kind: 'single' })).rejects.toMatchObject({ code: '23514' });
  await insertCase({ name: 'single', kind: 'single', question: 'why?' });
});

it.each<[string, string | number, string]>([
  ['schedule_type', 'monthly', 'S2-06'],
  ['schedule_time', '24:00', 'S2-07'],
  ['schedule_time', '9:30', 'S2-07'],
  ['schedule_day_of_week', 7, 'S2-08'],
  ['alert_threshold_percent', 0, 'S2-11'],
])('refuses a suite whose %s is %j (%s)', async (column, value) => {
  await expect(insertSuite({ name: `${column} ${value}`, [column]: value })).rejects.toMatchObject({ code: '23514' });
});

it('refuses a suite without a name or an author (S2-04, S2-14)', async () => {
  await expect(insertSuite({ name: null })).rejects.toMatchObject({ code: '23502' });
  await expect(insertSuite({ name: 'nobody’s', created_by: null })).rejects.toMatchObject({ code: '23502' });
});

it('lets a name be used again once its suite is deleted (S2-17, S2-20)', async () => {
  const first = await insertSuite({ name: 'twice' });
  await expect(insertSuite({ name: 'twice' })).rejects.toMatchObject({ code: '23505' });
  await ledger.query('update agent_test_suites set deleted_at = now() where id = $1', [first]);
  await insertSuite({ name: 'twice' });
});

it('keeps a suite whose judge was removed, without the judge (S2-09)', async () => {
  const judge = await insert('model_configurations', { name: 'judge', provider: 'openai', model: 'gpt' });
  const suite = await insertSuite({ name: 'judged', llm_judge_model_config_id: judge });
  await ledger.query('delete from model_configurations where id = $1', [judge]);
  const [row] = await ledger.query(
    'select tenant_id, llm_judge_model_config_id as judge from agent_test_suites where id = $1',
    [suite],
  );
  expect(row).toEqual({ tenant_id: tenant.id, judge: null });
});

it('removes the cases of a suite with it, and the suites of an agent with that (S2-03, S2-22)', async () => {
  const agent = await insert('agents', { name: 'short-lived' });
  const suite = await insertSuite({ name: 'short-lived', agent_id: agent });
  await insertCase({ name: 'short-lived', suite_id: suite });
  await ledger.query('delete from agents where id = $1', [agent]);
  expect(await ledger.query('select 1 from test_cases where suite_id = $1', [suite])).toEqual([]);
});

it('treats agents without a repository as one room of names (NULLS NOT DISTINCT)', async () => {
  await expect(insert('agents', { name: 'agent' })).rejects.toMatchObject({ code: '23505' });
});

it('can find cases by tag through the index (S1-54)', async () => {
  const client = new pg.Client({ connectionString: ledger.url });
  await client.connect();
  await client.query('set enable_seqscan = off');
  const { rows: plan } = await client.query<object>(`explain select 1 from test_cases where tags @> '{edge-case}'`);
  await client.end();
  expect(JSON.stringify(plan)).toContain('test_cases_tags_idx');
});
