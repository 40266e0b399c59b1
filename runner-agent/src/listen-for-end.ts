/** How a process comes to its end. */
export interface Ending {
  /** Aborted as soon as the end begins. */
  readonly signal: AbortSignal;
  /** Why it ends; rejects when it cannot go on. */
  readonly ended: Promise<string>;
  end(reason: string): void;
  fail(error: Error): void;
}

/** Waits for the first SIGTERM or SIGINT; a second one ends the process at once, and the lease brings back what it held. */
export function listenForEnd(): Ending {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  // Whoever awaits it learns of a failure; until then it must not count as unhandled.
  promise.catch(() => undefined);
  const controller = new AbortController();
  const end = (reason: string): void => {
    controller.abort(new Error(reason));
    resolve(reason);
  };
  const fail = (error: Error): void => {
    controller.abort(error);
    reject(error);
  };
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(1);
      end(name);
    });
  }
  return { signal: controller.signal, ended: promise, end, fail };
}
