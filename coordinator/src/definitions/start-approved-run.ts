import { takeDataOnly } from '@proofmark/domain/take-data-only';
import { inTenant } from '../database/connect.ts';
import type { CommittedFiles, PullRequestNow } from '../feedback/feedback-port.ts';
import { loadSuites, loadWholeCommit } from '../runs/load-whole-commit.ts';
import { type StartRunAnswer, startRun } from '../runs/start-run.ts';
import { StartRunInput } from '../runs/start-run-input.ts';
import { type EnrolledRepository, lastAsked, ownCaller, partsOf, storeCaseFile, unaffectedBy } from './commit-input.ts';
import { readOldRun } from './rerun-run.ts';
import type { CommitPorts } from './start-queued-run.ts';

/** Whose jobs get no keys: they are run only when somebody with rights agrees. */
export const needsApproval = ({ isFork, author }: Pick<PullRequestNow, 'isFork' | 'author'>): boolean =>
  isFork || author === 'dependabot[bot]';

/**
 * Keeps what a commit of a fork would be run with, and shows on the commit that somebody has to agree. Nothing is executed
 * or stored of its cases. Null where the base has no suites.
 */
export async function holdForApproval(
  ports: CommitPorts,
  repository: EnrolledRepository,
  number: number,
  now: PullRequestNow,
): Promise<StartRunAnswer | null> {
  const { forge, database } = ports;
  if (forge === null) return null;
  const { headSha, baseSha, headRepository } = now;
  const ofHead = await forge.committed(repository, headSha, headRepository);
  const ofBase = await forge.committed(repository, baseSha);
  if (ofHead === null || ofBase === null) return null;
  const base = await loadWholeCommit(ofBase);
  const suitePaths = base.suitePaths.filter((path) => ofHead.paths.has(path));
  if (suitePaths.length === 0) return null;
  const { projectPath } = base;
  const whole = await loadSuites(underProject(ofHead, ofBase, projectPath), { suitePaths, projectPath });
  const asked = await lastAsked(database, repository);
  const known = { ...whole, definitions: takeDataOnly(whole.definitions, base.definitions) };
  const unaffected = await unaffectedBy(forge, repository, { baseSha, headSha }, known);
  // What the commit takes away or breaks is a change, too.
  const isAffected = unaffected.length < base.suitePaths.length;
  const input = StartRunInput.parse({
    ...asked,
    ...partsOf(known),
    idempotencyKey: `approval:${repository.externalId}:${number}:${baseSha}:${headSha}`,
    trigger: {
      triggeredBy: 'ci',
      event: 'pull_request',
      host: repository.host,
      repositoryExternalId: repository.externalId,
      repositoryFullName: repository.fullName,
      ref: `refs/pull/${number}/head`,
      headSha,
      baseSha,
      pullRequest: number,
      author: now.author,
      ...(now.isFork ? { isFork: true } : {}),
      ...(isAffected ? { approval: { state: 'awaited' } } : {}),
    },
    selection: { ...asked.selection, suites: [], unaffected },
  });
  return startRun(ports, await ownCaller(database, repository), input);
}

/** The files of a commit with the project file of another one: patterns, models and limits are not for everybody to choose. */
function underProject(head: CommittedFiles, base: CommittedFiles, projectPath: string | null): CommittedFiles {
  const side = (path: string) => (path === projectPath ? base : head);
  const paths = new Set(projectPath === null ? head.paths : [...head.paths, projectPath]);
  return { paths, size: (path) => side(path).size(path), read: (path) => side(path).read(path) };
}

/** Runs what was held back, once however often somebody agrees. Null: the run was not waiting for it, or its files are gone. */
export async function startApproved(
  ports: CommitPorts,
  repository: EnrolledRepository,
  { runId, by, now }: { runId: string; by: string; now: PullRequestNow },
): Promise<StartRunAnswer | null> {
  const { database, forge, blobQuotaBytes } = ports;
  const caller = await ownCaller(database, repository);
  const old = await inTenant(database, repository.tenantId, (em) => readOldRun(em, caller, runId));
  if (forge === null || old?.trigger.approval?.state !== 'awaited') return null;
  const { requested, files, settings, trigger } = old;
  const ofHead = await forge.committed(repository, now.headSha, now.headRepository);
  if (ofHead === null) return null;
  for (const { path } of requested.caseFiles) {
    if (ofHead.paths.has(path)) await storeCaseFile(database, caller, await ofHead.read(path), blobQuotaBytes);
  }
  const approved = { ...trigger, approval: { state: 'given', by } };
  const input = { ...requested, files, settings, trigger: approved, idempotencyKey: `approved:${runId}`, notes: null };
  return startRun(ports, caller, StartRunInput.parse(input));
}
