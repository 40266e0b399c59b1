import { z } from 'zod';
import { ExpectedBehavior } from './checks.ts';
import { FreeForm } from './json-data.ts';
import { TestVariableOverride } from './test-type.ts';
import { HttpUrl, KeyName, Name, VisibleText } from './texts.ts';

export const FileInput = z.strictObject({
  path: z.string().min(1).optional(),
  url: HttpUrl.optional(),
  type: z.enum(['image', 'pdf', 'text', 'excel', 'word', 'powerpoint', 'csv']),
  description: z.string().optional(),
  pages: z.array(z.int().min(1).max(10_000)).optional(),
  sheet: z.string().min(1).optional(),
  range: z.string().min(1).optional(),
  cache: z.boolean().optional(),
});
export type FileInput = z.infer<typeof FileInput>;

export const Persona = z.strictObject({
  type: VisibleText,
  description: VisibleText,
  instructions: VisibleText,
});
export type Persona = z.infer<typeof Persona>;

export const ToolExpectation = z.strictObject({
  tool: KeyName,
  /** Null: any parameters. Otherwise a subset of the call's parameters, matchers (`$regex`, `$range` …) allowed. */
  expected_params: FreeForm.nullable().default(null),
  forbidden: z.boolean().default(false),
});
export type ToolExpectation = z.infer<typeof ToolExpectation>;

/** One case as everything behind the parser sees it: aliases folded, defaults filled in, both forms of tool expectations in one. */
export const TestCase = z.strictObject({
  name: Name,
  description: z.string().nullable().default(null),
  kind: z.enum(['single', 'simulated']),
  input: z.string().nullable().default(null),
  ground_truth: z.string().nullable().default(null),
  files: z.array(FileInput).max(10).default([]),
  /** Null: nothing is expected of tools. An empty list: matched by definition. */
  expected_tool_calls: z.array(ToolExpectation).nullable().default(null),
  /** As written in the file, echoed in reports; null when the file used the other form or none. */
  expected_tools: z.array(z.string().min(1)).nullable().default(null),
  evaluations: z.array(z.string().min(1)).nullable().default(null),
  expected_behavior: ExpectedBehavior.nullable().default(null),
  persona: Persona.nullable().default(null),
  initial_message: z.string().nullable().default(null),
  user_context: FreeForm.nullable().default(null),
  max_turns: z.int().min(1).max(1000).nullable().default(null),
  expected_outcomes: FreeForm.nullable().default(null),
  evaluation_criteria_override: z.string().nullable().default(null),
  tags: z.array(z.string().min(1)).default([]),
  difficulty: z.enum(['normal', 'hard']).default('normal'),
  status: z.enum(['draft', 'active', 'archived']).default('active'),
  is_enabled: z.boolean().default(true),
  literal: z.boolean().default(false),
  variables: z.record(z.string(), TestVariableOverride).nullable().default(null),
});
export type TestCase = z.infer<typeof TestCase>;
