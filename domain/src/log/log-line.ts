import { redactText } from '../text/redact-text.ts';
import { screenSafe } from '../text/screen-safe-json.ts';

const longestMessage = 2_000;
const deepestCause = 5;

/** What a log keeps of an error: never the parameters, requests and rows that libraries hang on theirs. */
export interface DescribedError {
  type: string;
  message: string;
  code?: string;
  stack?: string;
  cause?: DescribedError;
}

/** Any thrown value as a log holds it. */
export function describeError(error: unknown, depth = 0): DescribedError {
  if (!(error instanceof Error)) return { type: typeof error, message: cut(String(error)) };
  const { name, stack, cause } = error;
  const code = codeOf(error);
  return {
    type: name,
    message: cut(reasonOf(error)),
    ...(code === undefined ? {} : { code }),
    ...(stack === undefined ? {} : { stack: cut(stack) }),
    ...(cause === undefined || depth >= deepestCause ? {} : { cause: describeError(cause, depth + 1) }),
  };
}

/** Why something failed, in one line. A name with several addresses fails with one error for each, and none of its own. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message === '' && error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return (error.message || error.name).replaceAll(/\s+/g, ' ');
}

function codeOf(error: Error): string | undefined {
  return 'code' in error && (typeof error.code === 'string' || typeof error.code === 'number')
    ? String(error.code)
    : undefined;
}

function cut(text: string): string {
  return text.length > longestMessage ? `${text.slice(0, longestMessage)}…` : text;
}

const masked = '[masked]';
/** Shorter values are placeholders of local set-ups; masking them would eat ordinary words. */
const shortest = 8;

/** A line of a log without the given secrets, plain or as JSON writes them, without anything shaped like a key or that a screen would obey. */
export function maskedLine(line: string, secrets: readonly string[]): string {
  const forms = secrets
    .filter((secret) => secret.length >= shortest)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]);
  const known = forms.reduce((rest, form) => rest.replaceAll(form, masked), line.trimEnd());
  return `${screenSafe(redactText(known))}\n`;
}

/** User and password of a URL that a library may repeat in an error; nothing when it has none, or is no URL. */
export function secretsOfUrl(url: string | undefined): string[] {
  const parsed = url === undefined ? null : URL.parse(url);
  if (parsed === null) return [];
  // A lone user name is a token in the URLs of NATS.
  const secret = decodeURIComponent(parsed.password || parsed.username);
  return secret === '' ? [] : [secret];
}

/** After a first line the wait is mentioned again this often: an operator who looks sees that it still lasts. */
const againMs = 10_000;
/** Another reason is news, unless two of them alternate. */
const changedMs = 2_000;

/** What a log says about something that is awaited: few lines, however often it is tried. `nowMs` is a monotonic time. */
export interface WaitingLines {
  /** The line that a failed try is worth, or null: the same was said a moment ago. */
  failed: (reason: string, nowMs: number) => string | null;
  /** The line for its arrival, or null when nothing was said about the wait. */
  over: (nowMs: number) => string | null;
  isWaiting: () => boolean;
}

export function waitingLines(what: string): WaitingLines {
  let sinceMs: number | null = null;
  let last = { reason: '', atMs: 0 };
  const seconds = (nowMs: number) => `${Math.round((nowMs - (sinceMs ?? nowMs)) / 1000)} s`;
  return {
    failed: (reason, nowMs) => {
      const isFirst = sinceMs === null;
      const quietMs = reason === last.reason ? againMs : changedMs;
      if (!isFirst && nowMs - last.atMs < quietMs) return null;
      sinceMs ??= nowMs;
      last = { reason, atMs: nowMs };
      return isFirst
        ? `Waiting for ${what}: ${reason}`
        : `Still waiting for ${what} after ${seconds(nowMs)}: ${reason}`;
    },
    over: (nowMs) => {
      if (sinceMs === null) return null;
      const line = `${what.charAt(0).toUpperCase()}${what.slice(1)} is there after ${seconds(nowMs)}`;
      sinceMs = null;
      return line;
    },
    isWaiting: () => sinceMs !== null,
  };
}
