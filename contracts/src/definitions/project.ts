import { z } from 'zod';
import { AiConfiguration } from './ai-configuration.ts';
import { PathPattern } from './path-pattern.ts';
import { HttpUrl } from './texts.ts';
import { VariableValue } from './variables.ts';

export const Limits = z.strictObject({
  concurrency: z.int().min(1).max(1000).default(20).describe('Test runs at the same time.'),
  case_timeout_ms: z
    .int()
    .min(1)
    .max(3_600_000)
    .default(120_000)
    .describe('Time limit of one test run, everything included.'),
  agent_timeout_ms: z.int().min(1).max(3_600_000).default(30_000).describe('Time limit of one try of the agent.'),
  max_turns: z.int().min(1).max(1000).default(40).describe('Hard cap of agent turns per conversation.'),
  budget_usd: z
    .number()
    .positive()
    .nullable()
    .default(null)
    .describe('What one run may cost, judge and simulator included.'),
  budget_tokens: z.int().positive().nullable().default(null).describe('How many tokens of models one run may use.'),
});
export type Limits = z.infer<typeof Limits>;

/** `proofmark.yaml`: what all suites of a repository share. Every key is optional. */
export const Project = z.strictObject({
  suites: z
    .array(PathPattern)
    .max(100)
    .nullable()
    .default(null)
    .describe('Patterns of suite files; **/*.suite.{yaml,yml,json} unless set.'),
  coordinator: HttpUrl.nullable()
    .default(null)
    .describe('Address of the coordinator; without one, runs happen in place.'),
  ai_configurations: z.record(z.string(), AiConfiguration).default({}).describe('Model set-ups by name.'),
  test_types: z.array(PathPattern).max(100).default([]).describe('Files or patterns of test types.'),
  presets: z
    .record(z.string(), z.record(z.string(), VariableValue))
    .default({})
    .describe('Named sets of variable values.'),
  limits: Limits.prefault({}).describe('Limits of runs.'),
  baseline_branches: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Further branches whose pushes are run. On a coordinator an admin names those that others are compared with.',
    ),
});
export type Project = z.infer<typeof Project>;
