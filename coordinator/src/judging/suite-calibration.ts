import type { EntityManager } from '@mikro-orm/postgresql';
import type { JudgeCounts } from '@proofmark/contracts/judge-measurement';
import type { PlannedCalibration } from '@proofmark/domain/plan-calibrations';
import { sql } from 'kysely';
import { SuiteCalibration } from '../database/json-columns.ts';

export interface RunCalibration {
  planned: PlannedCalibration;
  calibration: SuiteCalibration;
}

/** The labelled answers of a run by the path of the suite, with what is known already of how its judge decides about them. */
export async function findCalibrations(
  em: EntityManager,
  tenantId: string,
  all: readonly PlannedCalibration[],
): Promise<Map<string, RunCalibration>> {
  const found = new Map<string, RunCalibration>();
  for (const planned of all) {
    const { loaded, judgeHash } = planned;
    const { path, digest, answers } = planned.calibration;
    const { rows } = await sql`
      select counts, problem from judge_calibrations
      where tenant_id = ${tenantId} and judge_hash = ${judgeHash} and labels_digest = ${digest}`.execute(
      em.getKysely(),
    );
    const known = SuiteCalibration.shape.known.parse(rows[0] ?? null);
    const labels = answers.map(({ answer }) => answer.label);
    found.set(loaded.path, { planned, calibration: { path, judgeHash, digest, labels, known } });
  }
  return found;
}

export interface KeptMeasurement extends Pick<SuiteCalibration, 'judgeHash' | 'digest' | 'labels'> {
  tenantId: string;
  counts: JudgeCounts;
  problem: string | null;
}

/** Whoever measured the same at the same time was first or second, and both are right. */
export async function keepCalibration(em: EntityManager, measured: KeptMeasurement): Promise<void> {
  const { tenantId, judgeHash, digest, labels, counts, problem } = measured;
  await sql`
    insert into judge_calibrations (tenant_id, judge_hash, labels_digest, labels, counts, problem)
    values (${tenantId}, ${judgeHash}, ${digest}, ${labels.length}, ${JSON.stringify(counts)}::jsonb, ${problem})
    on conflict do nothing`.execute(em.getKysely());
}
