import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { type Caller, scopedKey } from '../access/caller.ts';
import { digestsOf, missingBlobs } from '../blobs/blobs-of-run.ts';
import { shareContents } from '../database/contents-lock.ts';
import { mayWrite } from '../ledger/cancel-run.ts';
import type { DecidedRun } from './decide-run.ts';

/** Why a run that is right in itself cannot be stored at the moment. */
export type Obstacle =
  | { code: 'RATE_LIMITED'; message: string; retryAfterMs: number }
  | { code: 'MISSING_BLOBS'; digests: string[] };

const usualMostOpen = 200_000;
/** A hint: a fleet that is so far behind needs longer, but somebody may cancel. */
const retryAfterMs = 30_000;

/** What stands in the way of a run; null when nothing does. */
export async function findObstacle(
  em: EntityManager,
  tenantId: string,
  { suiteRuns }: DecidedRun,
  mostOpen = usualMostOpen,
): Promise<Obstacle | null> {
  const planned = suiteRuns.flatMap(({ testRuns }) => testRuns.filter(({ decided }) => decided === null)).length;
  const open = await countOpen(em);
  if (open + planned <= mostOpen) return findMissing(em, tenantId, suiteRuns);
  const message = `${open} test runs are open and this run has ${planned}: more than ${mostOpen} at a time are not taken. Try again when some have ended.`;
  return { code: 'RATE_LIMITED', message, retryAfterMs };
}

async function findMissing(
  em: EntityManager,
  tenantId: string,
  suiteRuns: DecidedRun['suiteRuns'],
): Promise<Obstacle | null> {
  const needed = digestsOf(suiteRuns);
  if (needed.length === 0) return null;
  await shareContents(em, tenantId);
  const digests = await missingBlobs(em, needed);
  return digests.length === 0 ? null : { code: 'MISSING_BLOBS', digests };
}

/** How many test runs of the tenant wait or are running. Runs that start at the same moment may go over a limit together. */
async function countOpen(em: EntityManager): Promise<number> {
  const { rows } = await sql<{ open: number }>`
    select coalesce(sum(total_cases - passed_cases - failed_cases - skipped_cases), 0)::float8 as open
    from test_suite_runs where status in ('pending', 'running')`.execute(em.getKysely());
  return rows[0]?.open ?? 0;
}

export interface RunOfKey {
  runId: string;
  requestHash: string;
}

interface Found extends RunOfKey {
  repositoryId: string | null;
  workflowRunId: string | null;
  jobs: readonly string[];
}

/**
 * The run that was started with this idempotency key, or that a job joined with it, which is one about the commit of the job:
 * null when the key is free, `forbidden` when the run is not the caller's.
 */
export async function findRunByKey(
  em: EntityManager,
  caller: Caller,
  { key, headSha = null }: { key: string; headSha?: string | null },
): Promise<RunOfKey | 'forbidden' | null> {
  const scoped = scopedKey(caller, key);
  const { rows } = await sql<Found>`
    select id as "runId", coalesce(joined ->> ${scoped}::text, request_hash) as "requestHash", repository_id as "repositoryId",
      trigger ->> 'workflowRunId' as "workflowRunId", jobs
    from runs where tenant_id = ${caller.tenantId}
      and (idempotency_key = ${scoped} or (head_sha = ${headSha}::text and joined ->> ${scoped}::text is not null))
    limit 1`.execute(em.getKysely());
  const found = rows[0];
  if (found === undefined) return null;
  return mayWrite(caller, found) ? found : 'forbidden';
}
