import { z } from 'zod';
import { decideRetry, defaultRetryPolicy, timeoutMessage } from '../retry/retry-policy.ts';
import { type Adapter, adapter } from './adapter.fixture.ts';

const Policy = z
  .object({
    max_attempts: z.number().default(defaultRetryPolicy.maxAttempts),
    initial_delay_ms: z.number().default(defaultRetryPolicy.initialDelayMs),
    backoff_factor: z.number().default(defaultRetryPolicy.backoffFactor),
    timeout_ms: z.number().default(defaultRetryPolicy.timeoutMs),
    attempts: z.array(z.string()).default([]),
  })
  .transform(({ attempts, max_attempts, initial_delay_ms, backoff_factor, timeout_ms }) => ({
    attempts,
    policy: {
      maxAttempts: max_attempts,
      initialDelayMs: initial_delay_ms,
      backoffFactor: backoff_factor,
      timeoutMs: timeout_ms,
    },
  }));

export const retry: Readonly<Record<string, Adapter>> = {
  retry_delays: adapter(Policy, ({ policy }) => {
    const waitsMs: number[] = [];
    for (;;) {
      const failed = { message: 'busy', retryable: true, retryAfterMs: null };
      const next = decideRetry(policy, failed, { retriesDone: waitsMs.length, random: 0 });
      if (!next.retry) return waitsMs;
      waitsMs.push(next.waitMs);
    }
  }),
  retry_outcome: adapter(Policy, ({ policy, attempts }) => {
    for (const [retriesDone, attempt] of attempts.entries()) {
      const done = { retry_count: retriesDone, attempts_used: retriesDone + 1 };
      if (attempt === 'ok') return { ...done, success: true, error: null };
      const message = attempt === 'timeout' ? timeoutMessage(policy) : attempt;
      const decision = decideRetry(
        policy,
        { message, retryable: true, retryAfterMs: null },
        { retriesDone, random: 0 },
      );
      if (!decision.retry) return { ...done, success: false, error: decision.message };
    }
    return undefined;
  }),
};
