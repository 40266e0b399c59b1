import { sql } from 'kysely';
import type { Logger } from 'pino';
import { followInstallation } from '../access/follow-installation.ts';
import type { RowKey } from '../database/row-key.ts';
import { asWorker, type Database } from '../database/transactions.ts';
import type { FeedbackPort } from '../feedback/feedback-port.ts';
import { confirmSuspicion } from '../judging/confirm-suite-run.ts';
import type { EnrolledRepository as Enrolled } from '../start/commit-input.ts';
import { type PressedAnswer, type PressedRerun, pressRerun } from '../start/press-rerun.ts';
import { holdForApproval, needsApproval, startApproved } from '../start/start-approved-run.ts';
import type { CommitPorts } from '../start/start-queued-run.ts';
import { followMergeGroup } from './follow-merge-group.ts';
import { followPullRequest } from './follow-pull-request.ts';
import { type CheckedRun, findCheck, runsOfCommit, suspicionsOf } from './pressed-check.ts';
import type { WebhookWork } from './webhook-work.ts';

export interface WebhookPorts {
  database: Database;
  /** The forge of deliveries that name none, such as github.com. */
  host: string;
  /** Null without an App: what the delivery says is all there is. */
  forge: FeedbackPort | null;
  starting: CommitPorts;
  /** How long the job of a workflow is waited for before a commit in a merge queue is run from here. */
  queueWaitMs: number;
  onEnded: (run: RowKey) => void;
  onStarted: (run: RowKey) => void;
  log: Pick<Logger, 'warn'>;
  /** What was refused for want of a right is tried again. */
  retryParked: (host: string, ownerExternalId: number) => Promise<void>;
}

/**
 * Does what a delivery asks for. The order of deliveries is not trusted: what may have changed since is read again. Gives
 * back in how many seconds there is more to do; null when all is done.
 */
export async function actOnWebhook(ports: WebhookPorts, work: WebhookWork, ageMs: number): Promise<number | null> {
  const { host = ports.host } = work;
  if (work.event === 'installation') {
    await actOnInstallation(ports, host, work.account.id);
    return null;
  }
  const rests: number[] = [];
  for (const repository of await enrolled(ports.database, host, work.repository.id)) {
    if (work.event === 'merge_group') rests.push((await followMergeGroup(ports, repository, work, ageMs)) ?? 0);
    else if (work.event === 'pull_request') await actOnPullRequest(ports, repository, work);
    else if (await mayPress(ports, repository, work)) await press(ports, repository, work);
  }
  return Math.max(0, ...rests) || null;
}

async function enrolled(database: Database, host: string, externalId: number): Promise<Enrolled[]> {
  return await asWorker(database, async (em) => {
    const { rows } = await sql<Enrolled>`
      select tenant_id as "tenantId", id, host, external_id as "externalId", full_name as "fullName" from repositories
      where host = ${host} and external_id = ${String(externalId)}`.execute(em.getKysely());
    return rows;
  });
}

async function actOnInstallation(
  { database, forge, retryParked }: WebhookPorts,
  host: string,
  ownerExternalId: number,
): Promise<void> {
  if (forge !== null) await followInstallation(database, forge, { host, ownerExternalId });
  await retryParked(host, ownerExternalId);
}

type PullRequestWork = Extract<WebhookWork, { event: 'pull_request' }>;
type PressWork = Exclude<WebhookWork, PullRequestWork | { event: 'installation' | 'merge_group' }>;

async function actOnPullRequest(
  { database, forge, starting, onStarted, onEnded, log }: WebhookPorts,
  repository: Enrolled,
  { action, number, pull_request: { head, merged = false } }: PullRequestWork,
): Promise<void> {
  const { tenantId, id: repositoryId } = repository;
  const expected = action === 'synchronize' ? head.sha : null;
  const told = { headSha: head.sha, isOpen: action !== 'closed', isMerged: merged };
  const found = (await forge?.pullRequest(repository, number, expected)) ?? null;
  const now = found ?? told;
  // It was opened again in the meantime, and nothing was pushed.
  if (now.isOpen && action === 'closed') return;
  for (const run of await followPullRequest(database, { tenantId, repositoryId, number }, now)) onEnded(run);
  if (found === null || !found.isOpen || !needsApproval(found)) return;
  const held = await holdForApproval(starting, repository, number, found);
  if (held?.ok === true && held.created) onStarted({ tenantId, id: held.runId });
  if (held?.ok === false) log.warn({ ...held.error, repositoryId, number }, 'A commit of a fork cannot be run');
}

/** Re-running is for whoever GitHub lets; our own bot re-running itself would never end. Buttons ask for the right to write. */
async function mayPress({ forge }: WebhookPorts, repository: Enrolled, work: PressWork): Promise<boolean> {
  const { login } = work.sender;
  if (forge === null || (await forge.isOwnBot(repository.host, login))) return false;
  return work.event === 'check_button' ? await forge.mayWrite(repository, login) : true;
}

async function press(ports: WebhookPorts, repository: Enrolled, work: PressWork): Promise<void> {
  const { database } = ports;
  if (work.event === 'check_suite') {
    for (const run of await runsOfCommit(database, repository, work.check_suite.head_sha)) {
      await rerun(ports, repository, run, { suiteName: null, kind: 'requested' });
    }
    return;
  }
  const check = await findCheck(database, repository, work.check_run.external_id);
  if (check === null) return;
  const { suiteName } = check;
  if (work.event === 'check_run') return await rerun(ports, repository, check, { suiteName, kind: 'requested' });
  switch (work.requested_action.identifier) {
    case 'confirm':
      return await confirm(ports, check);
    case 'rerun_failed':
      return await rerun(ports, repository, check, { suiteName, kind: 'failed' });
    case 'approve_fork':
      return await approve(ports, repository, check, work.sender.login);
    case 'rerun_baseline':
      return await rerun(ports, repository, check, { suiteName, kind: 'baseline' });
  }
}

async function confirm({ database, onStarted }: WebhookPorts, check: CheckedRun): Promise<void> {
  const { tenantId, runId } = check;
  for (const id of await suspicionsOf(database, check)) {
    const answer = await confirmSuspicion(database, { tenantId, id });
    if (answer.ok) onStarted({ tenantId, id: runId });
  }
}

async function approve(
  { starting, forge, onStarted }: WebhookPorts,
  repository: Enrolled,
  { tenantId, runId, pullRequest, headSha }: CheckedRun,
  by: string,
): Promise<void> {
  if (pullRequest === null || headSha === null || forge === null) return;
  const now = await forge.pullRequest(repository, pullRequest, headSha);
  const answer = await startApproved(starting, repository, { runId, headSha, by, now });
  if (answer?.ok === true && answer.created) onStarted({ tenantId, id: answer.runId });
}

async function rerun(
  { starting, forge, onStarted }: WebhookPorts,
  repository: Enrolled,
  run: CheckedRun,
  wish: Pick<PressedRerun, 'suiteName' | 'kind'>,
): Promise<void> {
  const { tenantId, runId, pullRequest, headSha } = run;
  if (pullRequest !== null) {
    const now = await forge?.pullRequest(repository, pullRequest, headSha);
    // A result of an older head or of a closed pull request is not what anybody waits for.
    if (now != null && (!now.isOpen || now.headSha !== headSha)) return;
  }
  const answer: PressedAnswer = await pressRerun(starting, { tenantId, runId, ...wish });
  if (answer?.ok === true && answer.created) onStarted({ tenantId, id: answer.runId });
}
