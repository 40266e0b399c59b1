import { doubledPauseMs } from '../retry/retry-policy.ts';
/** How GitHub's refusals are met. Times are milliseconds. */
export type GitHubFailure =
  /** Nobody knows whether the write happened: read again before anything else. */
  | { kind: 'unknown'; reason: string }
  /** `isGuess`: GitHub did not say how long, so each further time is longer. */
  | { kind: 'wait'; reason: string; afterMs: number; isGuess: boolean }
  | { kind: 'token'; reason: string }
  | { kind: 'gone'; reason: string }
  | { kind: 'refused'; status: number; reason: string };

const secondaryLimitPauseMs = 60_000;
const longestGuessMs = 15 * 60_000;
const shortestPauseMs = 1_000;

/** How long to rest where GitHub has not said it, having rested so often in vain. */
export const guessedPauseMs = (times: number): number => doubledPauseMs(secondaryLimitPauseMs, times, longestGuessMs);

interface Answer {
  status: number;
  headers: Record<string, string | undefined>;
  message: string;
}

/** What an error of a request means for the work that made it. `nowMs` is the wall clock, for reset times. */
export function classifyGitHubFailure(error: unknown, nowMs: number): GitHubFailure {
  const answer = answerOf(error);
  if (answer === null) return { kind: 'unknown', reason: 'no answer from GitHub' };
  const { status, message } = answer;
  if (status >= 500) return { kind: 'unknown', reason: `GitHub answered ${status}` };
  if (status === 401) return { kind: 'token', reason: 'auth: GitHub refused the token' };
  const pause = pauseOf(answer, nowMs);
  if (pause !== null) return { kind: 'wait', reason: `rate limit of GitHub (${status})`, ...pause };
  if (status === 404 || status === 410) return { kind: 'gone', reason: `not found: ${message}` };
  return { kind: 'refused', status, reason: `GitHub refused (${status}): ${message}` };
}

/** How long everything of this installation rests, or null when the answer is no rate limit. */
function pauseOf(
  { status, headers, message }: Answer,
  nowMs: number,
): Pick<GitHubFailure & { kind: 'wait' }, 'afterMs' | 'isGuess'> | null {
  if (status !== 403 && status !== 429) return null;
  const seconds = Number(headers['retry-after']);
  if (headers['retry-after'] !== undefined && Number.isFinite(seconds)) return told(seconds * 1000);
  if (headers['x-ratelimit-remaining'] === '0') {
    return told(Number(headers['x-ratelimit-reset'] ?? 0) * 1000 - nowMs);
  }
  const isLimit = status === 429 || /secondary rate limit/i.test(message);
  return isLimit ? { afterMs: guessedPauseMs(0), isGuess: true } : null;
}

/** All of it, however long: whoever writes before would be refused again, and locked out for longer. */
const told = (ms: number) => ({ afterMs: Math.max(ms, shortestPauseMs), isGuess: false });

function answerOf(error: unknown): Answer | null {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return null;
  const response = 'response' in error && isRecord(error.response) ? error.response : {};
  const headers = isRecord(response.headers) ? response.headers : {};
  const texts = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
  // Without a response the status is Octokit's own 500 for a broken connection.
  if (Object.keys(response).length === 0) return null;
  return { status: error.status, headers: Object.fromEntries(texts), message: error.message.slice(0, 300) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
