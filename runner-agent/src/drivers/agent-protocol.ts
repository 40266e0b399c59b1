import { z } from 'zod';

/** Version of what a team's own agent speaks: over HTTP as bodies, to a program as lines of JSON. */
export const agentProtocol = 'proofmark.agent/1';

const count = z.int().min(0).max(1e9);

const ReportedCall = z.object({
  id: z.string().default(''),
  name: z.string().min(1),
  args: z.json().default({}),
  result: z.json().default(null),
  error: z.string().nullish(),
});
export type ReportedCall = z.infer<typeof ReportedCall>;

const Answer = z.object({
  output: z.string(),
  ended: z.boolean().default(false),
  /** Calls that the agent made itself. */
  tool_calls: z.array(ReportedCall).max(200).default([]),
  usage: z.unknown().optional(),
  cost_usd: z.number().min(0).max(1e6).nullish(),
  model: z.string().nullish(),
});

const ToolRequests = z.object({
  tool_requests: z
    .array(z.object({ id: z.string().min(1), name: z.string().min(1), args: z.json().default({}) }))
    .min(1)
    .max(200),
});

const ErrorAnswer = z.object({
  error: z.union([z.string(), z.object({ message: z.string() }).transform(({ message }) => message)]),
});

/** What an agent says: the turn is done, it wants tools run, or it failed. */
export const AgentMessage = z.union([ErrorAnswer, ToolRequests, Answer]);
export type AgentMessage = z.infer<typeof AgentMessage>;
export type AgentAnswer = z.infer<typeof Answer>;

export const ReportedUsage = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  cached_tokens: count.optional(),
});
