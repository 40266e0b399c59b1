import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { TrySignal } from '../retry/try-scope.ts';

export interface WholeAnswer<Body> {
  status: number;
  headers: IncomingHttpHeaders;
  body: Body;
}

/** Takes the body of one answer up, piece by piece. */
export interface BodyReader<Body> {
  /** What the next piece means: more may come (undefined), nothing more is wanted, or why the answer is not read on. */
  take(chunk: Buffer): 'over' | Error | undefined;
  /** The body, once nothing more comes; an error when that is too early. */
  end(): { body: Body } | Error;
}

export interface AnswerRules<Body> {
  signal: TrySignal | null;
  /** Who reads the answer with this head, or why it is not read at all. */
  reader: (status: number, headers: IncomingHttpHeaders) => BodyReader<Body> | Error;
}

/** A reader that wants nothing more lets the connection end in peace, and be used again, for so long. */
const graceMs = 500;

/**
 * Sends a request and reads the answer to its end. Rejects with the reason of the signal, with a refusal of the rules, or
 * with what broke the connection. Half the work of a stream of chunks, which counts where nothing else takes time.
 */
export function readAnswer<Body>(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  rules: AnswerRules<Body>,
): Promise<WholeAnswer<Body>> {
  if (rules.signal?.aborted) return Promise.reject(rules.signal.reason);
  const { promise, resolve, reject } = Promise.withResolvers<WholeAnswer<Body>>();
  dispatcher.dispatch(request, new Reading(rules, { resolve, reject }));
  return promise;
}

type Promised<Body> = Pick<PromiseWithResolvers<WholeAnswer<Body>>, 'resolve' | 'reject'>;

/** One answer while it comes. */
class Reading<Body> implements Dispatcher.DispatchHandler {
  readonly #rules: AnswerRules<Body>;
  readonly #promised: Promised<Body>;
  readonly #follow = (): void => this.#end(asError(this.#rules.signal?.reason));
  readonly #askedAtMs = performance.now();
  #head: Omit<WholeAnswer<Body>, 'body'> | undefined;
  #reader: BodyReader<Body> | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #ended: Error | undefined;
  #grace: NodeJS.Timeout | undefined;

  constructor(rules: AnswerRules<Body>, promised: Promised<Body>) {
    this.#rules = rules;
    this.#promised = promised;
    rules.signal?.addEventListener('abort', this.#follow);
  }

  onRequestStart(started: Dispatcher.DispatchController): void {
    // Only now is there a connection: an agent is no slower for being the first that is asked there.
    this.#rules.signal?.opened?.(performance.now() - this.#askedAtMs);
    this.#controller = started;
    if (this.#ended) started.abort(this.#ended);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    const found = this.#rules.reader(status, headers);
    if (found instanceof Error) this.#end(found);
    else {
      this.#reader = found;
      this.#head = { status, headers };
    }
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#grace || this.#ended) return;
    const verdict = this.#reader?.take(chunk);
    if (verdict instanceof Error) this.#end(verdict);
    else if (verdict === 'over') this.#leave();
  }

  #leave(): void {
    this.#finish();
    this.#settled();
    const leave = () => this.#controller?.abort(new Error('nothing more is wanted'));
    this.#grace = setTimeout(leave, graceMs).unref();
  }

  onResponseEnd(): void {
    this.#settled();
    if (!this.#grace) this.#finish();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#settled();
    this.#promised.reject(error);
  }

  /** The rest of the answer is never received; before the request has left, nothing is sent. */
  #end(why: Error): void {
    this.#ended ??= why;
    this.#promised.reject(why);
    this.#controller?.abort(why);
  }

  #settled(): void {
    this.#rules.signal?.removeEventListener('abort', this.#follow);
    clearTimeout(this.#grace);
  }

  #finish(): void {
    const read = this.#reader?.end() ?? new Error('the answer ended before it began');
    if (read instanceof Error) this.#promised.reject(read);
    else if (this.#head) this.#promised.resolve({ ...this.#head, body: read.body });
  }
}

const asError = (reason: unknown): Error =>
  reason instanceof Error ? reason : new Error('The call was aborted', { cause: reason });
