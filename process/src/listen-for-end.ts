/** How a process comes to its end. */
export interface ProcessEnd {
  /** Aborted as soon as the end begins. */
  readonly signal: AbortSignal;
  /** Why it ends; rejects when it cannot go on. */
  readonly ended: Promise<string>;
  /** Whether somebody asked for the end; false as long as it goes on, and when it failed. */
  isAsked(): boolean;
  end(reason: string): void;
  fail(error: Error): void;
}

interface EndOptions {
  /** Told of the first signal, before anybody else learns that the end begins. */
  onFirst?: (signal: NodeJS.Signals) => void;
  /** How long the end may take after it; absent: as long as it takes. */
  withinMs?: number;
  /** Told why the process ends at once; whoever takes up its work brings back what it held. */
  onHaste: (reason: string) => void;
}

/** Waits for the first SIGTERM or SIGINT; a second one, or an end that takes too long, ends the process at once. */
export function listenForEnd({ onFirst, withinMs, onHaste }: EndOptions): ProcessEnd {
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
  const endNow = (reason: string): void => {
    onHaste(reason);
    process.exit(1);
  };
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) return endNow(`a second ${name}`);
      onFirst?.(name);
      end(name);
      if (withinMs !== undefined) setTimeout(() => endNow(`not drained within ${withinMs / 1000} s`), withinMs).unref();
    });
  }
  return { signal: controller.signal, ended: promise, isAsked: () => isAsked, end, fail };
}
