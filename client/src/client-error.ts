/** Why the coordinator gave no answer that can be used. */
export interface ClientError {
  /** `UNREACHABLE`, `UNEXPECTED_ANSWER`, or the code that the coordinator gave. */
  code: string;
  /** For people: what is wrong and, where we know it, what to do. */
  message: string;
  /** Trying the same again may help. */
  isTransient: boolean;
  /** How long the coordinator asks to wait first; null when it said nothing. */
  retryAfterMs: number | null;
}

export type Sent<Answer> = { ok: true; answer: Answer } | { ok: false; error: ClientError };

type Details = Partial<Omit<ClientError, 'code' | 'message'>>;

export function refused(code: string, message: string, details: Details = {}): { ok: false; error: ClientError } {
  return { ok: false, error: { code, message, isTransient: false, retryAfterMs: null, ...details } };
}
