type QueueOptions<Call> = {
  /** Calls that are answered at the same time. */
  atOnce: number;
  /** Beyond these the one that waits longest goes: it is the first that nobody waits for any more. */
  mostWaiting: number;
  /** How long whoever asked waits for an answer. */
  patienceMs: (call: Call) => number;
  answer: (call: Call) => Promise<void>;
  onDropped: (call: Call) => void;
};

interface CallQueue<Call> {
  /** A call has come at this time of the monotonic clock. */
  add: (call: Call, nowMs: number) => void;
  /** All that was added is answered or dropped. */
  empty: () => Promise<void>;
}

/**
 * Answers calls in their order, so many at once. What its asker has given up by its turn is dropped: answering it would
 * only make the next one late as well, and an overload would never end.
 */
export function callQueue<Call>(options: QueueOptions<Call>): CallQueue<Call> {
  const { atOnce, mostWaiting, patienceMs, answer, onDropped } = options;
  const waiting: { call: Call; untilMs: number }[] = [];
  let running = 0;
  let emptied = Promise.withResolvers<void>();
  emptied.resolve();
  const next = (): Call | undefined => {
    for (let first = waiting.shift(); first !== undefined; first = waiting.shift()) {
      if (performance.now() < first.untilMs) return first.call;
      onDropped(first.call);
    }
    return undefined;
  };
  const work = async () => {
    running += 1;
    for (let call = next(); call !== undefined; call = next()) await answer(call);
    running -= 1;
    if (running === 0) emptied.resolve();
  };
  return {
    add: (call, nowMs) => {
      if (running === 0) emptied = Promise.withResolvers<void>();
      waiting.push({ call, untilMs: nowMs + patienceMs(call) });
      const [longest] = waiting.length > mostWaiting ? waiting.splice(0, 1) : [];
      if (longest !== undefined) onDropped(longest.call);
      if (running < atOnce) void work();
    },
    empty: () => emptied.promise,
  };
}
