import type { Scope } from '@proofmark/contracts/words';
import { sql } from 'kysely';
import { asWorker, type Database } from '../database/transactions.ts';
import type { JobIdentity } from './identify-job.ts';
import { hashToken, newToken } from './token.ts';

export interface RunToken {
  token: string;
  expiresAt: string;
  reporting: 'APP' | 'NONE';
}

/** A token of 15 minutes for the job, bound to its repository, workflow run and attempt. */
export async function exchangeToken(
  database: Database,
  job: JobIdentity,
  hasApp: (host: string) => boolean,
): Promise<RunToken> {
  const token = newToken('run');
  const scopes: Scope[] = ['runs:read', 'runs:write', ...(job.isOnBaseBranch ? (['baseline:write'] as const) : [])];
  const { workflowRunId, workflowRunAttempt } = job.claims;
  const expiresAt = await asWorker(database, async (em) => {
    const { rows } = await sql<{ expiresAt: string }>`
      insert into api_tokens (tenant_id, name, token_hash, kind, scopes, repository_id, user_id, claims, expires_at)
      values (${job.tenantId}, ${`workflow run ${workflowRunId}.${workflowRunAttempt}`}, ${hashToken(token)}, 'run', ${scopes}::text[],
        ${job.repositoryId}, ${job.userId}, ${JSON.stringify(job.claims)}::jsonb, now() + interval '15 minutes')
      returning expires_at as "expiresAt"`.execute(em.getKysely());
    return rows[0]?.expiresAt ?? '';
  });
  return { token, expiresAt, reporting: hasApp(job.claims.host) && job.hasInstallation ? 'APP' : 'NONE' };
}
