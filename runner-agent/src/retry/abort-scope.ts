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
