import type { EntityManager } from '@mikro-orm/postgresql';
import type { PlannedSuiteRun } from '@proofmark/domain/plan-run';
import { sql } from 'kysely';

/** The digests of all contents that the test runs of a plan need. */
export function digestsOf(suiteRuns: readonly PlannedSuiteRun[]): string[] {
  const contents = suiteRuns.flatMap(({ testRuns }) => testRuns.flatMap(({ work }) => work?.contents ?? []));
  return [...new Set(contents.map(({ sha256 }) => sha256))].toSorted();
}

/** Those of them that the tenant has not uploaded. */
export async function missingBlobs(em: EntityManager, digests: readonly string[]): Promise<string[]> {
  if (digests.length === 0) return [];
  const { rows } = await sql<{ digest: string }>`
    select digest from blobs where digest = any(${digests}::text[])`.execute(em.getKysely());
  const present = new Set(rows.map(({ digest }) => digest));
  return digests.filter((digest) => !present.has(digest));
}

/** From here on they stay as long as the run does. */
export async function keepBlobs(
  em: EntityManager,
  { tenantId, runId }: { tenantId: string; runId: string },
  digests: readonly string[],
): Promise<void> {
  if (digests.length === 0) return;
  await sql`
    insert into run_blobs (tenant_id, run_id, digest)
    select ${tenantId}::uuid, ${runId}::uuid, d from unnest(${digests}::text[]) as d`.execute(em.getKysely());
}
