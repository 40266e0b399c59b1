import { StartRunInput } from '@proofmark/contracts/start-run-input';
import type { FeedbackPort } from '../feedback/feedback-port.ts';
import { type EnrolledRepository, lastAsked, ownCaller, partsOf, storeCaseFile, unaffectedBy } from './commit-input.ts';
import { loadWholeCommit } from './load-whole-commit.ts';
import { type StartRunAnswer, type StartRunPorts, startRun, startTaken } from './start-run.ts';

/** What a merge queue wants to know about. */
export interface QueuedCommit {
  headSha: string;
  headRef: string;
  baseSha: string;
}

export type CommitPorts = StartRunPorts & {
  forge: Pick<FeedbackPort, 'committed' | 'changed'> | null;
  /** What the files of cases of a tenant may come to. */
  blobQuotaBytes: number;
};

/**
 * Starts the run of a commit in a merge queue, which no job has started, with what the last run of the base branch was
 * asked for. `onlyTaken`: only where nothing has to be measured. Null: nothing was started.
 */
export async function startQueuedRun(
  ports: CommitPorts,
  repository: EnrolledRepository,
  commit: QueuedCommit,
  { onlyTaken }: { onlyTaken: boolean },
): Promise<StartRunAnswer | null> {
  const { forge, database, blobQuotaBytes } = ports;
  if (forge === null) return null;
  const files = await forge.committed(repository, commit.headSha);
  if (files === null) return null;
  const loaded = await loadWholeCommit(files);
  if (!loaded.ok) return { ok: false, error: { code: 'INVALID_DEFINITIONS', problems: [loaded.problem] } };
  const { whole } = loaded;
  if (whole.suitePaths.length === 0) return null;
  const caller = await ownCaller(database, repository);
  for (const { content } of whole.caseFiles) await storeCaseFile(database, caller, content, blobQuotaBytes);
  const asked = await lastAsked(database, repository);
  const input = StartRunInput.parse({
    ...asked,
    ...partsOf(whole),
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
    selection: {
      ...asked.selection,
      suites: [],
      unaffected: await unaffectedBy(forge, repository, commit, whole),
    },
  });
  const own = { ...ports, hasReadCommit: true as const };
  return onlyTaken ? startTaken(own, caller, input) : startRun(own, caller, input);
}
