import { classifyGitHubFailure, type GitHubFailure } from '@proofmark/domain/github-failure';
import type { Ask, AskGraphql } from '@proofmark/process/github';
import { ZodError } from 'zod';
import type { Job } from '../job/job.ts';

type Parameters = Readonly<Record<string, unknown>>;

/** GitHub's API for the repository of the job. What it refuses is thrown; `failureOf` says what that means. */
export interface Forge {
  owner: string;
  repo: string;
  /** Asks again when there is no answer. */
  read: Ask;
  /**
   * Sends once, not too soon after the write before: what became of one without an answer is read, never guessed. Null
   * when it is not wanted any more, which is asked right before.
   */
  write: (route: string, parameters?: Parameters, isStillWanted?: () => Promise<boolean>) => Promise<unknown>;
  graphql: AskGraphql;
}

export type ForgePorts = Pick<Job, 'environment' | 'now' | 'pause' | 'signal'>;

const timeoutMs = 15_000;
const readTries = 3;
const longestWaitMs = 60_000;

/** Opened with the token of the job; null without one. */
export async function openForge(token: string | null, job: ForgePorts): Promise<Forge | null> {
  if (token === null) return null;
  const { environment, now, pause } = job;
  const [owner = '', repo = ''] = environment.repository.split('/');
  // Loaded only here: it reads the event file on its own when it is loaded.
  const { getOctokit } = await import('@actions/github');
  const octokit = getOctokit(token, { baseUrl: environment.apiUrl });
  const send = async (route: string, parameters: Parameters): Promise<unknown> => {
    const options = { owner, repo, ...parameters, request: { signal: AbortSignal.timeout(timeoutMs) } };
    return (await octokit.request(route, options)).data;
  };
  let lastWriteMs = -environment.writeIntervalMs;
  return {
    owner,
    repo,
    read: (route, parameters = {}) => askAgain(job, () => send(route, parameters)),
    write: async (route, parameters = {}, isStillWanted) => {
      const waitMs = lastWriteMs + environment.writeIntervalMs - now();
      if (waitMs > 0) await pause(waitMs);
      if (isStillWanted !== undefined && !(await isStillWanted())) return null;
      lastWriteMs = now();
      return await send(route, parameters);
    },
    graphql: (query, variables) =>
      octokit.graphql(query, { ...variables, request: { signal: AbortSignal.timeout(timeoutMs) } }),
  };
}

/** What an error of a request means for the work that made it. */
export function failureOf(error: unknown, nowMs: number): GitHubFailure {
  if (error instanceof ZodError) return { kind: 'refused', status: 200, reason: 'GitHub answered in another form' };
  return classifyGitHubFailure(error, nowMs);
}

async function askAgain(job: ForgePorts, ask: () => Promise<unknown>): Promise<unknown> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await ask();
    } catch (error) {
      const waitMs = waitOf(failureOf(error, job.now()), job.environment.rereadMs * tried);
      if (waitMs === null || tried === readTries || job.signal.aborted) throw error;
      await job.pause(waitMs);
    }
  }
}

/** How long to wait before asking once more; null when that would help nothing. */
function waitOf(failure: GitHubFailure, rereadMs: number): number | null {
  if (failure.kind === 'unknown') return rereadMs;
  return failure.kind === 'wait' && failure.afterMs <= longestWaitMs ? failure.afterMs : null;
}
