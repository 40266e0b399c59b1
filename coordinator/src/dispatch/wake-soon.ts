export type WokenLoop = 'publisher' | 'planner' | 'verdicts' | 'deliveries';

/** How long the beginning of a run has the thread and the ledger to itself, until runners have claimed it. */
const beginningMs = 25;

/**
 * What is called when a run was stored: its beginning leaves at once, and what else it may want follows. That is its checks on the
 * forge, the plan of what is left of it, and a verdict where nothing is to be executed.
 */
export function wakesOfNewRuns(wake: (...loops: WokenLoop[]) => void): () => void {
  const wakeRest = once(beginningMs, () => wake('deliveries', 'planner', 'verdicts'));
  return () => {
    wake('publisher');
    wakeRest();
  };
}

/** Calls that come together are one, so long after the first of them. */
export function once(withinMs: number, act: () => void): () => void {
  let isComing = false;
  return () => {
    if (isComing) return;
    isComing = true;
    setTimeout(() => {
      isComing = false;
      act();
    }, withinMs).unref();
  };
}
