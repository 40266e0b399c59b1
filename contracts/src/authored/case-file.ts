import { z } from 'zod';
import { ExpectedBehavior } from '../definitions/checks.ts';
import { FreeForm } from '../definitions/json-data.ts';
import { seededTags } from '../definitions/seeded-tags.ts';
import { FileInput, Persona, ToolExpectation } from '../definitions/test-case.ts';
import { TestVariableOverride } from '../definitions/test-type.ts';
import { KeyName, Name, VisibleText } from '../definitions/texts.ts';

/** `1.0.0` is what the test case schema calls itself; other versions are refused until they exist. */
export const SchemaVersion = z.enum(['1.0', '1.0.0']);

/** One case as it is written, single-turn or simulated, in the spellings of every document that cases come from. */
export const CaseFile = z.strictObject({
  schema_version: SchemaVersion.optional().describe('Version of the test case schema.'),
  name: Name.optional().describe(
    'Name, unique in the suite; a single-turn case without one is called after its file and position.',
  ),
  description: z.string().nullish().describe('For people.'),
  input: VisibleText.optional().describe('What the user says in a single-turn case.'),
  /** The same as `input`. */
  question: VisibleText.optional().describe('Another word for input.'),
  ground_truth: z.string().nullish().describe('The right answer, for metrics that compare.'),
  files: z.array(FileInput).max(10).nullish().describe('Files that go with the input, at most 10.'),
  expected_tools: z.array(KeyName).max(200).nullish().describe('Names of tools that must be called.'),
  expected_tool_calls: z
    .array(ToolExpectation)
    .max(200)
    .nullish()
    .describe('Tools that must or must not be called, with parameters.'),
  evaluations: z
    .array(KeyName)
    .nullish()
    .describe("Names of the suite's metrics that count for this case; all unless set."),
  expected_behavior: ExpectedBehavior.nullish().describe('Checks of the response of a single-turn case.'),
  persona: Persona.nullish().describe('Who the simulated user is.'),
  initial_message: VisibleText.nullish().describe('The first message of the simulated user.'),
  user_context: FreeForm.nullish().describe('What the simulated user knows.'),
  max_turns: z.int().min(1).max(1000).nullish().describe('Agent turns of a conversation; null for no cap of its own.'),
  expected_outcomes: FreeForm.nullish().describe('What must be true at the end, judged by meaning.'),
  evaluation_criteria_override: VisibleText.nullish().describe("Replaces the judge's rubric."),
  tags: z
    .array(VisibleText.meta({ examples: [...seededTags] }))
    .nullish()
    .describe('For selecting and grouping.'),
  difficulty: z.enum(['normal', 'hard']).optional().describe('normal or hard.'),
  status: z.enum(['draft', 'active', 'archived']).optional().describe('Only active cases run.'),
  is_enabled: z.boolean().optional().describe('false keeps the case from running.'),
  sort_order: z.int().min(0).optional().describe('Cases run in this order.'),
  /** Switches `{{Name}}` placeholders off for this case. */
  literal: z.boolean().optional().describe('true keeps {{…}} as text.'),
  variables: z
    .record(z.string(), TestVariableOverride)
    .nullish()
    .describe('What this case makes of the variables of its type.'),
  /** Set by the server; a value in a file is ignored. */
  id: z.unknown().optional().describe('Set by the server, ignored.'),
  created_at: z.unknown().optional().describe('Set by the server, ignored.'),
  updated_at: z.unknown().optional().describe('Set by the server, ignored.'),
});
export type CaseFile = z.infer<typeof CaseFile>;
