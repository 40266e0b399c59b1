import type { WantedComment } from '@proofmark/domain/comment-update';
import type { GitHubFailure } from '@proofmark/domain/github-failure';
import { doubledPauseMs } from '@proofmark/domain/retry-policy';
import type { WantedCheck } from '@proofmark/domain/wanted-checks';
import { type Forge, failureOf } from '../forge/open-forge.ts';
import type { ReportMode } from '../job/decide-exit.ts';
import { foreignLine, type Job } from '../job/job.ts';
import { showCheck, showComment } from './show.ts';

/** How a run shall look on GitHub now. */
export interface Rendering {
  checks: readonly WantedCheck[];
  /** Null: whatever comment there is stays as it is. */
  comment: WantedComment | null;
}

/** Writes checks and comment, or leaves that to somebody else. Trouble with it never changes how the job ends. */
export interface Reporter {
  /** `summary` as soon as it turns out that nothing can be written. */
  mode: () => ReportMode;
  show: (rendering: Rendering) => Promise<void>;
}

/** The coordinator writes by itself, or nobody does. */
export function silentReporter(mode: ReportMode): Reporter {
  return { mode: () => mode, show: () => Promise.resolve() };
}

interface TokenReport {
  forge: Forge;
  headSha: string;
  /** Null: there is nowhere to comment. */
  pullRequest: number | null;
  detailsUrl: string;
  /** The permissions that the job needs, for the message. */
  permissions: readonly string[];
  /** What else would help, for the message. */
  instead: string;
}

const mostTries = 4;
const longestWaitMs = 60_000;

/** Writes with the token of the job. The first refused write settles that nothing more is tried. */
export function tokenReporter({ forge, permissions, instead, ...target }: TokenReport, job: Job): Reporter {
  let written = 0;
  let failed = 0;
  let isRefused = false;
  /** False: nothing more of this rendering can be written. */
  const write = async (what: string, work: Work): Promise<boolean> => {
    const failure = await persist(work, job);
    if (failure === null) {
      written += 1;
      return true;
    }
    failed += 1;
    isRefused = isRefusal(failure);
    const message = `${what} cannot be written: ${foreignLine(failure.reason)}`;
    job.remark({ level: 'warning', message: isRefused ? `${refusal(failure, permissions)}${instead}` : message });
    return failure.kind === 'refused' && !isRefused;
  };
  return {
    mode: () => (failed > 0 && written === 0 ? 'summary' : 'token'),
    show: async ({ checks, comment }) => {
      if (isRefused) return;
      for (const check of checks) {
        const what = `The check ${foreignLine(check.name)}`;
        if (!(await write(what, (lookAgain) => showCheck(forge, target, check, lookAgain)))) return;
      }
      const { pullRequest, headSha } = target;
      if (comment === null || pullRequest === null) return;
      const place = { pullRequest, headSha };
      await write('The comment', (lookAgain) => showComment(forge, place, comment, lookAgain));
    },
  };
}

/** One write. It asks `lookAgain` before it creates what it did not find: true when it has to look once more. */
type Work = (lookAgain: () => Promise<boolean>) => Promise<void>;

/** Repeats a write whose outcome is not known; every try reads before it writes. Null when it is done. */
async function persist(work: Work, { environment, now, pause, signal }: Job): Promise<GitHubFailure | null> {
  for (let tried = 1; ; tried += 1) {
    try {
      // What was stored although its answer was lost may take a moment to be listed.
      await work(async () => {
        if (tried > 1) await pause(environment.rereadMs);
        return tried > 1;
      });
      return null;
    } catch (error) {
      const failure = failureOf(error, now());
      const waitMs = failure.kind === 'wait' ? failure.afterMs : doubledPauseMs(environment.rereadMs, tried - 1);
      const isHopeless = failure.kind !== 'wait' && failure.kind !== 'unknown';
      if (isHopeless || tried === mostTries || waitMs > longestWaitMs || signal.aborted) return failure;
      await pause(waitMs);
    }
  }
}

function isRefusal(failure: GitHubFailure): boolean {
  return failure.kind === 'token' || (failure.kind === 'refused' && failure.status === 403);
}

function refusal({ reason }: GitHubFailure, permissions: readonly string[]): string {
  const block = ['permissions:', ...permissions.map((one) => `  ${one}`)].join('\n');
  return `Cannot write checks or comments. Add these permissions to the job:\n${block}\n(${foreignLine(reason)})`;
}

/** Says when the progress of a run is worth a write. */
export interface ProgressClock {
  /** True at most four times: once after each of the pauses. */
  isDue: () => boolean;
}

const momentsMs = [15_000, 60_000, 240_000, 960_000];

/** 15 seconds after the start, then after 1, 4 and 16 minutes. */
export function progressClock(now: () => number): ProgressClock {
  const startedMs = now();
  let next = 0;
  return {
    isDue: () => {
      const passedMs = now() - startedMs;
      const isDue = passedMs >= (momentsMs[next] ?? Number.POSITIVE_INFINITY);
      if (isDue) next = momentsMs.findIndex((moment) => moment > passedMs);
      if (next === -1) next = momentsMs.length;
      return isDue;
    },
  };
}
