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
  { signal, reader: readerOf }: AnswerRules<Body>,
): Promise<WholeAnswer<Body>> {
  if (signal?.aborted) return Promise.reject(signal.reason);
  const { promise, resolve, reject } = Promise.withResolvers<WholeAnswer<Body>>();
  let head: Omit<WholeAnswer<Body>, 'body'> | undefined;
  let reader: BodyReader<Body> | undefined;
  let controller: Dispatcher.DispatchController | undefined;
  let ended: Error | undefined;
  let grace: NodeJS.Timeout | undefined;
  /** The rest of the answer is never received; before the request has left, nothing is sent. */
  const end = (why: Error): void => {
    ended ??= why;
    reject(why);
    controller?.abort(why);
  };
  const follow = (): void => end(asError(signal?.reason));
  const settled = (): void => {
    signal?.removeEventListener('abort', follow);
    clearTimeout(grace);
  };
  const finish = (): void => {
    const read = reader?.end() ?? new Error('the answer ended before it began');
    if (read instanceof Error) reject(read);
    else if (head) resolve({ ...head, body: read.body });
  };
  signal?.addEventListener('abort', follow);
  const askedAtMs = performance.now();
  dispatcher.dispatch(request, {
    onRequestStart: (started) => {
      // Only now is there a connection: an agent is no slower for being the first that is asked there.
      signal?.opened?.(performance.now() - askedAtMs);
      controller = started;
      if (ended) started.abort(ended);
    },
    onResponseStart: (_, status, headers) => {
      if (status < 200) return;
      const found = readerOf(status, headers);
      if (found instanceof Error) return end(found);
      reader = found;
      head = { status, headers };
    },
    onResponseData: (_, chunk) => {
      if (grace || ended) return;
      const verdict = reader?.take(chunk);
      if (verdict instanceof Error) return end(verdict);
      if (verdict === undefined) return;
      finish();
      settled();
      grace = setTimeout(() => controller?.abort(new Error('nothing more is wanted')), graceMs).unref();
    },
    onResponseEnd: () => {
      settled();
      if (!grace) finish();
    },
    onResponseError: (_, error) => {
      settled();
      reject(error);
    },
  });
  return promise;
}

const asError = (reason: unknown): Error =>
  reason instanceof Error ? reason : new Error('The call was aborted', { cause: reason });
