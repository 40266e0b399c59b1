import type { EntityManager } from '@mikro-orm/postgresql';
import { contentHash } from '@proofmark/contracts/content-hash';
import type { Problem } from '@proofmark/contracts/problem';
import type { StartRunInput, Trigger } from '@proofmark/contracts/start-run-input';
import { sql } from 'kysely';
import { type Caller, scopedKey } from '../access/caller.ts';

/** A job, and what it wants to be run of which commit: the same for every job that sends the same. */
export interface JobContent {
  tenantId: string;
  repositoryId: string;
  workflowRunId: string;
  headSha: string;
  hash: string;
  /** Of the request of the job, which may come twice. */
  key: string;
  requestHash: string;
}

/**
 * Null where nothing is joined. Two events of one commit start two workflow runs: the second job would pay once more for
 * what the first one is about to know, and tell it under the same names. Whoever holds no token of a job names its keys
 * itself, and says with them what is one run.
 */
export function contentOfJob(
  caller: Caller,
  input: StartRunInput,
  { trigger, requestHash }: { trigger: Trigger; requestHash: string },
): JobContent | null {
  const { headSha, workflowRunId, workflowRunAttempt: _attempt, title: _title, ...about } = trigger;
  const { tenantId, kind, repositoryId } = caller;
  if (kind !== 'run' || repositoryId === null || workflowRunId === null || headSha === null) return null;
  if (input.invalid !== undefined || trigger.approval !== undefined) return null;
  const { idempotencyKey, notes: _notes, trigger: _given, ...asked } = input;
  const hash = contentHash({ ...asked, trigger: about });
  return { tenantId, repositoryId, workflowRunId, headSha, hash, key: scopedKey(caller, idempotencyKey), requestHash };
}

/** More jobs of one commit, or attempts of them, come from no workflow; the next one starts a run of its own. */
const mostJobs = 50;

/**
 * The active run with this content, for which the job waits from now on; null when there is none. From then on the job may
 * read it: it has sent all that the run was made of, in the name of the same repository. Nobody joins a run that all of its
 * jobs have left, for that one is being cancelled.
 */
export async function joinActive(
  em: EntityManager,
  job: JobContent | null,
  { isBase }: { isBase: boolean },
): Promise<string | null> {
  if (job === null) return null;
  const { tenantId, repositoryId, workflowRunId, headSha, hash, key, requestHash } = job;
  const { rows } = await sql<{ id: string }>`
    update runs set jobs = case when ${workflowRunId} = any(jobs) then jobs else array_append(jobs, ${workflowRunId}) end,
      joined = joined || jsonb_build_object(${key}::text, ${requestHash}::text)
    where tenant_id = ${tenantId} and id = (
      select id from runs
      where tenant_id = ${tenantId} and repository_id = ${repositoryId} and head_sha = ${headSha} and content_hash = ${hash}
        and is_base = ${isBase} and status in ('pending', 'running') and cardinality(jobs) between 1 and ${mostJobs}
        and (select count(*) from jsonb_object_keys(joined)) < ${mostJobs}
      order by created_at limit 1 for no key update)
    returning id`.execute(em.getKysely());
  return rows[0]?.id ?? null;
}

/** Of jobs that send the same at the same moment one stores the run, and the others find it. */
export async function joinAlone(
  em: EntityManager,
  job: JobContent | null,
  { isBase }: { isBase: boolean },
): Promise<string | null> {
  if (job === null) return null;
  const what = `content ${job.repositoryId} ${job.headSha} ${job.hash}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${what}, 0))`.execute(em.getKysely());
  return joinActive(em, job, { isBase });
}

/**
 * Another workflow tells about other suites of this commit under the same name: of two checks with one name GitHub shows
 * the last, so each may hide the other.
 */
export async function sharedCheckName(
  em: EntityManager,
  job: JobContent | null,
  { suitePaths, settings: { checkName } }: Pick<StartRunInput, 'suitePaths' | 'settings'>,
): Promise<Problem[]> {
  if (job === null) return [];
  const { tenantId, repositoryId, workflowRunId, headSha } = job;
  const { rows } = await sql`
    select 1 from runs
    where tenant_id = ${tenantId} and repository_id = ${repositoryId} and head_sha = ${headSha} and rerun_of is null
      and settings ->> 'checkName' = ${checkName} and trigger ->> 'workflowRunId' <> ${workflowRunId}
      and requested -> 'suitePaths' <> ${JSON.stringify(suitePaths)}::jsonb limit 1`.execute(em.getKysely());
  if (rows.length === 0) return [];
  const message = `Another workflow has sent other suites of this commit under the check name ${checkName}, and each hides the check of the other [duplicate_check_name]`;
  const hint = 'Give each of them a check-name of its own.';
  return [{ severity: 'warning', code: 'duplicate', file: '', line: 1, column: 1, path: '', message, hint }];
}
