/** How a process comes to its end. */
export interface Ending {
  /** Aborted as soon as the end begins. */
  readonly signal: AbortSignal;
  /** Why it ends; rejects when it cannot go on. */
  readonly ended: Promise<string>;
  /** Whether somebody asked for the end; false as long as it goes on, and when it failed. */
  isAsked(): boolean;
  end(reason: string): void;
  fail(error: Error): void;
}

/** Waits for the first SIGTERM or SIGINT; a second one ends the process at once, and the lease brings back what it held. */
export function listenForEnd(onSecond: (signal: NodeJS.Signals) => void): Ending {
  let isAsked = false;
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  // Whoever awaits it learns of a failure; until then it must not count as unhandled.
  promise.catch(() => undefined);
  const controller = new AbortController();
  const end = (reason: string): void => {
    isAsked ||= !controller.signal.aborted;
    controller.abort(new Error(reason));
    resolve(reason);
  };
  const fail = (error: Error): void => {
    controller.abort(error);
    reject(error);
  };
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) {
        onSecond(name);
        process.exit(1);
      }
      end(name);
    });
  }
  return { signal: controller.signal, ended: promise, isAsked: () => isAsked, end, fail };
}
