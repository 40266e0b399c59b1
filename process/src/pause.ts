/** Resolves after `ms`, or rejects with the signal's reason as soon as it is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}

/** The same for loops that look at the signal themselves: resolves early when it is aborted. */
export function pauseOrStop(ms: number, signal: AbortSignal): Promise<void> {
  return pause(ms, signal).catch(() => undefined); // aborted is the only reason to reject
}

/** What comes of the promise, or the signal's reason as soon as it is aborted. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** A signal that ends with its parent or after its own time, and tells which of the two it was. */
export interface AbortScope extends Disposable {
  readonly signal: AbortSignal;
  readonly timedOut: boolean;
}

/**
 * Must be disposed, else its timer and its listener on the parent live on. Cheaper than `AbortSignal.any` with
 * `AbortSignal.timeout`, which keep every try reachable from a parent that lives as long as the process.
 */
export function abortScope(parent: AbortSignal, timeoutMs: number): AbortScope {
  const controller = new AbortController();
  let timedOut = false;
  const follow = (): void => controller.abort(parent.reason);
  const timer = setTimeout(() => {
    timedOut = true;
    controller.abort(new Error(`Timeout after ${timeoutMs}ms`));
  }, timeoutMs);
  if (parent.aborted) follow();
  else parent.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    get timedOut() {
      return timedOut;
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      parent.removeEventListener('abort', follow);
    },
  };
}
