import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { miscounted, newRepository, newTenant, ownLedger, portsOf, type Tenant } from '../story.fixture.ts';
import { StartStoredRunInput, StoredValuesInput, startStoredRun } from './start-stored-run.ts';
import { validateStoredValues } from './validate-stored-values.ts';
import { path, wordsOf } from './words-suite.fixture.ts';

const ledger = await ownLedger();
let tenant: Tenant;
let repositoryId: string;
beforeEach(async () => {
  tenant = await newTenant(ledger);
  repositoryId = await newRepository(ledger, tenant);
});

const { idOf, storeSuite, startStored, mustStart, planned } = wordsOf(
  () => ledger,
  () => tenant,
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
