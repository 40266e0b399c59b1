import { z } from 'zod';

/** The seed's own tool writes UTC without saying so. */
const withZone = (value: unknown): unknown =>
  typeof value === 'string' && /T\d\d:\d\d:\d\d(\.\d+)?$/.test(value) ? `${value}Z` : value;
const timestamp = z.preprocess(withZone, z.iso.datetime({ offset: true }));
const count = z.int().min(0);

/** One invocation of an agent (seed 003). Everything that can be computed from these fields is computed, never read. */
export const AgentResponse = z.object({
  response: z.string(),
  prompt_tokens: count,
  completion_tokens: count,
  /** End to end, the successful try only; 0 when none succeeded. */
  latency_ms: z.number().min(0),
  model: z.string(),
  timestamp,
  error: z.string().nullable().default(null),
  retry_count: count.default(0),
});
export type AgentResponse = z.infer<typeof AgentResponse>;

/** Files of the seed's own tool say `docstratum` where this product says `candidate`. */
const withCandidateNames = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const renamed = new Map(Object.entries(value));
  for (const [old, name] of [
    ['docstratum', 'candidate'],
    ['docstratum_model', 'candidate_model'],
  ] as const) {
    if (renamed.has(old) && !renamed.has(name)) renamed.set(name, renamed.get(old));
    renamed.delete(old);
  }
  return Object.fromEntries(renamed);
};

/** What is known of a question. */
export const QuestionMetadata = z.record(z.string(), z.json());

/** Both answers to one question. */
export const ABTestResult = z.preprocess(
  withCandidateNames,
  z.object({
    question: z.string(),
    baseline: AgentResponse,
    candidate: AgentResponse,
    context_tokens: count,
    timestamp,
    session_id: z.string(),
    metadata: QuestionMetadata.default({}),
  }),
);
export type ABTestResult = z.infer<typeof ABTestResult>;

/** An id becomes a file name, so it can hold nothing that leaves a directory. */
export const SessionId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);

/** A group of A/B tests (seed 003); `end_time` is null while it is open. */
export const ABSession = z.preprocess(
  withCandidateNames,
  z.object({
    session_id: SessionId,
    start_time: timestamp,
    end_time: timestamp.nullable().default(null),
    baseline_model: z.string().default('claude-baseline'),
    candidate_model: z.string().default('claude-docstratum'),
    llms_source_path: z.string().default(''),
    results: z.array(ABTestResult).default([]),
    environment: z.record(z.string(), z.string()).default({}),
    notes: z.string().default(''),
  }),
);
export type ABSession = z.infer<typeof ABSession>;
