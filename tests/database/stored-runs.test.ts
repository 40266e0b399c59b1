import { randomUUID } from 'node:crypto';
import { cancelRunFor } from '@proofmark/coordinator/cancel-run';
import { repeatTestRun } from '@proofmark/coordinator/repeat-test-run';
import { rerunRun } from '@proofmark/coordinator/rerun-run';
import { StartStoredRunInput, StoredValuesInput, startStoredRun } from '@proofmark/coordinator/start-stored-run';
import { validateStoredValues } from '@proofmark/coordinator/validate-stored-values';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import type { z } from 'zod';
import { type Ledger, openLedger } from './open-ledger.ts';
import { anInput, begin, given, miscounted, newRepository, newTenant, portsOf, type Tenant } from './story.ts';

let ledger: Ledger;
let tenant: Tenant;
let repositoryId: string;
beforeAll(async () => {
  ledger = await openLedger(inject('postgresUrl'));
});
afterAll(() => ledger.close());
beforeEach(async () => {
  tenant = await newTenant(ledger);
  repositoryId = await newRepository(ledger, tenant);
});

const ofRepository = { triggeredBy: 'api', repositoryExternalId: '77' } as const;
const path = 'evals/words.suite.yaml';
const type = `
name: words
variables_schema:
  schemaVersion: "1.0"
  variables:
    - { name: Word, displayName: Word, dataType: string, valueSource: freeform, required: false, defaultValue: of the type }
    - { name: Size, displayName: Size, dataType: number, valueSource: static, possibleValues: [{ value: 1 }, { value: 2 }], required: false }
`;
const suite = (word = 'of the suite') => `
name: Words
agent: { name: Bot, instructions: "Say {{Word}}.", driver: { type: scripted, replies: [{ reply: ok }] } }
test_type: words
variables: { Word: ${word} }
matrix: { Size: [1, 2] }
cases:
  - { name: first, input: "Say {{Word}}", expected_behavior: { checks: [{ type: contains_phrases, phrases: [ok] }] } }
  - { name: second, input: Go, expected_behavior: { checks: [{ type: contains_phrases, phrases: [ok] }] }, variables: { Word: { defaultValue: of the test } } }
`;
const files = (word?: string) => [
  { path: 'proofmark.yaml', text: 'test_types: ["*.type.yaml"]\npresets: { big: { Size: 2 } }\n' },
  { path: 'words.type.yaml', text: type },
  { path, text: suite(word) },
];
const filesInput = (word?: string, more: Parameters<typeof anInput>[0] = {}) =>
  anInput({ trigger: ofRepository, files: files(word), suitePaths: [path], projectPath: 'proofmark.yaml', ...more });

async function idOf(table: 'agent_test_suites' | 'test_cases', name: string): Promise<string> {
  const text = `select id from ${table} where tenant_id = $1 and name = $2 and deleted_at is null`;
  return given((await ledger.query<{ id: string }>(text, [tenant.id, name]))[0]).id;
}

/** Starts from a run of files, whose suite is stored from then on, and returns its id. */
async function storeSuite(word?: string): Promise<string> {
  await begin(ledger, tenant, filesInput(word));
  return idOf('agent_test_suites', 'Words');
}

const startStored = (more: Partial<z.input<typeof StartStoredRunInput>>) =>
  startStoredRun(portsOf(ledger), tenant.caller, StartStoredRunInput.parse({ idempotencyKey: randomUUID(), ...more }));

async function mustStart(more: Partial<z.input<typeof StartStoredRunInput>>): Promise<string> {
  const answer = await startStored(more);
  if (!answer.ok) throw new Error(JSON.stringify(answer.error));
  return answer.runId;
}

/** What each test run was given: its cell, its case, and the value of Word with the level it came from. */
const planned = (runId: string) =>
  ledger.query(
    `select s.cell_key as cell, l.case_name as name, l.resolved_variables -> 'values' ->> 'Word' as word,
       l.resolved_variables -> 'sources' ->> 'Word' as source, l.work -> 'case' ->> 'input' as input
     from test_run_leases l join test_suite_runs s on s.id = l.suite_run_id
     where l.run_id = $1 order by s.sort_order, l.sort_order`,
    [runId],
  );

describe('a run of a stored suite', () => {
  it('plans what its files planned, with typed values on top (S4-80, S4-81)', async () => {
    const suiteId = await storeSuite();
    const runId = await mustStart({ suiteId, variables: { Word: 'of the run', Size: 1 } });
    expect(await planned(runId)).toEqual([
      { cell: '', name: 'first', word: 'of the run', source: 'run', input: 'Say of the run' },
      { cell: '', name: 'second', word: 'of the run', source: 'run', input: 'Go' },
    ]);
    const whole = await mustStart({ suiteId });
    expect(await planned(whole)).toEqual([
      { cell: 'Size=1', name: 'first', word: 'of the suite', source: 'suite', input: 'Say of the suite' },
      { cell: 'Size=1', name: 'second', word: 'of the suite', source: 'suite', input: 'Go' },
      { cell: 'Size=2', name: 'first', word: 'of the suite', source: 'suite', input: 'Say of the suite' },
      { cell: 'Size=2', name: 'second', word: 'of the suite', source: 'suite', input: 'Go' },
    ]);
    expect(await miscounted(ledger)).toEqual([]);
  });

  it('belongs to the rows of the suite and changes none of them', async () => {
    const suiteId = await storeSuite();
    const before = await ledger.query('select * from agent_test_suites where id = $1', [suiteId]);
    const runId = await mustStart({ suiteId });
    expect(
      await ledger.query('select distinct suite_id, suite_path from test_suite_runs where run_id = $1', [runId]),
    ).toEqual([{ suite_id: suiteId, suite_path: path }]);
    expect(await ledger.query('select * from agent_test_suites where id = $1', [suiteId])).toEqual(before);
    expect(await ledger.query('select id from agent_test_suites where tenant_id = $1', [tenant.id])).toHaveLength(1);
  });

  it('is the same run for the same key and question, also when the suite was edited or removed in between', async () => {
    const suiteId = await storeSuite();
    const idempotencyKey = randomUUID();
    const first = await startStored({ suiteId, idempotencyKey });
    await ledger.query(`update agent_test_suites set variables = '{"Word": "edited"}' where id = $1`, [suiteId]);
    expect(await startStored({ suiteId, idempotencyKey })).toEqual({ ...first, created: false });
    await ledger.query('update agent_test_suites set deleted_at = now() where id = $1', [suiteId]);
    expect(await startStored({ suiteId, idempotencyKey })).toEqual({ ...first, created: false });
    expect(await startStored({ suiteId, idempotencyKey, preset: 'big' })).toMatchObject({
      ok: false,
      error: { code: 'IDEMPOTENCY_CONFLICT' },
    });
    expect(await startStored({ suiteId })).toEqual({ ok: false, error: { code: 'NOT_FOUND', what: 'suite' } });
  });

  it('does not start while the suite is disabled (S2-13), and leaves out cases that are not active, enabled and there (C15, S1-44, S2-29, S2-31)', async () => {
    const suiteId = await storeSuite();
    await ledger.query(`update test_cases set status = 'archived' where id = $1`, [await idOf('test_cases', 'first')]);
    expect((await planned(await mustStart({ suiteId, variables: { Size: 1 } }))).map(({ name }) => name)).toEqual([
      'second',
    ]);
    await ledger.query(`update test_cases set deleted_at = now() where id = $1`, [await idOf('test_cases', 'second')]);
    await ledger.query(`update test_cases set status = 'active', is_enabled = false where tenant_id = $1`, [tenant.id]);
    expect(await planned(await mustStart({ suiteId }))).toEqual([]);
    await ledger.query('update agent_test_suites set is_enabled = false where id = $1', [suiteId]);
    expect(await startStored({ suiteId })).toMatchObject({
      ok: false,
      error: {
        code: 'INVALID_DEFINITIONS',
        problems: expect.arrayContaining([
          expect.objectContaining({ path: 'is_enabled', message: `The suite 'Words' is disabled` }),
        ]),
      },
    });
  });

  it('refuses text for a number with its code (S4-82), and a name that was mistyped with a suggestion (S4-85)', async () => {
    const suiteId = await storeSuite();
    const answer = await startStored({ suiteId, variables: { Size: '1', Wrd: 'x' } });
    expect(answer).toMatchObject({
      ok: false,
      error: {
        code: 'INVALID_INPUT',
        problems: [{ code: 'unknown_variable', path: 'variables.Wrd', hint: `Did you mean 'Word'?` }],
      },
    });
    expect(await startStored({ suiteId, variables: { Size: '0.5' } })).toMatchObject({
      ok: false,
      error: { code: 'INVALID_INPUT', problems: [{ code: 'invalid_type', path: 'variables.Size' }] },
    });
    expect((await planned(await mustStart({ suiteId, assignments: [{ name: 'Size', text: '1' }] }))).length).toBe(2);
  });

  it('takes the values of a stored preset, and a single value beats it (S4-89)', async () => {
    const suiteId = await storeSuite();
    await ledger.query(
      `insert into presets (tenant_id, name, "values") values ($1, 'spoken', '{"Size": 2, "Word": "of the preset"}')`,
      [tenant.id],
    );
    const runId = await mustStart({ suiteId, preset: 'spoken', variables: { Word: 'mine' } });
    const [row] = await ledger.query(`select resolved_variables as resolved from test_suite_runs where run_id = $1`, [
      runId,
    ]);
    expect(row).toEqual({
      resolved: { values: { Word: 'mine', Size: 2 }, sources: { Word: 'run', Size: 'run' } },
    });
  });
});

describe('a run of a single stored test', () => {
  it('ignores the values, the matrix and the switch of its suite (S4-07, S4-80, C43)', async () => {
    const suiteId = await storeSuite();
    await ledger.query('update agent_test_suites set is_enabled = false where id = $1', [suiteId]);
    const first = await mustStart({ testCaseId: await idOf('test_cases', 'first') });
    expect(await planned(first)).toEqual([
      { cell: '', name: 'first', word: 'of the type', source: 'type', input: 'Say of the type' },
    ]);
    const second = await mustStart({ testCaseId: await idOf('test_cases', 'second') });
    expect(await planned(second)).toMatchObject([{ name: 'second', word: 'of the test', source: 'test' }]);
    expect(await startStored({ testCaseId: randomUUID() })).toEqual({
      ok: false,
      error: { code: 'NOT_FOUND', what: 'test case' },
    });
  });
});

describe('a repeated run', () => {
  const rerun = (runId: string, idempotencyKey = randomUUID()) =>
    rerunRun(portsOf(ledger), tenant.caller, { runId, idempotencyKey, notes: null });

  it('has the values, the definitions and the seeds of the old one although all of them changed (S4-38)', async () => {
    const old = await begin(ledger, tenant, filesInput('at first', { variables: { Size: 1 } }));
    const plan = await planned(old);
    await begin(ledger, tenant, filesInput('later'));
    await ledger.query('update agent_test_suites set deleted_at = now() where tenant_id = $1', [tenant.id]);

    const answer = await rerun(old);

    if (!answer.ok) throw new Error(JSON.stringify(answer.error));
    expect(plan[0]).toMatchObject({ word: 'at first', source: 'suite' });
    expect(await planned(answer.runId)).toEqual(plan);
    const rows = await ledger.query(
      `select id, rerun_of, run_seed, is_base, requested, (select array_agg(suite_id order by sort_order) from test_suite_runs where run_id = runs.id) as suites
       from runs where id = any($1) order by created_at`,
      [[old, answer.runId]],
    );
    expect(rows[1]).toEqual({ ...given(rows[0]), id: answer.runId, rerun_of: old });
    const seeds = `select work ->> 'seed' as seed from test_run_leases where run_id = $1 order by sort_order`;
    expect(await ledger.query(seeds, [answer.runId])).toEqual(await ledger.query(seeds, [old]));
    expect(
      await ledger.query('select 1 from agent_test_suites where tenant_id = $1 and deleted_at is null', [tenant.id]),
    ).toEqual([]);
  });

  it('repeats a run of stored definitions, and as often as a compared one', async () => {
    const suiteId = await storeSuite();
    const old = await mustStart({ suiteId, variables: { Word: 'kept', Size: 2 } });
    await ledger.query(`update test_cases set question = 'changed' where tenant_id = $1`, [tenant.id]);
    const answer = await rerun(old);
    if (!answer.ok) throw new Error(JSON.stringify(answer.error));
    expect(await planned(answer.runId)).toEqual(await planned(old));

    const trigger = {
      triggeredBy: 'ci',
      event: 'push',
      repositoryExternalId: '77',
      headSha: 'a'.repeat(40),
      ref: 'refs/heads/main',
    } as const;
    const base = await begin(ledger, tenant, filesInput('base', { trigger, variables: { Size: 1 } }));
    const again = await rerun(base);
    if (!again.ok) throw new Error(JSON.stringify(again.error));
    expect(await planned(again.runId)).toEqual(await planned(base));
    expect(await planned(base)).toHaveLength(6);
    const [row] = await ledger.query(
      'select is_base, head_sha, repository_id is not null as repository from runs where id = $1',
      [again.runId],
    );
    expect(row).toEqual({ is_base: false, head_sha: null, repository: true });
    expect(
      await ledger.query('select 1 from outbox where run_id = $1 and kind <> $2', [again.runId, 'finish-suite-run']),
    ).toEqual([]);
  });

  it('is one run for one key, and nothing for a run of somebody else', async () => {
    const old = await begin(ledger, tenant, filesInput());
    const key = randomUUID();
    const first = await rerun(old, key);
    expect(await rerun(old, key)).toEqual({ ...first, created: false });
    const stranger = await newTenant(ledger);
    expect(await rerunRun(portsOf(ledger), stranger.caller, { runId: old, idempotencyKey: key, notes: null })).toEqual({
      ok: false,
      error: { code: 'NOT_FOUND', what: 'run' },
    });
  });
});

describe('a repeated test run', () => {
  const repeat = (testRunId: string, { caller = tenant.caller, idempotencyKey = randomUUID() } = {}) =>
    repeatTestRun(portsOf(ledger), caller, { testRunId, idempotencyKey, notes: null });
  /** A run that has ended, with the ids of its test runs by name. */
  async function ended(): Promise<{ runId: string; ids: Map<string, string> }> {
    const runId = await begin(ledger, tenant, filesInput('at first', { variables: { Size: 1 }, repetitions: 2 }));
    await cancelRunFor(ledger.database, 'cancelled', { tenantId: tenant.id, id: runId });
    const rows = await ledger.query<{ id: string; name: string }>(
      `select c.id, c.case_name || ' ' || c.repetition as name from test_case_results c
       join test_suite_runs s on s.id = c.run_id where s.run_id = $1`,
      [runId],
    );
    return { runId, ids: new Map(rows.map(({ id, name }) => [name, id])) };
  }

  it('is a run of nothing else, with the definitions and the seed of then', async () => {
    const { runId, ids } = await ended();
    await begin(ledger, tenant, filesInput('later'));
    const id = given(ids.get('second 2'));
    const answer = await repeat(id);
    if (!answer.ok) throw new Error(JSON.stringify(answer.error));
    expect(
      await ledger.query(
        `select l.case_name as name, l.repetition, l.work ->> 'seed' = (p.work ->> 'seed') as seed, r.rerun_of as of,
           (select sum(total_cases)::int from test_suite_runs where run_id = r.id) as total, (l.work -> 'case')::jsonb = (p.work -> 'case')::jsonb as "case"
         from test_run_leases l join runs r on r.id = l.run_id, test_case_payloads p where l.run_id = $1 and p.id = $2`,
        [answer.runId, id],
      ),
    ).toEqual([{ name: 'second', repetition: 2, seed: true, of: runId, total: 1, case: true }]);
    expect(await miscounted(ledger)).toEqual([]);
  });

  it('is one run for one key, and nothing for somebody else or for the base of a comparison', async () => {
    const { ids } = await ended();
    const id = given(ids.get('first 1'));
    const idempotencyKey = randomUUID();
    const first = await repeat(id, { idempotencyKey });
    expect(await repeat(id, { idempotencyKey })).toEqual({ ...first, created: false });
    expect(await repeat(given(ids.get('second 1')), { idempotencyKey })).toMatchObject({
      error: { code: 'IDEMPOTENCY_CONFLICT' },
    });
    const stranger = await newTenant(ledger);
    const nothing = { ok: false, error: { code: 'NOT_FOUND', what: 'test run' } };
    expect(await repeat(id, { caller: stranger.caller })).toEqual(nothing);
    expect(await repeat(randomUUID())).toEqual(nothing);
    // The ledger keeps results as they are; only its superuser can pretend.
    await ledger.query(`update test_case_results set variant = 'baseline' where id = $1`, [id]);
    expect(await repeat(id)).toMatchObject({ ok: false, error: { code: 'INVALID_INPUT' } });
  });
});

describe('values checked before a run', () => {
  const validate = (more: z.input<typeof StoredValuesInput>) =>
    validateStoredValues(ledger.database, tenant.caller, StoredValuesInput.parse(more));

  it('are judged as a run would judge them, and nothing is started (S4-84)', async () => {
    const suiteId = await storeSuite();
    const runs = 'select count(*)::int as runs from runs where tenant_id = $1';
    const before = await ledger.query(runs, [tenant.id]);
    expect(await validate({ suiteId, variables: { Size: 2 } })).toMatchObject({ valid: true });
    expect(await validate({ suiteId, variables: { Size: 3 } })).toMatchObject({
      valid: false,
      problems: [
        {
          code: 'invalid_value',
          path: 'variables.Size',
          message: `Variable 'Size' value '3' not in allowed values: 1, 2`,
        },
      ],
    });
    expect(
      await validate({ testCaseId: await idOf('test_cases', 'first'), assignments: [{ name: 'Size', text: 'one' }] }),
    ).toMatchObject({
      valid: false,
      problems: [{ code: 'invalid_type', path: 'variables.Size' }],
    });
    expect(await validate({ suiteId: randomUUID() })).toBeNull();
    expect(await ledger.query(runs, [tenant.id])).toEqual(before);
  });
});

describe('who may', () => {
  it('start stored definitions: no CI job, and a token of a repository only what belongs there', async () => {
    const suiteId = await storeSuite();
    const start = (caller: Partial<typeof tenant.caller>) =>
      startStoredRun(
        portsOf(ledger),
        { ...tenant.caller, ...caller },
        StartStoredRunInput.parse({ idempotencyKey: randomUUID(), suiteId }),
      );
    expect(await start({ kind: 'run' })).toMatchObject({ error: { code: 'FORBIDDEN' } });
    expect(await start({ scopes: new Set(['runs:read']) })).toMatchObject({ error: { code: 'FORBIDDEN' } });
    expect(await start({ repositoryId: randomUUID() })).toEqual({
      ok: false,
      error: { code: 'NOT_FOUND', what: 'suite' },
    });
    expect(await start({ repositoryId })).toMatchObject({ ok: true });
  });
});
