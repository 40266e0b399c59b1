const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

export interface RetryAfterHeaders {
  /** `retry-after`: seconds or a date. */
  retryAfter: string | null;
  /** `retry-after-ms`, which wins because it says more. */
  retryAfterMs: string | null;
}

/** The pause a provider asks for, in ms; null for none, for a date in the past and for everything else that makes no sense. */
export function parseRetryAfter({ retryAfter, retryAfterMs }: RetryAfterHeaders, nowMs: number): number | null {
  const milliseconds = readNumber(retryAfterMs);
  if (milliseconds !== null) return milliseconds;
  const seconds = readNumber(retryAfter);
  if (seconds !== null) return seconds * 1000;
  const date = retryAfter?.trim() ?? '';
  if (!httpDate.test(date)) return null;
  const waitMs = Date.parse(date) - nowMs;
  return waitMs >= 0 ? waitMs : null;
}

function readNumber(text: string | null): number | null {
  if (text === null || !/^\d{1,12}(?:\.\d{1,6})?$/.test(text.trim())) return null;
  return Number(text);
}
