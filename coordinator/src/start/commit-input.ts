import { createHash, randomUUID } from 'node:crypto';
import { StartRunInput } from '@proofmark/contracts/start-run-input';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Caller } from '../access/caller.ts';
import { ensureServiceUser } from '../access/ensure-tenant.ts';
import { type StoredBlob, storeBlob } from '../blobs/stored-blobs.ts';
import type { RowKey } from '../database/row-key.ts';
import { asWorker, type Database } from '../database/transactions.ts';
import type { FeedbackPort, RepositoryRef } from '../feedback/feedback-port.ts';
import { affectedAmong } from './load-committed.ts';
import type { WholeCommit } from './load-whole-commit.ts';

export interface EnrolledRepository extends RowKey, RepositoryRef {}

/** Who stands for a run that the coordinator starts by itself. */
export async function ownCaller(
  database: Database,
  { tenantId, id: repositoryId }: EnrolledRepository,
): Promise<Caller> {
  const userId = await asWorker(database, (em) => ensureServiceUser(em, tenantId, { login: 'ci', role: 'ci' }));
  const scopes: Caller['scopes'] = new Set(['runs:write', 'pull-requests:write']);
  return { tenantId, userId, tokenId: randomUUID(), kind: 'api', scopes, repositoryId, claims: null };
}

/** Keeps a file of a case, as a job would have uploaded it. */
export async function storeCaseFile(
  database: Database,
  caller: Caller,
  content: Buffer,
  quotaBytes: number,
): Promise<StoredBlob> {
  const digest = createHash('sha256').update(content).digest('hex');
  return await storeBlob(database, caller, { digest, content }, quotaBytes);
}

/** The suites that what lies between two commits cannot affect, by name. */
export async function unaffectedBy(
  forge: Pick<FeedbackPort, 'changed'>,
  repository: RepositoryRef,
  { baseSha, headSha }: { baseSha: string; headSha: string },
  { definitions: { suites } }: WholeCommit,
): Promise<string[]> {
  const change = (await forge.changed(repository, baseSha, headSha)) ?? { paths: [], isComplete: false };
  const affected = await affectedAmong(suites, change);
  return suites.filter((_, index) => affected[index] === false).map(({ suite }) => suite.name);
}

const { selection, assignments, variables, preset, matrix, repetitions, settings } = StartRunInput.shape;
const Asked = z.object({ selection, assignments, variables, preset, matrix, repetitions, settings });
type Asked = z.infer<typeof Asked>;

/** What the jobs of the base branch ask for; the defaults where none has run. */
export async function lastAsked(database: Database, { tenantId, id }: EnrolledRepository): Promise<Asked> {
  const asked = await asWorker(database, async (em) => {
    const { rows } = await sql<{ asked: unknown }>`
      select requested || jsonb_build_object('settings', settings) as asked from runs
      where tenant_id = ${tenantId} and repository_id = ${id} and is_base
      order by created_at desc limit 1`.execute(em.getKysely());
    return rows[0]?.asked ?? {};
  });
  return Asked.parse(asked);
}

/** The parts of a request that a commit itself says. */
export const partsOf = ({ files, suitePaths, projectPath, caseFiles }: WholeCommit) => ({
  files,
  suitePaths,
  projectPath,
  caseFiles: caseFiles.map(({ path, sha256 }) => ({ path, sha256 })),
});
