import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { type Caller, scopedKey } from '../access/caller.ts';
import { mayWrite } from '../ledger/cancel-run.ts';

export interface RunOfKey {
  runId: string;
  requestHash: string;
}

interface Found extends RunOfKey {
  repositoryId: string | null;
  workflowRunId: string | null;
  jobs: readonly string[];
}

/** The run that has this idempotency key: null when the key is free, `forbidden` when the run is not the caller's. */
export async function findRunByKey(
  em: EntityManager,
  caller: Caller,
  key: string,
): Promise<RunOfKey | 'forbidden' | null> {
  const { rows } = await sql<Found>`
    select id as "runId", request_hash as "requestHash", repository_id as "repositoryId",
      trigger ->> 'workflowRunId' as "workflowRunId", jobs
    from runs where tenant_id = ${caller.tenantId} and idempotency_key = ${scopedKey(caller, key)}`.execute(
    em.getKysely(),
  );
  const found = rows[0];
  if (found === undefined) return null;
  return mayWrite(caller, found) ? found : 'forbidden';
}
