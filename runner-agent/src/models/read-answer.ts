import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

export interface WholeAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface AnswerRules {
  signal: AbortSignal | null;
  /** Why the answer is not read at all, seen from its head alone; undefined: it is. */
  refuse: (status: number, headers: IncomingHttpHeaders) => Error | undefined;
  largestBody: number;
  /** Why an answer that is larger is not read to its end. */
  tooLarge: () => Error;
}

/**
 * Sends a request and reads the answer to its end. Rejects with the reason of the signal, with a refusal of the rules, or
 * with what broke the connection. Half the work of a stream of chunks, which counts where nothing else takes time.
 */
export function readAnswer(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { signal, refuse, largestBody, tooLarge }: AnswerRules,
): Promise<WholeAnswer> {
  if (signal?.aborted) return Promise.reject(signal.reason);
  const { promise, resolve, reject } = Promise.withResolvers<WholeAnswer>();
  const chunks: Buffer[] = [];
  let size = 0;
  let head: Omit<WholeAnswer, 'body'> | undefined;
  let controller: Dispatcher.DispatchController | undefined;
  let ended: Error | undefined;
  /** The rest of the answer is never received; before the request has left, nothing is sent. */
  const end = (why: Error): void => {
    ended ??= why;
    reject(why);
    controller?.abort(why);
  };
  const follow = (): void => end(asError(signal?.reason));
  const settled = (): void => signal?.removeEventListener('abort', follow);
  signal?.addEventListener('abort', follow);
  dispatcher.dispatch(request, {
    onRequestStart: (started) => {
      controller = started;
      if (ended) started.abort(ended);
    },
    onResponseStart: (_, status, headers) => {
      if (status < 200) return;
      const refusal = refuse(status, headers);
      if (refusal) return end(refusal);
      head = { status, headers };
    },
    onResponseData: (_, chunk) => {
      size += chunk.length;
      if (size > largestBody) return end(tooLarge());
      chunks.push(chunk);
    },
    onResponseEnd: () => {
      settled();
      if (head) resolve({ ...head, body: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size) });
      else reject(new Error('the answer ended before it began'));
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
