import { isError } from '@proofmark/contracts/problem';
import { sql } from 'kysely';
import type { RowKey } from '../database/row-key.ts';
import { asWorker, type Database } from '../database/transactions.ts';
import type { FeedbackPort, StandIn } from '../feedback/feedback-port.ts';
import { cancelRunFor } from '../ledger/cancel-run.ts';
import { type EnrolledRepository, lastAsked } from '../start/commit-input.ts';
import { type CommitPorts, startQueuedRun } from '../start/start-queued-run.ts';
import type { StartRunAnswer } from '../start/start-run.ts';
import type { WebhookWork } from './webhook-work.ts';

type MergeGroupWork = Extract<WebhookWork, { event: 'merge_group' }>;

interface MergeGroupPorts {
  database: Database;
  /** Null without an App: nothing can be shown on a commit. */
  forge: Pick<FeedbackPort, 'showStandIn'> | null;
  starting: CommitPorts;
  onStarted: (run: RowKey) => void;
  onEnded: (run: RowKey) => void;
  /** How long the job of a workflow is waited for, which knows its inputs best. */
  queueWaitMs: number;
}

/**
 * Sees to it that a commit in a merge queue gets its result: at once where it is known, else from a job, else from here.
 * While a job is waited for, the check that the queue requires stands on the commit already; it ends however this ends.
 * Gives back in how many seconds to look again; null when there is nothing left to do.
 */
export async function followMergeGroup(
  ports: MergeGroupPorts,
  repository: EnrolledRepository,
  { action, merge_group: group }: MergeGroupWork,
  ageMs: number,
): Promise<number | null> {
  const { database, starting, onStarted, queueWaitMs } = ports;
  const { tenantId } = repository;
  const runs = await runsOf(database, repository, group.head_sha);
  if (action === 'destroyed') return await giveUp(ports, repository, { headSha: group.head_sha, runs });
  if (runs.length > 0) return null;
  const onlyTaken = ageMs < queueWaitMs;
  const commit = { headSha: group.head_sha, headRef: group.head_ref, baseSha: group.base_sha };
  const answer = await startQueuedRun(starting, repository, commit, { onlyTaken });
  if (answer?.ok === true) {
    if (answer.created) onStarted({ tenantId, id: answer.runId });
    return null;
  }
  const isAwaited = answer === null && onlyTaken;
  const told: Told = isAwaited
    ? { conclusion: null, title: 'Waiting for the job of this merge group' }
    : { conclusion: 'failure', title: whyNoRun(answer) };
  await showOn(ports, repository, commit.headSha, told);
  return isAwaited ? Math.ceil((queueWaitMs - ageMs) / 1000) : null;
}

type Told = Pick<StandIn, 'conclusion' | 'title'>;

async function giveUp(
  ports: MergeGroupPorts,
  repository: EnrolledRepository,
  { headSha, runs }: { headSha: string; runs: readonly RowKey[] },
): Promise<null> {
  await forgetWaiting(ports.database, headSha);
  for (const run of runs) {
    const cancelled = await cancelRunFor(ports.database, 'dequeued', run);
    if (cancelled?.changed === true) ports.onEnded(run);
  }
  const told: Told = { conclusion: 'cancelled', title: 'Cancelled: taken out of the merge queue' };
  if (runs.length === 0) await showOn(ports, repository, headSha, told);
  return null;
}

/** No job is waited for any longer: the commit would else be run from here although it has left. */
async function forgetWaiting(database: Database, headSha: string): Promise<void> {
  await asWorker(database, async (em) => {
    await sql`
      update webhook_deliveries set state = 'done', payload = null
      where state = 'due' and tries = 0 and payload ->> 'event' = 'merge_group'
        and payload ->> 'action' = 'checks_requested' and payload #>> '{merge_group,head_sha}' = ${headSha}`.execute(
      em.getKysely(),
    );
  });
}

function whyNoRun(answer: Exclude<StartRunAnswer, { ok: true }> | null): string {
  if (answer === null) return 'No suite was found on this commit';
  const { error } = answer;
  if (!('problems' in error)) return `No verdict: the run was not started (${error.code})`;
  const { length } = error.problems.filter(isError);
  return `Invalid definition: ${length} ${length === 1 ? 'problem' : 'problems'}`;
}

/** Under the name that the jobs of the base branch give their check, for that is what the queue waits for. */
async function showOn(
  { database, forge }: MergeGroupPorts,
  repository: EnrolledRepository,
  headSha: string,
  told: Told,
): Promise<void> {
  const { settings } = await lastAsked(database, repository);
  await forge?.showStandIn(repository, { headSha, name: settings.checkName, ...told });
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
