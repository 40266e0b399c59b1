/** The answer broke a rule of ours before anyone could read it. */
export class RefusedAnswer extends Error {
  readonly reason: 'too_large' | 'too_deep' | 'redirect' | 'encoding' | 'not_json';

  constructor(reason: RefusedAnswer['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** A stream that came as it should and says what no answer says: asking again would cost money for the same. */
export class UnusableStream extends Error {}

/** A stream in which the provider itself reports that it cannot go on; its status line had left before. */
export class AbandonedStream extends Error {
  /** The status that it would have answered with; null when it does not say. */
  readonly status: number | null;
  readonly code: string | null;

  constructor(message: string, { status, code }: Pick<AbandonedStream, 'status' | 'code'>) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
