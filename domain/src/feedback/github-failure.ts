/** How GitHub's refusals are met. Times are milliseconds. */
export type GitHubFailure =
  /** Nobody knows whether the write happened: read again before anything else. */
  | { kind: 'unknown'; reason: string }
  | { kind: 'wait'; reason: string; afterMs: number }
  | { kind: 'token'; reason: string }
  | { kind: 'gone'; reason: string }
  | { kind: 'refused'; status: number; reason: string };

const secondaryLimitPauseMs = 60_000;
const longestPauseMs = 15 * 60_000;

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
  if (pause !== null) return { kind: 'wait', reason: `rate limit of GitHub (${status})`, afterMs: pause };
  if (status === 404 || status === 410) return { kind: 'gone', reason: `not found: ${message}` };
  return { kind: 'refused', status, reason: `GitHub refused (${status}): ${message}` };
}

/** How long everything of this installation rests, or null when the answer is no rate limit. */
function pauseOf({ status, headers, message }: Answer, nowMs: number): number | null {
  if (status !== 403 && status !== 429) return null;
  const seconds = Number(headers['retry-after']);
  if (headers['retry-after'] !== undefined && Number.isFinite(seconds)) return clampPause(seconds * 1000);
  if (headers['x-ratelimit-remaining'] === '0') {
    return clampPause(Number(headers['x-ratelimit-reset'] ?? 0) * 1000 - nowMs);
  }
  return status === 429 || /secondary rate limit/i.test(message) ? secondaryLimitPauseMs : null;
}

function clampPause(ms: number): number {
  return Math.min(Math.max(ms, 1_000), longestPauseMs);
}

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
