import type { Sent } from './send-operation.ts';

export interface RetryTimes {
  /** How long to go on trying, counted from the first try; 0: one try. */
  forMs: number;
  /** Pause before the second try at the most; it doubles up to `maxPauseMs`. */
  firstPauseMs?: number;
  maxPauseMs?: number;
  now: () => number;
  random: () => number;
  pause: (ms: number) => Promise<void>;
  /** Told before each pause. */
  onRetry?: (message: string) => void;
}

/** The first answer, or the last failure once it is final or the time is over. The pauses have full jitter. */
export async function retryTransient<Answer>(
  policy: RetryTimes,
  attempt: () => Promise<Sent<Answer>>,
): Promise<Sent<Answer>> {
  const { forMs, firstPauseMs = 1000, maxPauseMs = 8000, now, random, pause, onRetry } = policy;
  const deadline = now() + forMs;
  for (let ceiling = firstPauseMs; ; ceiling = Math.min(ceiling * 2, maxPauseMs)) {
    const sent = await attempt();
    if (sent.ok || !sent.error.isTransient) return sent;
    const pauseMs = sent.error.retryAfterMs ?? Math.ceil(random() * ceiling);
    if (now() + pauseMs >= deadline) return sent;
    onRetry?.(sent.error.message);
    await pause(pauseMs);
  }
}
