import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { contentHash } from '@proofmark/contracts/content-hash';
import { StartRunInput } from '@proofmark/contracts/start-run-input';
import { sql } from 'kysely';
import type { Caller } from '../access/caller.ts';
import { asWorker, type Database, inTenant } from '../database/transactions.ts';
import { readOldRun, readRows } from './rerun-run.ts';
import { type StartRunPorts, startRun } from './start-run.ts';
import { type StoredRunAnswer, triggerOf } from './start-stored-run.ts';
import type { FurtherLook } from './store-planned-run.ts';

/** A result of which somebody wants another run; `suiteName` null: of all its suites. */
export interface PressedRerun {
  tenantId: string;
  runId: string;
  suiteName: string | null;
  kind: FurtherLook['kind'];
}

/** Null: a run of the same wish is active, or there is nothing that could run. */
export type PressedAnswer = StoredRunAnswer | null;

/**
 * Starts the run that somebody asked for on the forge, once while it is active however often it is pressed. All cases run
 * again on the same commit and are pooled; failed cases run for diagnosis alone, which nothing is compared with.
 */
export async function pressRerun(ports: StartRunPorts, pressed: PressedRerun): Promise<PressedAnswer> {
  const { tenantId, runId, suiteName, kind } = pressed;
  const owner = await readOwner(ports.database, pressed);
  if (owner === null || owner.active > 0) return null;
  const caller = callerFor(owner, tenantId);
  const old = await inTenant(ports.database, tenantId, (em) => readOldRun(em, caller, runId));
  if (old === null) return null;
  // Outside of its pull request a commit of a fork would be run with its own drivers and models.
  if (kind === 'failed' && old.trigger.approval !== undefined) return null;
  const idempotencyKey = `press:${kind}:${runId}:${contentHash(suiteName).slice(0, 16)}:${owner.earlier}`;
  const again = { runId, kind };
  const { requested, files, settings } = old;
  if (kind === 'failed') {
    const failed = await inTenant(ports.database, tenantId, (em) => readFailed(em, pressed));
    if (failed.length === 0) return null;
    const { trigger, rows } = await inTenant(ports.database, tenantId, async (em) => ({
      trigger: await triggerOf(em, old.repositoryId),
      rows: await readRows(em, runId),
    }));
    const selection = { ...requested.selection, ...only(suiteName), cases: failed, tags: [], difficulty: null };
    const quiet = { ...settings, baseline: 'none' as const, comment: 'off' as const };
    const input = { ...requested, selection, files, settings: quiet, trigger, idempotencyKey, notes: null };
    const requestHash = contentHash({ idempotencyKey });
    return startRun(ports, caller, StartRunInput.parse(input), { source: { requestHash, rows, repeats: null }, again });
  }
  const selection = { ...requested.selection, ...only(suiteName) };
  const input = { ...requested, selection, files, settings, trigger: old.trigger, idempotencyKey, notes: null };
  return startRun(ports, caller, StartRunInput.parse(input), { again });
}

const only = (suiteName: string | null) => (suiteName === null ? {} : { suites: [suiteName], unaffected: [] });

interface Owner {
  createdBy: string;
  repositoryId: string | null;
  isBase: boolean;
  /** Runs of the same wish that have not ended, and those that have. */
  active: number;
  earlier: number;
}

async function readOwner(
  database: Database,
  { tenantId, runId, kind, suiteName }: PressedRerun,
): Promise<Owner | null> {
  return asWorker(database, async (em) => {
    const { rows } = await sql<Owner>`
      select r.created_by as "createdBy", r.repository_id as "repositoryId", r.is_base as "isBase",
        count(a.id) filter (where a.status in ('pending', 'running'))::int as active, count(a.id)::int as earlier
      from runs r left join runs a on a.tenant_id = r.tenant_id and a.rerun_of = r.id and a.rerun_kind = ${kind}
        and a.requested #> '{selection,suites}' is not distinct from coalesce(
          ${suiteName === null ? null : JSON.stringify([suiteName])}::jsonb, r.requested #> '{selection,suites}')
      where r.tenant_id = ${tenantId} and r.id = ${runId} group by r.tenant_id, r.id`.execute(em.getKysely());
    return rows[0] ?? null;
  });
}

/** Whoever may press the button stands behind the run; it is kept under the name of who started the first one. */
const callerFor = ({ createdBy, repositoryId, isBase }: Owner, tenantId: string): Caller => ({
  tenantId,
  userId: createdBy,
  tokenId: randomUUID(),
  kind: 'api',
  scopes: new Set(['runs:write', isBase ? 'baseline:write' : 'pull-requests:write']),
  repositoryId,
  claims: null,
});

async function readFailed(em: EntityManager, { runId, suiteName }: PressedRerun): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct c.case_name as name from test_case_results c
    join test_suite_runs s on s.tenant_id = c.tenant_id and s.id = c.run_id
    where s.run_id = ${runId} and s.variant <> 'baseline' and s.purpose = 'first' and c.status in ('failed', 'error')
      and (${suiteName}::text is null or s.suite_name = ${suiteName}) order by 1`.execute(em.getKysely());
  return rows.map(({ name }) => name);
}
