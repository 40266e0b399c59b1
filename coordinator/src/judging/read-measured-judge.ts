import type { EntityManager } from '@mikro-orm/postgresql';
import type { MeasuredJudge } from '@proofmark/contracts/judge-measurement';
import { countDecisions, type Decision, whyIncomplete } from '@proofmark/domain/judge-calibration';
import { sql } from 'kysely';
import { z } from 'zod';
import { SuiteCalibration } from '../database/json-columns.ts';
import { storedPayload } from '../ledger/incoming-results.ts';
import type { SuiteRunToJudge } from './read-suite-run.ts';
import { keepCalibration } from './suite-calibration.ts';

/** A labelled answer that a runner has judged, or that nobody judges any more. */
const Row = z.object({
  position: z.number(),
  status: z.enum(['passed', 'failed', 'skipped', 'error']),
  skipReason: z.string().nullable(),
  error: z.string().nullable(),
  judgeHash: z.string().nullable(),
  criteria: z.number(),
});
type Row = z.infer<typeof Row>;

/**
 * What labelled answers say about the judge of a suite, once nothing of it runs any more; null where it names none. What
 * was measured in this run is kept for later ones, unless an answer is missing that another try might bring.
 */
export async function readMeasuredJudge(
  em: EntityManager,
  siblings: readonly SuiteRunToJudge[],
): Promise<MeasuredJudge | null> {
  const suiteRun = siblings.find(({ purpose, variant }) => purpose === 'first' && variant !== 'baseline');
  const calibration = suiteRun && (await readCalibration(em, suiteRun));
  if (suiteRun === undefined || calibration == null) return null;
  const { path, judgeHash, digest, labels, known } = calibration;
  const told = { path, judgeHash, labels: labels.length };
  if (known !== null) return { ...told, ...known };
  const measuring = siblings.find(({ purpose }) => purpose === 'calibrate');
  const rows = measuring === undefined ? [] : await readRows(em, measuring);
  const byUs = rows.filter((row) => row.judgeHash === judgeHash);
  const counts = countDecisions(byUs.map((row) => decisionOf(row, labels)));
  const problem = problemOf(rows, calibration);
  if (byUs.length === labels.length && byUs.every(({ criteria }) => criteria > 0)) {
    await keepCalibration(em, { tenantId: suiteRun.tenantId, judgeHash, digest, labels, counts, problem });
  }
  return { ...told, counts, problem };
}

async function readCalibration(em: EntityManager, { tenantId, id }: SuiteRunToJudge): Promise<SuiteCalibration | null> {
  const { rows } = await sql<{ calibration: unknown }>`
    select calibration from test_suite_runs where tenant_id = ${tenantId} and id = ${id}`.execute(em.getKysely());
  return SuiteCalibration.nullable().parse(rows[0]?.calibration ?? null);
}

async function readRows(em: EntityManager, { tenantId, id }: SuiteRunToJudge): Promise<Row[]> {
  const { rows } = await sql`
    select c.sort_order as position, c.status, c.skip_reason as "skipReason", c.error_message as error,
      p.outcome -> 'outcomes' ->> 'judgeHash' as "judgeHash",
      coalesce(jsonb_array_length(p.outcome -> 'outcomes' -> 'criteria'), 0) as criteria
    from test_case_results c cross join lateral (select ${storedPayload('c')} as outcome) p
    where c.tenant_id = ${tenantId} and c.run_id = ${id} order by c.sort_order`.execute(em.getKysely());
  return z.array(Row).parse(rows);
}

function decisionOf({ position, status }: Row, labels: SuiteCalibration['labels']): Decision {
  const label = labels[position];
  if (label === undefined) throw new Error(`There is no label ${position}`);
  return { label, decision: status === 'passed' || status === 'failed' ? status : null };
}

/** A runner of another version may judge otherwise: what it says is about another judge. */
function problemOf(rows: readonly Row[], { labels, judgeHash }: SuiteCalibration): string | null {
  const asked = rows.filter(({ status }) => status !== 'skipped');
  const undecided = asked.filter((row) => row.status === 'error' || row.judgeHash !== judgeHash);
  const [first] = undecided;
  return whyIncomplete({
    labels: labels.length,
    skipped: labels.length - asked.length,
    stop: rows.some(({ skipReason }) => skipReason === 'budget') ? 'budget' : 'interrupted',
    unjudged: undecided.length,
    firstError: first === undefined ? null : (first.error ?? 'a runner of another version judged it'),
  });
}
