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
