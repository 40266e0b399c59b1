import { setTimeout as pause } from 'node:timers/promises';
import { classifyGitHubFailure, guessedPauseMs } from '@proofmark/domain/github-failure';
import { doubledPauseMs } from '@proofmark/domain/retry-policy';
import { changeCheck, compareCommits, createCheck, listChecks } from '@proofmark/process/github';
import { type Database, inTenant } from '../database/transactions.ts';
import { committedFiles, firstParents, readMayWrite, readPullRequest } from './ask-github.ts';
import { createAlone } from './create-alone.ts';
import { deliverCheck, type Writing } from './deliver-check.ts';
import { deliverComment } from './deliver-comment.ts';
import { deliverIssue } from './deliver-issue.ts';
import { failedDeliveries, redeliver } from './failed-deliveries.ts';
import {
  CheckSubject,
  CommentSubject,
  type DeliveryResult,
  type FeedbackPort,
  type FeedbackRow,
  type IssueRow,
  IssueSubject,
  type RepositoryRef,
  type StandIn,
  standInId,
} from './feedback-port.ts';
import { type AppSettings, GitHubApp, permissionsFor, type RepositoryClient } from './github-app.ts';
import { readCommentReport } from './read-comment-report.ts';
import { readRunReport } from './read-run-report.ts';
import { pauseOf, pauseWrites, takeWriteTurn, WritesPaused } from './write-pace.ts';

export interface FeedbackSettings extends AppSettings {
  publicUrl: string;
  serverUrl: string;
  writeIntervalMs: number;
  /** How long to wait before reading again after a write of which nobody knows whether it happened. */
  rereadMs: number;
}

const longestBackoffMs = 10 * 60_000;
const retryMissingTokenMs = 1_000;

/** Everything the coordinator does on GitHub, through its App on each server. */
export function createFeedback(database: Database, servers: readonly FeedbackSettings[]): FeedbackPort {
  const forges = new Map(
    servers.map((settings) => [settings.host, { database, settings, app: new GitHubApp(settings) }]),
  );
  const read = async <Answer>(repository: RepositoryRef, ask: (client: RepositoryClient) => Promise<Answer>) => {
    const forge = forges.get(repository.host);
    return forge === undefined ? null : await unlessUnknown(forge, repository, ask);
  };
  return {
    hasApp: (host) => forges.has(host),
    deliver: async (row, signal) => {
      const { host } = subjectOf(row).repository;
      const forge = forges.get(host);
      return forge === undefined
        ? { state: 'parked', reason: `no App is configured for ${host}` }
        : await deliver({ ...forge, signal }, row);
    },
    showStandIn: async (repository, standIn) => {
      const forge = forges.get(repository.host);
      const client = (await forge?.app.repository(repository)) ?? null;
      if (forge === undefined || client === null) return;
      // A turn is a few intervals away at most, so nobody has to end the waiting.
      await showStandIn(client, standIn, writingOf({ ...forge, signal: new AbortController().signal }, client));
    },
    mergeBase: async (repository, baseSha, headSha) => {
      const compared = await read(repository, ({ ask }) => compareCommits(ask, baseSha, headSha));
      return compared?.mergeBaseSha ?? null;
    },
    ancestors: (repository, sha, most) => read(repository, ({ ask }) => firstParents(ask, sha, most)),
    committed: async (repository, sha, alsoIn = null) => {
      const own = await read(repository, ({ ask }) => committedFiles(ask, sha));
      if (own !== null || alsoIn === null) return own;
      const [owner = '', repo = ''] = alsoIn.split('/');
      return await read(repository, ({ ask }) =>
        committedFiles((route, parameters) => ask(route, { ...parameters, owner, repo }), sha),
      );
    },
    changed: async (repository, baseSha, headSha) => {
      const compared = await read(repository, ({ ask }) => compareCommits(ask, baseSha, headSha));
      return compared?.change ?? null;
    },
    pullRequest: async (repository, number, expectedHead) => {
      const now = () => read(repository, ({ ask }) => readPullRequest(ask, number));
      const found = await now();
      if (found === null || expectedHead === null || found.headSha === expectedHead) return found;
      await pause(forges.get(repository.host)?.settings.rereadMs);
      return await now();
    },
    mayWrite: async (repository, login) => (await read(repository, ({ ask }) => readMayWrite(ask, login))) ?? false,
    isOwnBot: async (host, login) => login === (await forges.get(host)?.app.botLogin()),
    redeliverFailed: async (arrived) => {
      const asked = await Promise.allSettled([...forges.values()].map(({ app }) => redeliverMissing(app, arrived)));
      // One server that is down keeps nothing of another away.
      const down = asked.find((one) => one.status === 'rejected');
      if (down !== undefined) throw down.reason;
      return asked.reduce((sum, one) => sum + (one.status === 'fulfilled' ? one.value : 0), 0);
    },
    // A suspended installation refuses, and is as good as none.
    confirmInstallation: async (repository, ownerExternalId) => {
      const app = forges.get(repository.host)?.app;
      return app === undefined ? null : await unlessRefused(() => app.confirmInstallation(repository, ownerExternalId));
    },
  };
}

async function redeliverMissing(
  app: GitHubApp,
  arrived: Parameters<FeedbackPort['redeliverFailed']>[0],
): Promise<number> {
  const request = await app.asApp();
  const failed = await failedDeliveries(request, Date.now());
  const known = await arrived(failed.map(({ guid }) => guid));
  const missing = failed.filter(({ guid }) => !known.has(guid));
  for (const delivery of missing) await redeliver(request, delivery);
  return missing.length;
}

const subjects = { 'github-check': CheckSubject, 'github-comment': CommentSubject, 'github-issue': IssueSubject };

const subjectOf = ({ kind, subject }: FeedbackRow | IssueRow) => subjects[kind].parse(subject);

interface Ports {
  database: Database;
  settings: FeedbackSettings;
  app: GitHubApp;
  signal: AbortSignal;
}

async function deliver(ports: Ports, row: FeedbackRow | IssueRow): Promise<DeliveryResult> {
  const { repository } = subjectOf(row);
  try {
    const client = await ports.app.repository(repository, row.tries > 0, permissionsFor(row.kind));
    if (client === null) return { state: 'parked', reason: `the App is not installed on ${repository.fullName}` };
    return await write(ports, row, client);
  } catch (error) {
    return await afterFailure(ports, row, repository, error);
  }
}

function writingOf({ database, settings, app, signal }: Ports, { paceKey }: RepositoryClient): Writing {
  return {
    appId: app.appId,
    write: async (send) => {
      await takeWriteTurn(database, { paceKey, intervalMs: settings.writeIntervalMs, signal });
      return await send();
    },
    alone: (subject, work) => createAlone(database, subject, work),
  };
}

async function write(ports: Ports, row: FeedbackRow | IssueRow, client: RepositoryClient): Promise<DeliveryResult> {
  const { database, settings, app } = ports;
  const places = { publicUrl: settings.publicUrl, forgeUrl: () => settings.serverUrl };
  const writing = writingOf(ports, client);
  if (row.kind === 'github-issue')
    return await deliverIssue(row, client, { ...writing, botLogin: await app.botLogin() });
  if (row.kind === 'github-check') {
    const read = () => inTenant(database, row.tenantId, (em) => readRunReport(em.getKysely(), row.runId, places));
    return await deliverCheck(row, client, read, writing);
  }
  const { repository, pullRequest, commentKey } = CommentSubject.parse(row.subject);
  const { host, externalId } = repository;
  const readAt = (headSha: string) =>
    inTenant(database, row.tenantId, (em) =>
      readCommentReport(em.getKysely(), { host, externalId, pullRequest, commentKey, headSha }, places),
    );
  return await deliverComment(row, client, { ...writing, readAt, botLogin: await app.botLogin() });
}

async function afterFailure(
  ports: Ports,
  row: FeedbackRow | IssueRow,
  repository: RepositoryRef,
  error: unknown,
): Promise<DeliveryResult> {
  if (error instanceof WritesPaused) return { state: 'retry', reason: error.message, afterMs: error.afterMs };
  const failure = classifyGitHubFailure(error, Date.now());
  switch (failure.kind) {
    case 'unknown':
      return { state: 'retry', reason: failure.reason, afterMs: Math.max(ports.settings.rereadMs, backoff(row.tries)) };
    case 'wait': {
      const client = await ports.app.repository(repository);
      const afterMs = withJitter(failure.isGuess ? guessedPauseMs(row.tries) : failure.afterMs);
      if (client !== null) await pauseFor(ports, client, afterMs);
      return { state: 'retry', reason: failure.reason, afterMs };
    }
    case 'token':
      return row.tries === 0
        ? { state: 'retry', reason: failure.reason, afterMs: retryMissingTokenMs }
        : { state: 'parked', reason: failure.reason };
    case 'gone':
      // What we knew under an id was deleted: look again without the id, and create it once more.
      return row.externalId === null
        ? { state: 'parked', reason: failure.reason }
        : { state: 'retry', reason: failure.reason, afterMs: 0, externalId: '' };
    case 'refused':
      return { state: 'parked', reason: `${failure.reason}${cureOf(row)}`, isFinal: failure.status === 422 };
  }
}

async function pauseFor(
  { database, settings }: Pick<Ports, 'database' | 'settings'>,
  { paceKey }: RepositoryClient,
  afterMs: number,
): Promise<void> {
  settings.told?.paused();
  await pauseWrites(database, paceKey, afterMs);
}

/** What nothing else needs, an installation may not have been given. */
const cureOf = ({ kind }: FeedbackRow | IssueRow): string =>
  kind === 'github-issue' ? ' Give the App the repository permission "Issues: Read and write", and accept it.' : '';

/** Never shorter: all replicas would else come back in the same moment. */
const withJitter = (ms: number): number => Math.ceil(ms * (1 + 0.1 * Math.random()));

const backoff = (tries: number): number => doubledPauseMs(1_000, tries, longestBackoffMs);

type Reading = Omit<Ports, 'signal'>;

/**
 * What GitHub answers about commits; null when it does not know them or the App is not installed. While it has asked for a
 * pause nothing is read either: whoever goes on asking is locked out for longer.
 */
async function unlessUnknown<Answer>(
  { database, settings, app }: Reading,
  repository: RepositoryRef,
  ask: (client: RepositoryClient) => Promise<Answer>,
): Promise<Answer | null> {
  const client = await app.repository(repository);
  if (client === null) return null;
  const { paceKey } = client;
  const restMs = await pauseOf(database, paceKey, settings.writeIntervalMs);
  if (restMs > 0) throw new WritesPaused(restMs);
  try {
    return await unlessRefused(() => ask(client));
  } catch (error) {
    const failure = classifyGitHubFailure(error, Date.now());
    if (failure.kind === 'wait') await pauseFor({ database, settings }, client, withJitter(failure.afterMs));
    throw error;
  }
}

async function unlessRefused<Answer>(ask: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await ask();
  } catch (error) {
    const failure = classifyGitHubFailure(error, Date.now());
    if (failure.kind === 'gone' || failure.kind === 'refused') return null;
    throw error;
  }
}

/** Opens the check, or ends it where nothing came. A check that a run has already is left alone. */
async function showStandIn({ owner, repo, ask }: RepositoryClient, standIn: StandIn, writing: Writing): Promise<void> {
  const { headSha, name, conclusion, title } = standIn;
  const shown = {
    output: { title, summary: title },
    ...(conclusion === null ? { status: 'in_progress' } : { status: 'completed', conclusion }),
  };
  await writing.alone(`check:${owner}/${repo}:${headSha}`, () =>
    writing.write(async () => {
      const all = await listChecks(ask, { headSha, name, appId: writing.appId });
      const open = all.find((one) => one.externalId === standInId(standIn) && !one.isCompleted);
      if (open !== undefined && conclusion !== null) await changeCheck(ask, open.id, shown);
      if (all.length > 0) return;
      await createCheck(ask, { name, head_sha: headSha, external_id: standInId(standIn), ...shown });
    }),
  );
}
