import { sql } from 'kysely';
import { asWorker, type Database } from '../database/connect.ts';
import type { EnrolledRepository } from '../definitions/commit-input.ts';
import { type CommitPorts, startQueuedRun } from '../definitions/start-queued-run.ts';
import { cancelRunFor } from '../runs/cancel-run.ts';
import type { RowKey } from '../runs/row-key.ts';
import type { WebhookWork } from './webhook-work.ts';

type MergeGroupWork = Extract<WebhookWork, { event: 'merge_group' }>;

interface MergeGroupPorts {
  database: Database;
  starting: CommitPorts;
  onStarted: (run: RowKey) => void;
  onEnded: (run: RowKey) => void;
  /** How long the job of a workflow is waited for, which knows its inputs best. */
  queueWaitMs: number;
}

/**
 * Sees to it that a commit in a merge queue gets its result: at once where it is known, else from a job, else from here.
 * Gives back in how many seconds to look again; null when there is nothing left to do.
 */
export async function followMergeGroup(
  ports: MergeGroupPorts,
  repository: EnrolledRepository,
  { action, merge_group: group }: MergeGroupWork,
  ageMs: number,
): Promise<number | null> {
  const { database, starting, onStarted, onEnded, queueWaitMs } = ports;
  const { tenantId } = repository;
  const runs = await runsOf(database, repository, group.head_sha);
  if (action === 'destroyed') {
    for (const run of runs) {
      const cancelled = await cancelRunFor(database, 'dequeued', run);
      if (cancelled?.changed === true) onEnded(run);
    }
    return null;
  }
  if (runs.length > 0) return null;
  const onlyTaken = ageMs < queueWaitMs;
  const commit = { headSha: group.head_sha, headRef: group.head_ref, baseSha: group.base_sha };
  const answer = await startQueuedRun(starting, repository, commit, { onlyTaken });
  if (answer?.ok === true && answer.created) onStarted({ tenantId, id: answer.runId });
  return answer === null && onlyTaken ? Math.ceil((queueWaitMs - ageMs) / 1000) : null;
}

/** Newest first: a job's or ours. */
async function runsOf(database: Database, { tenantId, id }: EnrolledRepository, headSha: string): Promise<RowKey[]> {
  return await asWorker(database, async (em) => {
    const { rows } = await sql<RowKey>`
      select tenant_id as "tenantId", id from runs
      where tenant_id = ${tenantId} and repository_id = ${id} and head_sha = ${headSha} and event = 'merge_group'
      order by created_at desc`.execute(em.getKysely());
    return rows;
  });
}
