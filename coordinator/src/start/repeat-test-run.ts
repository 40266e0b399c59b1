import { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { Variant } from '@proofmark/contracts/case-work';
import { contentHash } from '@proofmark/contracts/content-hash';
import type { RecordedConversation } from '@proofmark/contracts/recorded-conversation';
import { StartRunInput } from '@proofmark/contracts/start-run-input';
import { recordConversation } from '@proofmark/domain/plan-rejudging';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Caller } from '../access/caller.ts';
import { readInTenant } from '../database/transactions.ts';
import { answerColumns } from '../judging/read-stored-answers.ts';
import { storedPayload } from '../ledger/incoming-results.ts';
import { startAgain } from './rerun-run.ts';
import type { StartRunPorts } from './start-run.ts';
import type { StoredRunAnswer } from './start-stored-run.ts';

export const RepeatInput = z.strictObject({
  testRunId: z.uuid(),
  idempotencyKey: StartRunInput.shape.idempotencyKey,
  notes: StartRunInput.shape.notes,
  /** Whether its agent answers again, or its stored answer is judged again. */
  what: z.enum(['all', 'judging']).default('all'),
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
  /** Null for what was not executed; of no use where the agent answers again. */
  answer: z.record(z.string(), z.unknown()).nullable(),
});

/** A new run of exactly one ended test run: the same files, values and seed. Its result stays as it is. */
export async function repeatTestRun(
  ports: StartRunPorts,
  caller: Caller,
  { what = 'all', ...input }: Omit<RepeatInput, 'what'> & Partial<RepeatInput>,
): Promise<StoredRunAnswer> {
  const { testRunId, idempotencyKey, notes } = input;
  const isJudging = what === 'judging';
  const [row] = await readInTenant(
    ports.database,
    caller.tenantId,
    sql`
      select s.run_id as "runId", s.suite_name as "suiteName", s.suite_path as "suitePath", s.cell_key as "cellKey",
        c.case_name as "caseName", c.repetition, c.variant,
        case when ${isJudging} and c.status <> 'skipped' then ${storedPayload('c')} || ${answerColumns} end as answer
      from test_case_results c
      join test_suite_runs s on s.tenant_id = c.tenant_id and s.id = c.run_id
      where c.id = ${testRunId}`,
  );
  if (row === undefined) return { ok: false, error: { code: 'NOT_FOUND', what: 'test run' } };
  const { runId, suitePath, variant, answer, ...place } = Row.parse(row);
  if (suitePath === null || variant === 'baseline') return refused(ofNobody);
  const recorded = isJudging ? recordingOf(testRunId, answer) : null;
  if (recorded !== null && 'why' in recorded) return refused(recorded.why);
  const requestHash = contentHash({ repeats: testRunId, notes, ...(isJudging ? { what } : {}) });
  const only = { ...place, suitePath };
  return startAgain(ports, caller, { runId, idempotencyKey, notes, requestHash, only, recorded });
}

/** What was said then, or why it cannot be judged once more. */
function recordingOf(testRunId: string, answer: unknown): RecordedConversation | { why: string } {
  const outcome = CaseOutcome.safeParse(answer).data;
  if (outcome === undefined) return { why: 'It has no answer that could be judged again' };
  const recording = recordConversation(testRunId, outcome);
  if (recording.ok) return recording.recorded;
  return { why: `Its answer is not kept whole (${recording.gap}): repeat it instead` };
}

const ofNobody = 'It is the base of a comparison, or its suite has no file: repeat it where its keys are';
const refused = (message: string): StoredRunAnswer => ({
  ok: false,
  error: {
    code: 'INVALID_INPUT',
    problems: [{ severity: 'error', code: 'invalid_value', file: '', line: 1, column: 1, path: 'testRunId', message }],
  },
});
