import { CaseWork } from '@proofmark/contracts/case-work';
import { z } from 'zod';

/** One side of a pair: what its agent is asked with, or why it cannot be asked at all. */
const PairSide = z.union([z.strictObject({ work: CaseWork }), z.strictObject({ error: z.string() })]);
export type PairSide = z.infer<typeof PairSide>;

/** One question for both agents. */
export const AbPair = z.strictObject({
  /** Tells it from every other pair of the session. */
  key: z.string(),
  question: z.string(),
  /** What is known of the question: suite, case, cell, repetition, difficulty, tags. */
  metadata: z.record(z.string(), z.json()),
  baseline: PairSide,
  candidate: PairSide,
});
export type AbPair = z.infer<typeof AbPair>;

/** How a session is run; kept with it, so that an interrupted one goes on in the same way. */
export const AbSettings = z.strictObject({
  /** Pause between the two calls of a pair, for caches of the provider to expire. */
  cache_reset_ms: z.int().min(0).default(100),
  /** Both calls of a pair at once. */
  concurrent: z.boolean().default(false),
  /** Null: the baseline is always asked first. */
  order_seed: z.string().nullable().default(null),
  pairs_at_once: z.int().min(1).default(1),
  context_tokens: z.int().min(0).default(0),
  max_attempts: z.int().min(1).default(3),
  initial_delay_ms: z.number().min(0).default(100),
  backoff_factor: z.number().min(1).default(2),
  /** The project whose files are read, from the folder of results; null: that of whoever goes on with it. */
  root: z.string().nullable().default(null),
});
export type AbSettings = z.infer<typeof AbSettings>;

/** The name under which an agent is measured: its model, or the agent itself where no model is known. */
export const modelOf = ({ model, agent }: CaseWork): string => model?.model ?? agent.name;
