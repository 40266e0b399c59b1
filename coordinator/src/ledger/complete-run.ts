import type { EntityManager } from '@mikro-orm/postgresql';
import { Variant } from '@proofmark/contracts/case-work';
import type { Conclusion } from '@proofmark/contracts/verdict';
import { RunStatus, SuiteRunPurpose } from '@proofmark/contracts/words';
import { sql } from 'kysely';
import { z } from 'zod';
import type { RowKey } from '../database/row-key.ts';
import { bumpFeedback } from './want-feedback.ts';

const Judged = z.object({
  status: RunStatus,
  variant: Variant,
  purpose: SuiteRunPurpose,
  word: z.string().nullable(),
  conclusion: z.string().nullable(),
});
type Judged = z.infer<typeof Judged>;

const worstWordFirst = [
  'regressed',
  'error',
  'suspected',
  'insufficient',
  'no-baseline',
  'inconclusive',
  'unchanged',
  'improved',
];
const worstConclusionFirst: readonly Conclusion[] = [
  'failure',
  'timed_out',
  'action_required',
  'cancelled',
  'neutral',
  'success',
];

/**
 * Ends the run when all of its suite runs have ended and are judged; true when this was what ended it. What the run has
 * on the forge is to be written anew in any case: a verdict has come.
 */
export async function completeRun(em: EntityManager, run: RowKey): Promise<boolean> {
  const kysely = em.getKysely();
  // Two verdicts may come at once. Whoever gets the run second reads what the first has stored.
  const locked = await sql<{ isActive: boolean }>`
    select status in ('pending', 'running') as "isActive" from runs
    where tenant_id = ${run.tenantId} and id = ${run.id} for no key update`.execute(kysely);
  if (locked.rows[0]?.isActive !== true) return false;
  const { rows } = await sql`
    select status, variant, purpose, verdict as word, verdict_detail ->> 'conclusion' as conclusion from test_suite_runs
    where tenant_id = ${run.tenantId} and run_id = ${run.id}`.execute(kysely);
  const suiteRuns = z.array(Judged).parse(rows);
  await bumpFeedback(em, run);
  if (!suiteRuns.every(isOver)) return false;
  const isFailed = suiteRuns.filter(isAsked).some(({ status }) => status === 'failed');
  await sql`
    update runs set status = ${isFailed ? 'failed' : 'completed'}, verdict = ${worstWord(suiteRuns)},
      conclusion = case when trigger #>> '{approval,state}' = 'awaited' then 'action_required'
        when requested -> 'invalid' is not null then 'failure'
        else ${worstConclusion(suiteRuns)} end, completed_at = now()
    where tenant_id = ${run.tenantId} and id = ${run.id}`.execute(kysely);
  await tellDiagnosed(em, run);
  return true;
}

/** What failed cases came to that ran again stands on the check of the run that they failed in. */
async function tellDiagnosed(em: EntityManager, { tenantId, id }: RowKey): Promise<void> {
  const { rows } = await sql<{ of: string }>`
    select rerun_of as of from runs
    where tenant_id = ${tenantId} and id = ${id} and rerun_kind = 'failed' and rerun_of is not null`.execute(
    em.getKysely(),
  );
  for (const { of } of rows) await bumpFeedback(em, { tenantId, id: of });
}

/** A baseline is judged with its candidate, and a cancelled suite run not at all. */
function isOver(suiteRun: Judged): boolean {
  const { status, word } = suiteRun;
  if (status === 'pending' || status === 'running') return false;
  return status === 'cancelled' || !isAsked(suiteRun) || word !== null;
}

/** What the run was about. All others only help to judge it. */
const isAsked = ({ variant, purpose }: Judged): boolean => variant !== 'baseline' && purpose === 'first';

function worstWord(suiteRuns: readonly Judged[]): string | null {
  return worstWordFirst.find((word) => suiteRuns.some((one) => one.word === word)) ?? null;
}

function worstConclusion(suiteRuns: readonly Judged[]): Conclusion {
  const conclusions = suiteRuns
    .filter(isAsked)
    // Past the deadline there may be numbers, but the suite was not run as it was meant to be.
    .map(({ status, conclusion }) =>
      status === 'failed' ? 'timed_out' : status === 'cancelled' ? 'cancelled' : conclusion,
    );
  return worstConclusionFirst.find((one) => conclusions.includes(one)) ?? 'neutral';
}
