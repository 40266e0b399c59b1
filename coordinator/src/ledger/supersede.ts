import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { RowKey } from '../database/row-key.ts';
import { asWorker, type Database } from '../database/transactions.ts';
import { cancelRunFor } from './cancel-run.ts';

export interface PullRequestHead {
  tenantId: string;
  repositoryId: string;
  number: number;
  headSha: string;
}

/** Notes the newest head of a pull request. True when it is newer than the one on record. */
export async function noteHead(
  em: EntityManager,
  { tenantId, repositoryId, number, headSha }: PullRequestHead,
): Promise<boolean> {
  const { rows } = await sql`
    insert into pull_request_states as s (tenant_id, repository_id, number, head_sha, generation)
    values (${tenantId}, ${repositoryId}, ${number}, ${headSha}, 1)
    on conflict (tenant_id, repository_id, number) do update
      set head_sha = excluded.head_sha, generation = s.generation + 1, updated_at = now()
      where s.head_sha <> excluded.head_sha
    returning s.generation`.execute(em.getKysely());
  return rows.length > 0;
}

/** Ends the active runs of a pull request that are about another head than this one, and returns them. */
export async function supersedeOlder(database: Database, head: PullRequestHead): Promise<RowKey[]> {
  return endRunsOfPullRequest(database, head, {
    reason: 'superseded',
    words: `Superseded by ${head.headSha.slice(0, 7)}`,
  });
}

/** Ends all active runs of a pull request that was closed or merged. */
export async function endClosed(
  database: Database,
  pullRequest: Omit<PullRequestHead, 'headSha'>,
  isMerged: boolean,
): Promise<RowKey[]> {
  const words = isMerged ? 'pull request merged' : 'pull request closed';
  return endRunsOfPullRequest(database, { ...pullRequest, headSha: null }, { reason: 'closed', words });
}

async function endRunsOfPullRequest(
  database: Database,
  { tenantId, repositoryId, number, headSha }: Omit<PullRequestHead, 'headSha'> & { headSha: string | null },
  { reason, words }: { reason: 'superseded' | 'closed'; words: string },
): Promise<RowKey[]> {
  const active = await asWorker(database, async (em) => {
    const { rows } = await sql<RowKey>`
      select tenant_id as "tenantId", id from runs
      where tenant_id = ${tenantId} and repository_id = ${repositoryId} and pull_request = ${number}
        and status in ('pending', 'running') and head_sha is distinct from ${headSha}`.execute(em.getKysely());
    return rows;
  });
  const ended: RowKey[] = [];
  for (const run of active) {
    const cancelled = await cancelRunFor(database, reason, run, words);
    if (cancelled?.changed === true) ended.push(run);
  }
  return ended;
}
