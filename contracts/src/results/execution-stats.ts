import { z } from 'zod';

const count = z.int().min(0);
const counts = z.record(z.string(), count).default({});

/** How often agents were invoked and what came of it (seed 003). Every try is an invocation. */
const InvocationCounts = z.object({
  total_invocations: count.default(0),
  successful_invocations: count.default(0),
  failed_invocations: count.default(0),
  /** How many invocations succeeded after so many retries: `{ "1": 2 }`. */
  retry_count: counts,
  /** Tries that ran out of time, per model. */
  timeouts: counts,
  /** All other failed tries, by the class of their error, such as ServerError. */
  errors_by_type: counts,
});
export type InvocationCounts = z.infer<typeof InvocationCounts>;

/** The counts of a session as a whole and of each model. */
export const ExecutionStats = InvocationCounts.extend({ models: z.record(z.string(), InvocationCounts).default({}) });
export type ExecutionStats = z.infer<typeof ExecutionStats>;
