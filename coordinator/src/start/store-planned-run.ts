import type { EntityManager } from '@mikro-orm/postgresql';
import type { StartRunInput, Trigger } from '@proofmark/contracts/start-run-input';
import { caseLimits } from '@proofmark/domain/build-instrument';
import type { TestedAgent } from '@proofmark/domain/choose-baseline';
import { tracing } from '@proofmark/process/tracing';
import { type Caller, mayDo, scopedKey } from '../access/caller.ts';
import { digestsOf, keepBlobs } from '../blobs/blobs-of-run.ts';
import { shareContents } from '../database/contents-lock.ts';
import type { rerunKinds } from '../database/entities/run.ts';
import { linkSuites } from '../definitions/link-suites.ts';
import { keepAgents, type SuiteIds, storeDefinitions } from '../definitions/store-definitions.ts';
import { storeProject } from '../definitions/store-project.ts';
import { unaffectedId } from '../feedback/feedback-port.ts';
import { findCalibrations } from '../judging/suite-calibration.ts';
import { completeRun } from '../ledger/complete-run.ts';
import type { Fleets } from '../ledger/fleet.ts';
import { noteHead } from '../ledger/supersede.ts';
import { wantFeedback } from '../ledger/want-feedback.ts';
import type { DecidedRun } from './decide-run.ts';
import type { FoundRepository } from './find-repository.ts';
import { findTakenResults, mayTake } from './find-taken-results.ts';
import type { JobContent } from './join-active.ts';
import { preparePlan } from './prepare-plan.ts';
import { storeFiles, storeRun } from './store-run.ts';
import { measuringRun, storeSuiteRuns } from './store-suite-runs.ts';
import type { StoredSource } from './stored-source.ts';
import { isProposal } from './trust-trigger.ts';
import { version } from './version.ts';

/** The run whose result somebody wants looked at once more. */
export interface FurtherLook {
  runId: string;
  kind: (typeof rerunKinds)[number];
}

export interface Starting {
  runId: string;
  requestHash: string;
  caller: Caller;
  input: StartRunInput;
  trigger: Trigger;
  repository: FoundRepository | null;
  mergeBaseSha: string | null;
  baseCommit: string | null;
  baseAncestors: readonly string[] | null;
  baseAgents: readonly TestedAgent[];
  runSeed: string;
  decided: DecidedRun;
  /** What was sent and does not stand at the commit; null: nothing is known of. */
  unverified: readonly string[] | null;
  /** Null: no other job joins it. */
  content: JobContent | null;
  /** Null: the definitions were sent with the request. */
  source: StoredSource | null;
  /** Somebody pressed a button on the result of another run. */
  again: FurtherLook | null;
  /** Nothing is to be measured: without a result for all of it there is no run. */
  isOnlyTaken: boolean;
  /** What the pull request is about by now; an older run is stored, told as superseded and not executed. */
  currentHead: string | null;
  deadlineMs: number;
  /** Who is there to take its test runs. */
  fleets: Fleets;
}

/** It is thrown because only a throw rolls the transaction back. */
export class NotTaken extends Error {}

/** All or nothing. False: another request has stored the run of this key. */
export async function storePlannedRun(em: EntityManager, starting: Starting): Promise<boolean> {
  const { runId, caller, input, trigger, repository, decided, deadlineMs } = starting;
  const { tenantId, userId } = caller;
  const owner = { tenantId, userId, repositoryId: repository?.id ?? null };
  const calibrations = await findCalibrations(em, tenantId, decided.calibrations);
  const toMeasure = [...calibrations.values()].filter(({ calibration }) => calibration.known === null);
  const run = {
    ...owner,
    id: runId,
    input: {
      ...input,
      idempotencyKey: scopedKey(caller, input.idempotencyKey),
      settings: withBudget(input.settings, decided),
    },
    trigger,
    requestHash: starting.requestHash,
    contentHash: starting.content?.hash ?? null,
    jobs: caller.claims === null ? [] : [caller.claims.workflowRunId],
    traceParent: tracing()?.traceparent() ?? null,
    isBase: decided.isBase,
    mergeBaseSha: starting.mergeBaseSha,
    baseCommit: starting.baseCommit,
    baseAncestors: starting.baseAncestors,
    baseAgents: starting.baseAgents,
    removed: decided.removed,
    unverified: starting.unverified,
    runSeed: starting.runSeed,
    environment: { coordinator: version },
    deadlineMs,
    suiteRuns: decided.suiteRuns.length + toMeasure.length,
    rerunOf: starting.again?.runId ?? starting.source?.repeats?.runId ?? input.rescores ?? null,
    rerunKind: starting.again?.kind ?? null,
  };
  await shareContents(em, tenantId);
  if (!(await storeRun(em, run))) return false;
  await storeFiles(em, run);
  await keepBlobs(em, { tenantId, runId }, digestsOf(decided.suiteRuns));
  const taking = {
    repositoryId: owner.repositoryId,
    trigger,
    settings: input.settings,
    isBase: decided.isBase,
    // A comparison measures both of its sides.
    isRepeat:
      starting.source !== null ||
      starting.again !== null ||
      input.comparison !== undefined ||
      input.rescores !== undefined,
  };
  const [stored, prepared] = await Promise.all([
    rowsOf(em, starting, owner.repositoryId),
    preparePlan(decided.suiteRuns, { areExecuted: mayTake(taking) === null }),
  ]);
  const { fingerprints, partsOf } = prepared;
  const taken = await findTakenResults(em, decided.suiteRuns, { ...taking, fingerprints });
  if (starting.isOnlyTaken && decided.suiteRuns.some((planned) => !taken.has(planned))) throw new NotTaken();
  const suiteRuns = decided.suiteRuns.map((planned) => {
    const suite = stored.get(planned.suitePath);
    const settings = decided.settings.get(planned.suitePath);
    if (suite === undefined || settings === undefined)
      throw new Error(`${planned.suitePath} was planned but not stored`);
    const clusters = decided.clusters.get(planned.suitePath) ?? null;
    const calibration = calibrations.get(planned.suitePath)?.calibration ?? null;
    const fingerprint = fingerprints.get(planned) ?? null;
    return { planned, stored: suite, settings, clusters, calibration, taken: taken.get(planned) ?? null, fingerprint };
  });
  const limits = caseLimits(decided.definitions.project.limits);
  const measuring = toMeasure.map(({ planned }) => measuringRun(planned, { suiteRuns, limits }));
  const all = [...suiteRuns, ...measuring];
  const { fleets } = starting;
  await storeSuiteRuns(em, {
    tenantId,
    userId,
    runId,
    triggeredBy: trigger.triggeredBy,
    author: trigger.author,
    deadlineMs,
    suiteRuns: all,
    runSeed: starting.runSeed,
    fleets,
    partsOf,
  });
  if (repository !== null) await tellForge(em, starting, repository, stored);
  // Nothing is left to wait for where the change affects no suite.
  if (suiteRuns.length === 0) await completeRun(em, { tenantId, id: runId });
  return true;
}

/** What the run may spend is settled when it begins. */
function withBudget(settings: StartRunInput['settings'], { definitions }: DecidedRun): StartRunInput['settings'] {
  const { budget_usd, budget_tokens } = definitions.project.limits;
  return {
    ...settings,
    budgetUsd: settings.budgetUsd ?? budget_usd,
    budgetTokens: settings.budgetTokens ?? budget_tokens,
  };
}

/** The rows that the definitions of the run have: made or changed to fit what was sent, left alone for what was stored. */
async function rowsOf(
  em: EntityManager,
  { caller, input, trigger, decided, source }: Starting,
  repositoryId: string | null,
): Promise<ReadonlyMap<string, SuiteIds>> {
  const { tenantId, userId } = caller;
  const { suites } = decided.definitions;
  // What could not be read says nothing about what is stored.
  if (input.invalid !== undefined) return new Map();
  if (source !== null) return keepAgents(em, tenantId, suites, source.rows);
  // What a branch in progress says of a repository is for its own run alone.
  const isToldSo = trigger.event === null && !isProposal(trigger) && mayDo(caller, 'baseline:write');
  const isOwnWord = repositoryId === null ? !isProposal(trigger) : decided.isBase || isToldSo;
  // The candidate of a comparison is tried out: it is not yet what anybody has.
  const mayChange = isOwnWord && input.comparison === undefined;
  const stored = await storeDefinitions(em, { tenantId, userId, repositoryId, suites, mayChange });
  // Without a repository the project would be everybody's: that is for an import to say.
  if (mayChange && repositoryId !== null) {
    const { project } = decided.definitions;
    await storeProject(em, { tenantId, repositoryId, project, testTypes: decided.testTypes });
    await linkSuites(em, { ofRepository: repositoryId });
  }
  return stored;
}

async function tellForge(
  em: EntityManager,
  { caller: { tenantId }, trigger, runId, input: { settings }, decided, currentHead }: Starting,
  repository: FoundRepository,
  stored: ReadonlyMap<string, SuiteIds>,
): Promise<void> {
  const { pullRequest } = trigger;
  if (pullRequest !== null && currentHead !== null) {
    await noteHead(em, { tenantId, repositoryId: repository.id, number: pullRequest, headSha: currentHead });
  }
  if (!repository.isReporting) return;
  const suites = decided.definitions.suites.flatMap(({ path, suite: { name } }) => {
    const suiteId = stored.get(path)?.suiteId;
    return suiteId === undefined ? [] : [{ suiteId, name }];
  });
  const unaffected = decided.unaffected.map((name) => ({ suiteId: unaffectedId(name), name }));
  const all = [...suites, ...unaffected].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const { host, externalId, fullName } = repository;
  await wantFeedback(em, {
    tenantId,
    runId,
    repository: { host, externalId, fullName },
    trigger,
    settings,
    currentHead,
    suites: all,
  });
}
