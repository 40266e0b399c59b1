import { randomBytes, randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { contentHash } from '@proofmark/contracts/content-hash';
import type { LoadedDefinitions, LoadResult } from '@proofmark/contracts/loaded';
import type { Problem } from '@proofmark/contracts/problem';
import { type StartRunInput, type Trigger, whatHasNoCommit } from '@proofmark/contracts/start-run-input';
import { runDeadlineMs } from '@proofmark/domain/cut-chunks';
import { takeDataOnly } from '@proofmark/domain/take-data-only';
import { inSpan } from '@proofmark/process/tracing';
import { type Caller, mayDo } from '../access/caller.ts';
import { chaosPoint } from '../database/chaos.ts';
import { retryConflicts } from '../database/retry-conflicts.ts';
import { type Database, inTenant } from '../database/transactions.ts';
import { readCallerFiles } from '../definitions/read-caller-files.ts';
import type { FeedbackPort } from '../feedback/feedback-port.ts';
import { readFleets } from '../ledger/fleet.ts';
import { supersedeOlder } from '../ledger/supersede.ts';
import { type DecidedRun, decideRun, type RunDecision, undecided } from './decide-run.ts';
import { type FoundBase, findBase } from './find-base.ts';
import { findCurrentHead, findMergeBase } from './find-commits.ts';
import { findObstacle, findRunByKey, type Obstacle } from './find-obstacle.ts';
import { type FoundRepository, findRepository } from './find-repository.ts';
import { contentOfJob, type JobContent, joinActive, joinAlone, sharedCheckName } from './join-active.ts';
import type { Base } from './load-base-definitions.ts';
import { refusePrograms } from './refuse-programs.ts';
import { rescoreAnswers } from './rescore-answers.ts';
import { type FurtherLook, NotTaken, type Starting, storePlannedRun } from './store-planned-run.ts';
import { narrowTo, type StoredSource } from './stored-source.ts';
import { isBaseRun, isProposal, trustedTrigger } from './trust-trigger.ts';
import { verifyContent } from './verify-content.ts';

export interface StartRunPorts {
  database: Database;
  /** Asked for the merge base of a pull request, what came before it and what stands there; null without an App. */
  forge:
    | (Pick<FeedbackPort, 'mergeBase' | 'ancestors'> & Partial<Pick<FeedbackPort, 'committed' | 'pullRequest'>>)
    | null;
  /** How long a run may take at least before what is open becomes an error; a large one may take longer. */
  deadlineMs: number;
  /** Test runs of a tenant that may be open at the same time; absent: 200,000. */
  mostOpenTestRuns?: number;
  /** What a run of a fork may spend that somebody approved; absent: a dollar. */
  forkBudgetUsd?: number;
  /** Whether agents that are programs may run on the runners; absent: no. */
  allowsPrograms?: boolean;
  /** The coordinator has read the files at the commit itself: there is nothing to hold against it. Absent: somebody sent them. */
  hasReadCommit?: true;
}

export type StartRunError =
  | { code: 'INVALID_DEFINITIONS'; problems: Problem[] }
  | { code: 'INVALID_INPUT'; problems: Problem[] }
  | { code: 'IDEMPOTENCY_CONFLICT'; runId: string }
  | Obstacle
  | { code: 'FORBIDDEN'; message: string };

export type StartRunAnswer =
  | { ok: true; runId: string; created: boolean; warnings: Problem[] }
  | { ok: false; error: StartRunError };

/** What is started where it is not what was sent. Failed cases are both: stored ones, and a further look at their run. */
interface StartOrder {
  /** Definitions that are stored, instead of the files of the input. */
  source?: StoredSource | null;
  /** The run whose result somebody wants looked at once more. */
  again?: FurtherLook | null;
}

/**
 * Stores a run with everything that it will do. When this resolves the run is durable; the same key again gives the same
 * run, and the same key for something else is refused. Without a source, the files of the input are the definitions
 * from now on, as far as the trigger may say so.
 */
export async function startRun(
  ports: StartRunPorts,
  caller: Caller,
  input: StartRunInput,
  { source = null, again = null }: StartOrder = {},
): Promise<StartRunAnswer> {
  const answer = await joinOrStart(ports, caller, input, { source, again, isOnlyTaken: false });
  if (answer === null) throw new Error('only a run that asks for it is left out when nothing can be taken over');
  return answer;
}

/** Stores the run where all of its results can be taken over from equal content; null, and nothing is stored, where not. */
export async function startTaken(
  ports: StartRunPorts,
  caller: Caller,
  input: StartRunInput,
): Promise<StartRunAnswer | null> {
  return joinOrStart(ports, caller, input, { source: null, again: null, isOnlyTaken: true });
}

type Special = Pick<Starting, 'source' | 'again' | 'isOnlyTaken'>;

/** What this process is starting in a ledger, by who asks for what. */
const underWayIn = new WeakMap<Database, Map<string, Promise<StartRunAnswer | null>>>();

/** A large run takes longer than a request may: whoever asks again while it is being stored gets its answer, and costs nothing. */
async function joinOrStart(
  ports: StartRunPorts,
  caller: Caller,
  input: StartRunInput,
  special: Special,
): Promise<StartRunAnswer | null> {
  if (!mayDo(caller, 'runs:write')) return refuse({ code: 'FORBIDDEN', message: 'This token may not start runs' });
  const trigger = trustedTrigger(caller, input.trigger);
  if (caller.kind !== 'run' && trigger.pullRequest !== null && !mayDo(caller, 'pull-requests:write')) {
    return refuse({ code: 'FORBIDDEN', message: 'This token may not speak for pull requests (pull-requests:write)' });
  }
  const misplaced = whatHasNoCommit(input, trigger);
  if (misplaced.length > 0) {
    const at = { severity: 'error', code: 'invalid_value', file: '', line: 1, column: 1 } as const;
    return refuse({ code: 'INVALID_INPUT', problems: misplaced.map((problem) => ({ ...at, ...problem })) });
  }
  const requestHash = special.source?.requestHash ?? hashRequest(input, trigger);
  const isRepeat = special.source !== null || special.again !== null || special.isOnlyTaken;
  const content = isRepeat ? null : contentOfJob(caller, input, { trigger, requestHash });
  const asked = { key: input.idempotencyKey, requestHash, headSha: content?.headSha ?? null };
  const { tenantId, kind, repositoryId, scopes } = caller;
  const who = { tenantId, kind, repositoryId, scopes: [...scopes].sort() };
  const what = contentHash({ ...asked, ...who, isOnlyTaken: special.isOnlyTaken });
  const underWay = underWayIn.get(ports.database) ?? new Map<string, Promise<StartRunAnswer | null>>();
  underWayIn.set(ports.database, underWay);
  const first = underWay.get(what);
  if (first !== undefined) {
    const answer = await first;
    return answer?.ok === true ? { ...answer, created: false } : answer;
  }
  const sketch = { name: 'startRun', attributes: { 'proofmark.trigger': trigger.triggeredBy } };
  const starting = inSpan(sketch, () => start(ports, { caller, input, trigger, asked, content, ...special })).finally(
    () => underWay.delete(what),
  );
  underWay.set(what, starting);
  return starting;
}

interface Request extends Special {
  caller: Caller;
  input: StartRunInput;
  trigger: Trigger;
  asked: Asked;
  /** Null: no other run is joined. */
  content: JobContent | null;
}

async function start(
  ports: StartRunPorts,
  { caller, input, trigger, asked, content, source, again, isOnlyTaken }: Request,
): Promise<StartRunAnswer | null> {
  const known = await lookUp(ports.database, { caller, asked, trigger, content });
  if (!known.ok) return known;
  if (known.runId !== null) return { ok: true, runId: known.runId, created: false, warnings: [] };
  const { repository } = known;
  const { requestHash } = asked;
  // Until somebody agrees the run is kept with nothing to do, and what strangers wrote is not even planned.
  if (input.invalid !== undefined || trigger.approval?.state === 'awaited') {
    const head = await findCurrentHead(ports.forge, repository, trigger);
    const decided = { ...undecided, unaffected: input.selection.unaffected };
    return store(ports, { ...nothingKnown, decided, caller, input, requestHash, repository, again, ...head });
  }
  const read = await readCallerFiles({ ...input, agentPaths: agentPathsOf(input) });
  if (!read.ok) return refuse({ code: 'INVALID_DEFINITIONS', problems: read.problems });
  const { files } = input;
  const [merge, unverified] = await Promise.all([
    findMergeBase(ports.forge, repository, trigger),
    verifyContent(ports, { repository, trigger, files }),
  ]);
  const isWanted = isProposal(trigger) && input.settings.baseline !== 'none' && repository !== null;
  const found = isWanted
    ? await findBase(ports, { caller, input, loaded: read.loaded, repository, merge })
    : notCompared;
  const runSeed = source?.repeats?.runSeed ?? randomBytes(16).toString('hex');
  const isBase = mayBeBase(caller, trigger, { repository, unverified });
  const isCompared = isProposal(trigger) || source?.repeats?.wasCompared === true;
  const { atMergeBase, agentsAtMergeBase } = found;
  const base = again?.kind === 'baseline' ? withoutHistory(found.base) : found.base;
  const loaded = asApproved(read.loaded, trigger, found);
  const within = withinForkBudget(input, trigger, loaded.definitions, ports.forkBudgetUsd);
  const { agents } = read.loaded;
  const decided = decideRun({
    input: within,
    loaded,
    agents,
    base,
    atMergeBase,
    runSeed,
    isProposal: isCompared,
    isBase,
  });
  const head = await findCurrentHead(ports.forge, repository, trigger);
  const programs = { areAllowed: ports.allowsPrograms, isFork: head.trigger.isFork, agents: agents.values() };
  const decision = await onAnswers(ports, { caller, input }, refusePrograms(narrowTo(source, decided), programs));
  if (!decision.ok) return refuse({ code: decision.code, problems: decision.problems });
  return store(ports, {
    caller,
    input: within,
    requestHash,
    repository,
    mergeBaseSha: merge.mergeBaseSha,
    baseCommit: base?.commit ?? null,
    baseAncestors: merge.ancestors,
    baseAgents: agentsAtMergeBase,
    runSeed,
    source,
    again,
    isOnlyTaken,
    ...head,
    decided: decision.run,
    unverified,
    content,
  });
}

/** The plan on the stored answers of another run, where that was asked for. */
async function onAnswers(
  { database }: StartRunPorts,
  { caller, input: { rescores: runId } }: Pick<Request, 'caller' | 'input'>,
  decision: RunDecision,
): Promise<RunDecision> {
  if (!decision.ok || runId === undefined) return decision;
  const rescored = await rescoreAnswers(database, caller, { runId, suiteRuns: decision.run.suiteRuns });
  if (!rescored.ok) return { ok: false, code: 'INVALID_INPUT', problems: rescored.problems };
  return { ok: true, run: { ...decision.run, suiteRuns: rescored.suiteRuns } };
}

/** The agents that a comparison names beside those of its suites. */
const agentPathsOf = ({ comparison }: StartRunInput): string[] =>
  [comparison?.baseline.agentPath, comparison?.candidate.agentPath].filter((path) => path != null);

/** Of a run whose definitions cannot be read: there is nothing to run and nothing to compare. */
const nothingKnown = {
  mergeBaseSha: null,
  baseCommit: null,
  baseAncestors: null,
  baseAgents: [],
  runSeed: '',
  source: null,
  isOnlyTaken: false,
  unverified: null,
  content: null,
};

const notCompared: FoundBase = { base: null, atMergeBase: null, agentsAtMergeBase: [] };

const refuse = (error: StartRunError): StartRunAnswer => ({ ok: false, error });

type LookUp =
  | { ok: true; runId: string | null; repository: FoundRepository | null }
  | { ok: false; error: StartRunError };

async function lookUp(
  database: Database,
  { caller, asked, trigger, content }: Pick<Request, 'caller' | 'asked' | 'trigger' | 'content'>,
): Promise<LookUp> {
  return inTenant(database, caller.tenantId, async (em): Promise<LookUp> => {
    const existing = await joinExisting(em, caller, asked);
    if (existing !== null) return existing.ok ? { ...existing, repository: null } : existing;
    const found = await findRepository(em, caller, trigger);
    if (!found.ok) return { ok: false, error: { code: 'FORBIDDEN', message: found.message } };
    // Whether another run becomes a base is known later; then it is looked for once more.
    const runId = isProposal(trigger) ? await joinActive(em, content, { isBase: false }) : null;
    return { ok: true, runId, repository: found.repository };
  });
}

type Existing = { ok: true; runId: string } | { ok: false; error: StartRunError };

/** The key of a request, and what makes it the same request. */
export interface Asked {
  key: string;
  requestHash: string;
  /** The commit of a job that may have joined the run of another one; absent: of none. */
  headSha?: string | null;
}

/** The run that was started with this key before: null when there is none, an error when it is about something else. */
export async function joinExisting(em: EntityManager, caller: Caller, asked: Asked): Promise<Existing | null> {
  const existing = await findRunByKey(em, caller, asked);
  if (existing === null) return null;
  if (existing === 'forbidden')
    return { ok: false, error: { code: 'FORBIDDEN', message: 'The run of this key is not yours' } };
  const { runId, requestHash } = existing;
  if (requestHash !== asked.requestHash) return { ok: false, error: { code: 'IDEMPOTENCY_CONFLICT', runId } };
  return { ok: true, runId };
}

function hashRequest({ idempotencyKey: _key, ...rest }: StartRunInput, trigger: Trigger): string {
  // Whoever corrects a title asks for the same run.
  return contentHash({ ...rest, trigger: { ...trigger, title: null } });
}

/** The base runs as often as the head again, whatever is known about it. */
const withoutHistory = (base: Base | null): Base | null => base && { ...base, historyTrials: 0 };

/** Which branches these are says the forge, and an admin of the repository; never the files of the request. */
function mayBeBase(
  caller: Caller,
  trigger: Trigger,
  { repository, unverified }: Pick<Starting, 'repository' | 'unverified'>,
): boolean {
  if (unverified !== null) return false;
  const { defaultBranch = null, baselineBranches = [] } = repository ?? {};
  return isBaseRun({ trigger, defaultBranch, baselineBranches, mayWriteBase: mayDo(caller, 'baseline:write') });
}

async function store(
  ports: StartRunPorts,
  starting: Omit<Starting, 'runId' | 'deadlineMs' | 'fleets'>,
): Promise<StartRunAnswer | null> {
  try {
    return await storeOrJoin(ports, starting);
  } catch (error) {
    if (error instanceof NotTaken) return null;
    throw error;
  }
}

/** All test runs of a suite run have the same limits. */
const loadOf = ({ suiteRuns }: DecidedRun) =>
  suiteRuns.flatMap(({ testRuns, pool }) => {
    const limits = testRuns.find(({ work }) => work !== null)?.work?.limits;
    if (limits === undefined) return [];
    const open = testRuns.reduce((sum, { work }) => (work === null ? sum : sum + 1), 0);
    return [{ pool, testRuns: open, caseTimeoutMs: limits.caseTimeoutMs }];
  });

async function storeOrJoin(
  ports: StartRunPorts,
  starting: Omit<Starting, 'runId' | 'deadlineMs' | 'fleets'>,
): Promise<StartRunAnswer> {
  const { caller, input, trigger, repository, decided, requestHash, content } = starting;
  const { mostOpenTestRuns } = ports;
  const runId = randomUUID();
  const fleets = await readFleets(ports.database);
  const deadlineMs = runDeadlineMs(loadOf(decided), fleets, ports.deadlineMs);
  const answer = await retryConflicts(() =>
    inTenant(ports.database, caller.tenantId, async (em): Promise<StartRunAnswer> => {
      const joined = await joinAlone(em, content, decided);
      if (joined !== null) return { ok: true, runId: joined, created: false, warnings: [] };
      const obstacle = await findObstacle(em, caller.tenantId, decided, mostOpenTestRuns);
      if (obstacle !== null) return refuse(obstacle);
      const isStored = await storePlannedRun(em, { ...starting, runId, deadlineMs, fleets });
      if (!isStored)
        return joinWinner(em, caller, { key: input.idempotencyKey, requestHash, headSha: content?.headSha ?? null });
      const shared = await sharedCheckName(em, content, input);
      await chaosPoint('before_run_commit');
      return { ok: true, runId, created: true, warnings: [...decided.warnings, ...shared] };
    }),
  );
  await chaosPoint('after_run_commit');
  const { currentHead } = starting;
  if (answer.ok && answer.created && repository !== null && trigger.pullRequest !== null && currentHead !== null) {
    const head = {
      tenantId: caller.tenantId,
      repositoryId: repository.id,
      number: trigger.pullRequest,
      headSha: currentHead,
    };
    await supersedeOlder(ports.database, head);
  }
  return answer;
}

/** The run that another request has stored under the key in the meantime. */
async function joinWinner(em: EntityManager, caller: Caller, asked: Asked): Promise<StartRunAnswer> {
  const existing = await joinExisting(em, caller, asked);
  if (existing === null) throw new Error('the run that has the key was removed at this moment');
  return existing.ok ? { ...existing, created: false, warnings: [] } : existing;
}

/**
 * What may be run of a commit for which a maintainer had to be asked: its data, with all else from the base. Nothing where
 * nobody knows the base.
 */
function asApproved(loaded: LoadResult, { approval }: Trigger, found: FoundBase): LoadResult {
  if (approval === undefined) return loaded;
  const base: LoadedDefinitions = found.atMergeBase ??
    found.base?.definitions ?? { project: loaded.definitions.project, suites: [] };
  return { ...loaded, definitions: takeDataOnly(loaded.definitions, base), testTypes: [] };
}

const usualForkBudgetUsd = 1;
/** Where a model has no price, money alone would be no limit. */
const mostForkTokens = 2_000_000;

/** What such a run may spend: what the base allows, and no more than the operator lets forks spend. */
function withinForkBudget(
  input: StartRunInput,
  { approval }: Trigger,
  { project }: LoadedDefinitions,
  forkBudgetUsd = usualForkBudgetUsd,
): StartRunInput {
  if (approval === undefined) return input;
  const { budget_usd, budget_tokens } = project.limits;
  const { settings } = input;
  const budgetUsd = Math.min(settings.budgetUsd ?? budget_usd ?? forkBudgetUsd, forkBudgetUsd);
  const budgetTokens = Math.min(settings.budgetTokens ?? budget_tokens ?? mostForkTokens, mostForkTokens);
  return { ...input, settings: { ...settings, budgetUsd, budgetTokens } };
}
