import { z } from 'zod';
import { AiConfiguration } from './ai-configuration.ts';
import { HttpUrl } from './texts.ts';
import { VariableValue } from './variables.ts';

export const Limits = z.strictObject({
  concurrency: z.int().min(1).max(1000).default(20),
  case_timeout_ms: z.int().min(1).max(3_600_000).default(120_000),
  agent_timeout_ms: z.int().min(1).max(3_600_000).default(30_000),
  max_turns: z.int().min(1).max(1000).default(40),
  budget_usd: z.number().positive().nullable().default(null),
});
export type Limits = z.infer<typeof Limits>;

/** `proofmark.yaml`: what all suites of a repository share. Every key is optional. */
export const Project = z.strictObject({
  suites: z.array(z.string().min(1)).nullable().default(null),
  coordinator: HttpUrl.nullable().default(null),
  ai_configurations: z.record(z.string(), AiConfiguration).default({}),
  test_types: z.array(z.string().min(1)).default([]),
  presets: z.record(z.string(), z.record(z.string(), VariableValue)).default({}),
  limits: Limits.prefault({}),
  baseline_branches: z.array(z.string().min(1)).default([]),
});
export type Project = z.infer<typeof Project>;
