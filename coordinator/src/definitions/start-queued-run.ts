import { randomUUID } from 'node:crypto';
import { posix } from 'node:path';
import { affectedSuites } from '@proofmark/domain/affected-suites';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Caller } from '../access/caller.ts';
import { ensureServiceUser } from '../access/ensure-tenant.ts';
import { storeBlob } from '../blobs/store-blob.ts';
import { asWorker, type Database } from '../database/connect.ts';
import type { FeedbackPort, RepositoryRef } from '../feedback/feedback-port.ts';
import { loadWholeCommit, type WholeCommit } from '../runs/load-whole-commit.ts';
import type { RowKey } from '../runs/row-key.ts';
import { type StartRunAnswer, type StartRunPorts, startRun, startTaken } from '../runs/start-run.ts';
import { StartRunInput } from '../runs/start-run-input.ts';

/** What a merge queue wants to know about. */
export interface QueuedCommit {
  headSha: string;
  headRef: string;
  baseSha: string;
}

export type QueuePorts = StartRunPorts & {
  forge: Pick<FeedbackPort, 'committed' | 'changed'> | null;
  /** What the files of cases of a tenant may come to. */
  blobQuotaBytes: number;
};

interface QueuedRepository extends RowKey, RepositoryRef {}

/**
 * Starts the run of a commit in a merge queue, which no job has started, with what the last run of the base branch was
 * asked for. `onlyTaken`: only where nothing has to be measured. Null: nothing was started.
 */
export async function startQueuedRun(
  ports: QueuePorts,
  repository: QueuedRepository,
  commit: QueuedCommit,
  { onlyTaken }: { onlyTaken: boolean },
): Promise<StartRunAnswer | null> {
  const { forge, database } = ports;
  if (forge === null) return null;
  const files = await forge.committed(repository, commit.headSha);
  if (files === null) return null;
  const committed = await loadWholeCommit(files);
  if (committed.suitePaths.length === 0) return null;
  const caller = await callerFor(database, repository);
  for (const { sha256: digest, content } of committed.caseFiles) {
    await storeBlob(database, caller, { digest, content }, ports.blobQuotaBytes);
  }
  const unaffected = await unaffectedBy(forge, repository, commit, committed);
  const asked = await lastAsked(database, repository);
  const input = StartRunInput.parse({
    ...asked,
    idempotencyKey: `queue:${repository.externalId}:${commit.headSha}`,
    trigger: {
      triggeredBy: 'ci',
      event: 'merge_group',
      host: repository.host,
      repositoryExternalId: repository.externalId,
      repositoryFullName: repository.fullName,
      ref: commit.headRef,
      headSha: commit.headSha,
      baseSha: commit.baseSha,
    },
    files: committed.files,
    suitePaths: committed.suitePaths,
    projectPath: committed.projectPath,
    caseFiles: committed.caseFiles.map(({ path, sha256 }) => ({ path, sha256 })),
    selection: { ...asked.selection, suites: [], unaffected },
  });
  return onlyTaken ? startTaken(ports, caller, input) : startRun(ports, caller, input);
}

/** Only what the queued changes can affect is run, as in a job. */
async function unaffectedBy(
  forge: Pick<FeedbackPort, 'changed'>,
  repository: QueuedRepository,
  { baseSha, headSha }: QueuedCommit,
  { definitions: { suites } }: WholeCommit,
): Promise<string[]> {
  const change = (await forge.changed(repository, baseSha, headSha)) ?? { paths: [], isComplete: false };
  const affected = affectedSuites(suites, {
    change,
    workflowPath: null,
    matchesGlob: (path, glob) => posix.matchesGlob(path, glob),
  });
  return suites.filter((one) => !affected.includes(one)).map(({ suite }) => suite.name);
}

async function callerFor(database: Database, { tenantId, id: repositoryId }: QueuedRepository): Promise<Caller> {
  const userId = await asWorker(database, (em) => ensureServiceUser(em, tenantId, 'ci'));
  const scopes: Caller['scopes'] = new Set(['runs:write']);
  return { tenantId, userId, tokenId: randomUUID(), kind: 'api', scopes, repositoryId, claims: null };
}

const { selection, assignments, variables, preset, matrix, repetitions, settings } = StartRunInput.shape;
const Asked = z.object({ selection, assignments, variables, preset, matrix, repetitions, settings });
type Asked = z.infer<typeof Asked>;

/** What the jobs of the base branch ask for; the defaults where none has run. */
async function lastAsked(database: Database, { tenantId, id }: QueuedRepository): Promise<Asked> {
  const asked = await asWorker(database, async (em) => {
    const { rows } = await sql<{ asked: unknown }>`
      select requested || jsonb_build_object('settings', settings) as asked from runs
      where tenant_id = ${tenantId} and repository_id = ${id} and is_base
      order by created_at desc limit 1`.execute(em.getKysely());
    return rows[0]?.asked ?? {};
  });
  return Asked.parse(asked);
}
