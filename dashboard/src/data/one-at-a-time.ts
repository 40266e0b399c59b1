/** The task, never twice at once: all who ask while it runs share one more run, which begins after it. */
export function oneAtATime(task: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const begin = (): Promise<void> => {
    next = null;
    running = task().finally(() => {
      running = null;
    });
    return running;
  };
  return () => {
    if (running === null) return next ?? begin();
    next ??= running.then(begin, begin);
    return next;
  };
}
