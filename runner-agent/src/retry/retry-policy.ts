/** Longer waits than this are not waited for: the try fails and says what the provider asked. */
export const longestRetryAfterMs = 60_000;

const retryableStatuses: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** Whether asking again may help. A used-up quota also answers 429, but waiting does not refill it. */
export function isRetryableStatus(status: number, code: string | null): boolean {
  if (code === 'insufficient_quota') return false;
  return status >= 500 || retryableStatuses.has(status);
}

/** 100, 200, 400 … ms plus up to 20 % jitter; `retriesDone` counts from 0, `random` is in [0, 1). */
export function retryDelayMs(retriesDone: number, random: number): number {
  return 100 * 2 ** retriesDone * (1 + 0.2 * random);
}

/** The wait a provider asks for in `retry-after-ms` or `retry-after` (seconds or a date); null for none, negative or junk. */
export function parseRetryAfter(header: (name: string) => string | null, now: Date): number | null {
  const milliseconds = readNumber(header('retry-after-ms'));
  if (milliseconds !== null) return milliseconds;
  const text = header('retry-after');
  const seconds = readNumber(text);
  if (seconds !== null) return seconds * 1000;
  if (text === null || !/^[A-Za-z]{3},/.test(text)) return null;
  const waitMs = Date.parse(text) - now.getTime();
  return waitMs >= 0 ? waitMs : null;
}

function readNumber(text: string | null): number | null {
  return text !== null && /^\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : null;
}
