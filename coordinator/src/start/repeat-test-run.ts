import { Variant } from '@proofmark/contracts/case-work';
import { contentHash } from '@proofmark/contracts/content-hash';
import { StartRunInput } from '@proofmark/contracts/start-run-input';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Caller } from '../access/caller.ts';
import { inTenant } from '../database/transactions.ts';
import { startAgain } from './rerun-run.ts';
import type { StartRunPorts } from './start-run.ts';
import type { StoredRunAnswer } from './start-stored-run.ts';

export const RepeatInput = z.strictObject({
  testRunId: z.uuid(),
  idempotencyKey: StartRunInput.shape.idempotencyKey,
  notes: StartRunInput.shape.notes,
});
export type RepeatInput = z.infer<typeof RepeatInput>;

const Row = z.object({
  runId: z.string(),
  suiteName: z.string(),
  suitePath: z.string().nullable(),
  cellKey: z.string(),
  caseName: z.string(),
  repetition: z.number(),
  variant: Variant,
});

/** A new run of exactly one ended test run: the same files, values and seed. Its result stays as it is. */
export async function repeatTestRun(
  ports: StartRunPorts,
  caller: Caller,
  input: RepeatInput,
): Promise<StoredRunAnswer> {
  const { testRunId, idempotencyKey, notes } = input;
  const found = await inTenant(ports.database, caller.tenantId, async (em) => {
    const { rows } = await sql`
      select s.run_id as "runId", s.suite_name as "suiteName", s.suite_path as "suitePath", s.cell_key as "cellKey",
        c.case_name as "caseName", c.repetition, c.variant
      from test_case_results c
      join test_suite_runs s on s.tenant_id = c.tenant_id and s.id = c.run_id
      where c.id = ${testRunId}`.execute(em.getKysely());
    return rows[0] === undefined ? null : Row.parse(rows[0]);
  });
  if (found === null) return { ok: false, error: { code: 'NOT_FOUND', what: 'test run' } };
  const { runId, suitePath, variant, ...place } = found;
  if (suitePath === null || variant === 'baseline') return cannot;
  const requestHash = contentHash({ repeats: testRunId, notes });
  return startAgain(ports, caller, { runId, idempotencyKey, notes, requestHash, only: { ...place, suitePath } });
}

const message = 'It is the base of a comparison, or its suite has no file: repeat it where its keys are';
const cannot: StoredRunAnswer = {
  ok: false,
  error: {
    code: 'INVALID_INPUT',
    problems: [{ severity: 'error', code: 'invalid_value', file: '', line: 1, column: 1, path: 'testRunId', message }],
  },
};
