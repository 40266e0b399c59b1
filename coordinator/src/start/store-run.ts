import type { EntityManager } from '@mikro-orm/postgresql';
import { contentHash } from '@proofmark/contracts/content-hash';
import type { StartRunInput, Trigger } from '@proofmark/contracts/start-run-input';
import type { TestedAgent } from '@proofmark/domain/choose-baseline';
import { sql } from 'kysely';
import { noteDeed } from '../database/acting.ts';
import { type Columns, unnest } from '../database/unnest.ts';
import type { RemovedDefinitions } from './decide-run.ts';

export interface NewRun {
  id: string;
  tenantId: string;
  userId: string;
  repositoryId: string | null;
  requestHash: string;
  /** Null: no other job joins it. */
  contentHash: string | null;
  /** The workflow runs whose jobs wait for it. */
  jobs: readonly string[];
  /** Null: nobody wants to see its trace. */
  traceParent: string | null;
  input: StartRunInput;
  trigger: Trigger;
  isBase: boolean;
  mergeBaseSha: string | null;
  baseCommit: string | null;
  baseAncestors: readonly string[] | null;
  baseAgents: readonly TestedAgent[];
  removed: RemovedDefinitions;
  unverified: readonly string[] | null;
  runSeed: string;
  environment: Record<string, unknown>;
  deadlineMs: number;
  suiteRuns: number;
  rerunOf: string | null;
  rerunKind: string | null;
}

/**
 * Stores the run, or nothing when its idempotency key is taken. A transaction that stores the same key at this moment
 * is waited for, so the answer is final.
 */
export async function storeRun(em: EntityManager, run: NewRun): Promise<boolean> {
  const { input, trigger } = run;
  const { idempotencyKey, settings, notes, files: _files, trigger: _trigger, ...requested } = input;
  const { rows } = await sql`
    insert into runs (tenant_id, id, idempotency_key, request_hash, content_hash, jobs, trace_parent, triggered_by, trigger, repository_id, event, head_sha,
      base_sha, merge_base_sha, pull_request, ref, is_base, run_seed, requested, settings, environment, notes,
      open_suite_runs, created_by, rerun_of, rerun_kind, base_commit, base_ancestors, base_agents, removed, unverified, deadline_at)
    values (${run.tenantId}, ${run.id}, ${idempotencyKey}, ${run.requestHash}, ${run.contentHash}, ${run.jobs}::text[], ${run.traceParent}, ${trigger.triggeredBy},
      ${JSON.stringify(trigger)}, ${run.repositoryId}, ${trigger.event}, ${trigger.headSha}, ${trigger.baseSha},
      ${run.mergeBaseSha}, ${trigger.pullRequest}, ${trigger.ref}, ${run.isBase}, ${run.runSeed},
      ${JSON.stringify(requested)}, ${JSON.stringify(settings)}, ${JSON.stringify(run.environment)}, ${notes},
      ${run.suiteRuns}, ${run.userId}, ${run.rerunOf}, ${run.rerunKind}, ${run.baseCommit},
      ${run.baseAncestors}::text[], ${agentsBySuite(run.baseAgents)}::jsonb, ${JSON.stringify(run.removed)}::jsonb,
      ${run.unverified}::text[], now() + ${run.deadlineMs} * interval '1 millisecond')
    on conflict (tenant_id, idempotency_key) do nothing returning id`.execute(em.getKysely());
  if (rows.length === 1)
    await noteDeed(em.getKysely(), { tenantId: run.tenantId, action: 'started', subject: 'run', name: run.id });
  return rows.length === 1;
}

/** Hashes by suite and cell; null when there are none. */
function agentsBySuite(agents: readonly TestedAgent[]): string | null {
  if (agents.length === 0) return null;
  const bySuite = Map.groupBy(agents, ({ suiteName }) => suiteName);
  const hashes = (ofSuite: readonly TestedAgent[]) => ofSuite.map(({ cellKey, agentHash }) => [cellKey, agentHash]);
  return JSON.stringify(Object.fromEntries([...bySuite].map(([name, all]) => [name, Object.fromEntries(hashes(all))])));
}

interface StoredFile {
  path: string;
  text: string;
  hash: string;
}

const pathColumns = {
  path: { type: 'text', of: ({ path }) => path },
  hash: { type: 'text', of: ({ hash }) => hash },
} satisfies Columns<StoredFile>;

const textColumns = {
  hash: pathColumns.hash,
  text: { type: 'text', of: ({ text }) => text },
} satisfies Columns<StoredFile>;

/** Keeps what the run was made from: every text once, and which path had which text. */
export async function storeFiles(em: EntityManager, run: Pick<NewRun, 'tenantId' | 'id' | 'input'>): Promise<void> {
  const byPath = new Map(run.input.files.map(({ path, text }) => [path, { path, text, hash: contentHash(text) }]));
  const files = [...byPath.values()];
  const byHash = new Map(files.map((file) => [file.hash, file]));
  const kysely = em.getKysely();
  await sql`
    insert into definition_files (tenant_id, content_hash, text)
    select ${run.tenantId}::uuid, f.hash, f.text from ${unnest([...byHash.values()], textColumns, 'f')} order by f.hash
    on conflict (tenant_id, content_hash) do nothing`.execute(kysely);
  await sql`
    insert into run_files (tenant_id, run_id, path, content_hash)
    select ${run.tenantId}::uuid, ${run.id}::uuid, f.path, f.hash from ${unnest(files, pathColumns, 'f')}`.execute(
    kysely,
  );
}
