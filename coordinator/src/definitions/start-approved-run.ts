import { inTenant } from '../database/connect.ts';
import type { PullRequestNow } from '../feedback/feedback-port.ts';
import { loadCommitted } from '../runs/load-committed.ts';
import { loadWholeCommit, type WholeCommit } from '../runs/load-whole-commit.ts';
import { type StartRunAnswer, startRun } from '../runs/start-run.ts';
import { StartRunInput } from '../runs/start-run-input.ts';
import {
  type EnrolledRepository,
  lastAsked,
  ownCaller,
  partsOf,
  storeCaseFiles,
  unaffectedBy,
} from './commit-input.ts';
import { readOldRun } from './rerun-run.ts';
import type { CommitPorts } from './start-queued-run.ts';

/** Whose jobs get no keys: they are run only when somebody with rights agrees. */
export const needsApproval = ({ isFork, author }: Pick<PullRequestNow, 'isFork' | 'author'>): boolean =>
  isFork || author === 'dependabot[bot]';

/**
 * Keeps what a commit of a fork would be run with, and shows on the commit that somebody has to agree. Nothing is executed.
 * Null where there is nothing that it could change.
 */
export async function holdForApproval(
  ports: CommitPorts,
  repository: EnrolledRepository,
  number: number,
  now: PullRequestNow,
): Promise<StartRunAnswer | null> {
  const { forge, database, blobQuotaBytes } = ports;
  if (forge === null) return null;
  const { headSha, baseSha, headRepository } = now;
  const files = await forge.committed(repository, headSha, headRepository);
  const ofBase = await forge.committed(repository, baseSha);
  if (files === null || ofBase === null) return null;
  const whole = await loadWholeCommit(files);
  const known = onlyKnown(whole, await loadCommitted(ofBase, whole));
  if (known.suitePaths.length === 0) return null;
  const caller = await ownCaller(database, repository);
  await storeCaseFiles(database, caller, known, blobQuotaBytes);
  const asked = await lastAsked(database, repository);
  const unaffected = await unaffectedBy(forge, repository, { baseSha, headSha }, known);
  const isAffected = known.definitions.suites.length > unaffected.length;
  const input = StartRunInput.parse({
    ...asked,
    ...partsOf(known),
    idempotencyKey: `approval:${repository.externalId}:${number}:${headSha}`,
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
  return startRun(ports, caller, input);
}

/** Without the suites that only the fork has: what they would be judged by is the fork's, too. */
function onlyKnown(whole: WholeCommit, base: WholeCommit['definitions']): WholeCommit {
  const names = new Set(base.suites.map(({ suite }) => suite.name));
  const paths = new Set(base.suites.map(({ path }) => path));
  const suites = whole.definitions.suites.filter(({ path, suite }) => names.has(suite.name) || paths.has(path));
  const kept = new Set(suites.map(({ path }) => path));
  return {
    ...whole,
    definitions: { ...whole.definitions, suites },
    suitePaths: whole.suitePaths.filter((path) => kept.has(path)),
  };
}

/** Runs what was held back, once however often somebody agrees. Null: the run was not waiting for it. */
export async function startApproved(
  ports: CommitPorts,
  repository: EnrolledRepository,
  runId: string,
  by: string,
): Promise<StartRunAnswer | null> {
  const { database } = ports;
  const caller = await ownCaller(database, repository);
  const old = await inTenant(database, repository.tenantId, (em) => readOldRun(em, caller, runId));
  if (old?.trigger.approval?.state !== 'awaited') return null;
  const { requested, files, settings, trigger } = old;
  const approved = { ...trigger, approval: { state: 'given', by } };
  const input = { ...requested, files, settings, trigger: approved, idempotencyKey: `approved:${runId}`, notes: null };
  return startRun(ports, caller, StartRunInput.parse(input));
}
