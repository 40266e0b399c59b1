import { StartRunInput } from '@proofmark/contracts/start-run-input';
import { takeDataOnly } from '@proofmark/domain/take-data-only';
import { sql } from 'kysely';
import { type Caller, scopedKey } from '../access/caller.ts';
import type { RowKey } from '../database/row-key.ts';
import { asWorker, type Database, inTenant } from '../database/transactions.ts';
import type { CommittedFiles, PullRequestNow } from '../feedback/feedback-port.ts';
import { bumpFeedback } from '../ledger/want-feedback.ts';
import { type EnrolledRepository, lastAsked, ownCaller, partsOf, storeCaseFile, unaffectedBy } from './commit-input.ts';
import { loadSuites, loadWholeCommit } from './load-whole-commit.ts';
import { type OldRun, readOldRun } from './rerun-run.ts';
import type { CommitPorts } from './start-queued-run.ts';
import { type StartRunAnswer, type StartRunError, startRun } from './start-run.ts';

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
  const caller = await ownCaller(database, repository);
  const idempotencyKey = `${held}:${repository.externalId}:${number}:${baseSha}:${headSha}`;
  if (!(await mayHold(database, repository, number, scopedKey(caller, idempotencyKey)))) return null;
  const ofHead = await forge.committed(repository, headSha, headRepository);
  const ofBase = await forge.committed(repository, baseSha);
  if (ofHead === null || ofBase === null) return null;
  const atBase = await loadWholeCommit(ofBase);
  if (!atBase.ok) return null;
  const { whole: base } = atBase;
  const suitePaths = base.suitePaths.filter((path) => ofHead.paths.has(path));
  if (suitePaths.length === 0) return null;
  const { projectPath } = base;
  const asked = await lastAsked(database, repository);
  const trigger = {
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
    title: now.title,
    ...(now.isFork ? { isFork: true } : {}),
  };
  const atHead = await loadSuites(underProject(ofHead, ofBase, projectPath), { suitePaths, projectPath });
  if (!atHead.ok) {
    const { message } = atHead.problem;
    const nothing = { files: [], suitePaths: [], projectPath: null, invalid: [{ file: '', line: 1, message }] };
    return startRun(
      { ...ports, hasReadCommit: true },
      caller,
      StartRunInput.parse({ ...asked, ...nothing, idempotencyKey, trigger }),
    );
  }
  const known = { ...atHead.whole, definitions: takeDataOnly(atHead.whole.definitions, base.definitions) };
  const unaffected = await unaffectedBy(forge, repository, { baseSha, headSha }, known);
  // What the commit takes away or breaks is a change, too.
  const isAffected = unaffected.length < base.suitePaths.length;
  const input = StartRunInput.parse({
    ...asked,
    ...partsOf(known),
    idempotencyKey,
    trigger: { ...trigger, ...(isAffected ? { approval: { state: 'awaited' } } : {}) },
    selection: { ...asked.selection, suites: [], unaffected },
  });
  return startRun({ ...ports, hasReadCommit: true }, caller, input);
}

/** How the keys of runs begin that wait for somebody to agree. */
const held = 'approval';

/** Commits of one pull request that are read in an hour: reading one takes hundreds of requests to the forge. */
const mostHeldAnHour = 20;

/** False where the commit is held already, and where its author pushes more than anybody would read. */
async function mayHold(
  database: Database,
  { tenantId, id: repositoryId }: EnrolledRepository,
  number: number,
  idempotencyKey: string,
): Promise<boolean> {
  return await asWorker(database, async (em) => {
    const { rows } = await sql<{ isKnown: boolean | null; held: number }>`
      select bool_or(idempotency_key = ${idempotencyKey}) as "isKnown",
        count(*) filter (where created_at > now() - interval '1 hour')::int as held
      from runs where tenant_id = ${tenantId} and repository_id = ${repositoryId} and pull_request = ${number}
        and idempotency_key like ${scopedKey({ repositoryId }, `${held}:%`)}`.execute(em.getKysely());
    return rows[0]?.isKnown !== true && (rows[0]?.held ?? 0) < mostHeldAnHour;
  });
}

/** The files of a commit with the project file of another one: patterns, models and limits are not for everybody to choose. */
function underProject(head: CommittedFiles, base: CommittedFiles, projectPath: string | null): CommittedFiles {
  const side = (path: string) => (path === projectPath ? base : head);
  const paths = new Set(projectPath === null ? head.paths : [...head.paths, projectPath]);
  return {
    paths,
    size: (path) => side(path).size(path),
    blobSha: (path) => side(path).blobSha(path),
    read: (path) => side(path).read(path),
  };
}

interface GivenApproval {
  runId: string;
  /** The commit that was read, and no other. */
  headSha: string;
  by: string;
  /** Null: there is no such pull request any more. */
  now: PullRequestNow | null;
}

/**
 * Runs what was held back, once however often somebody agrees. Where that cannot be, the check of the commit says why. Null:
 * the run was not waiting for it.
 */
export async function startApproved(
  ports: CommitPorts,
  repository: EnrolledRepository,
  given: GivenApproval,
): Promise<ApprovedAnswer | null> {
  const { database } = ports;
  const caller = await ownCaller(database, repository);
  const old = await inTenant(database, repository.tenantId, (em) => readOldRun(em, caller, given.runId));
  if (old?.trigger.approval?.state !== 'awaited') return null;
  const answer = await startHeld(ports, repository, caller, { ...given, old });
  if (!answer.ok) await tellRefusal(database, { tenantId: repository.tenantId, id: given.runId }, given.by, answer.why);
  return answer;
}

type ApprovedAnswer = Extract<StartRunAnswer, { ok: true }> | { ok: false; why: string };

const refuse = (why: string): ApprovedAnswer => ({ ok: false, why });

async function startHeld(
  ports: CommitPorts,
  repository: EnrolledRepository,
  caller: Caller,
  { runId, headSha, by, now, old }: GivenApproval & { old: OldRun },
): Promise<ApprovedAnswer> {
  const { database, forge, blobQuotaBytes } = ports;
  if (now === null || !now.isOpen) return refuse('the pull request is closed');
  if (now.headSha !== headSha)
    return refuse(`the pull request has a newer commit, ${now.headSha.slice(0, 7)}, which has a check of its own`);
  const ofHead = (await forge?.committed(repository, now.headSha, now.headRepository)) ?? null;
  if (ofHead === null) return refuse('its files cannot be listed: there are too many, or they are gone');
  const { requested, files, settings, trigger } = old;
  for (const { path } of requested.caseFiles) {
    if (!ofHead.paths.has(path)) continue;
    const stored = await storeCaseFile(database, caller, await ofHead.read(path), blobQuotaBytes);
    if (!stored.ok) return refuse(`${path} would take more room than the files of cases may have`);
  }
  const approved = { ...trigger, approval: { state: 'given', by } };
  const input = { ...requested, files, settings, trigger: approved, idempotencyKey: `approved:${runId}`, notes: null };
  const answer = await startRun({ ...ports, hasReadCommit: true }, caller, StartRunInput.parse(input));
  return answer.ok ? answer : refuse(inWords(answer.error));
}

const mostProblems = 5;

function inWords(error: StartRunError): string {
  switch (error.code) {
    case 'INVALID_DEFINITIONS':
    case 'INVALID_INPUT':
      return error.problems
        .slice(0, mostProblems)
        .map(({ file, line, message }) => (file === '' ? message : `${file}:${line} ${message}`))
        .join('; ');
    case 'IDEMPOTENCY_CONFLICT':
      return 'another run has its key';
    case 'MISSING_BLOBS':
      return `${error.digests.length} of the files of its cases are not in the commit`;
    case 'RATE_LIMITED':
    case 'FORBIDDEN':
      return error.message;
  }
}

async function tellRefusal(database: Database, run: RowKey, by: string, why: string): Promise<void> {
  await asWorker(database, async (em) => {
    await sql`
      update runs set trigger = jsonb_set(trigger, '{approval,refusal}', ${JSON.stringify({ by, why })}::jsonb)
      where tenant_id = ${run.tenantId} and id = ${run.id}`.execute(em.getKysely());
    await bumpFeedback(em, run);
  });
}
