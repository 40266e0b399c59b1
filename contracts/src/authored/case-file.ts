import { z } from 'zod';
import { ExpectedBehavior } from '../definitions/checks.ts';
import { FreeForm } from '../definitions/json-data.ts';
import { FileInput, Persona, ToolExpectation } from '../definitions/test-case.ts';
import { TestVariableOverride } from '../definitions/test-type.ts';
import { KeyName, Name, VisibleText } from '../definitions/texts.ts';

/** `1.0.0` is what the test case schema calls itself; other versions are refused until they exist. */
export const SchemaVersion = z.enum(['1.0', '1.0.0']);

/** One case as it is written, single-turn or simulated, in the spellings of every document that cases come from. */
export const CaseFile = z.strictObject({
  schema_version: SchemaVersion.optional(),
  name: Name.optional(),
  description: z.string().nullish(),
  input: VisibleText.optional(),
  /** The same as `input`. */
  question: VisibleText.optional(),
  ground_truth: z.string().nullish(),
  files: z.array(FileInput).max(10).nullish(),
  expected_tools: z.array(KeyName).max(200).nullish(),
  expected_tool_calls: z.array(ToolExpectation).max(200).nullish(),
  evaluations: z.array(KeyName).nullish(),
  expected_behavior: ExpectedBehavior.nullish(),
  persona: Persona.nullish(),
  initial_message: VisibleText.nullish(),
  user_context: FreeForm.nullish(),
  max_turns: z.int().min(1).max(1000).nullish(),
  expected_outcomes: FreeForm.nullish(),
  evaluation_criteria_override: VisibleText.nullish(),
  tags: z.array(VisibleText).nullish(),
  difficulty: z.enum(['normal', 'hard']).optional(),
  status: z.enum(['draft', 'active', 'archived']).optional(),
  is_enabled: z.boolean().optional(),
  sort_order: z.int().min(0).optional(),
  /** Switches `{{Name}}` placeholders off for this case. */
  literal: z.boolean().optional(),
  variables: z.record(z.string(), TestVariableOverride).nullish(),
  /** Set by the server; a value in a file is ignored. */
  id: z.unknown().optional(),
  created_at: z.unknown().optional(),
  updated_at: z.unknown().optional(),
});
export type CaseFile = z.infer<typeof CaseFile>;
