import { z } from 'zod';
import { type Check, checksOf, ExpectedBehavior, holdsType } from './checks.ts';
import { TestVariableOverride } from './test-type.ts';
import { FreeForm, HttpUrl, KeyName, Name, VisibleText } from './texts.ts';
import { CaseKind, CaseLife, Difficulty } from './words.ts';

export const FileInput = z.strictObject({
  path: z.string().min(1).optional().describe('Path from the root of the repository. Exactly one of path and url.'),
  url: HttpUrl.optional().describe('Address of the file, https.'),
  type: z
    .enum(['image', 'pdf', 'text', 'excel', 'word', 'powerpoint', 'csv'])
    .describe('What the file is; its content must agree.'),
  description: z.string().optional().describe('What a person should know about the file; given to the agent.'),
  pages: z.array(z.int().min(1).max(10_000)).optional().describe('Only these pages or slides, counted from 1.'),
  sheet: z.string().min(1).optional().describe('Only this sheet of a workbook.'),
  range: z.string().min(1).optional().describe('Only these cells, such as A1:E100.'),
  cache: z.boolean().optional().describe('Whether a download is kept for later runs; true unless set.'),
});
export type FileInput = z.infer<typeof FileInput>;

export const Persona = z.strictObject({
  type: VisibleText.describe('Short label such as polite-customer.'),
  description: VisibleText.describe('Who the simulated user is.'),
  instructions: VisibleText.describe('How the simulated user behaves.'),
});
export type Persona = z.infer<typeof Persona>;

export const ToolExpectation = z.strictObject({
  tool: KeyName.describe('Exact name of the tool.'),
  /** Null: any parameters. Otherwise a subset of the call's parameters, matchers (`$regex`, `$range` …) allowed. */
  expected_params: FreeForm.nullable()
    .default(null)
    .describe('Parameters that the call must have, matchers allowed; any unless set.'),
  forbidden: z
    .boolean()
    .default(false)
    .describe('The tool must not be called, with these parameters if any are given.'),
});
export type ToolExpectation = z.infer<typeof ToolExpectation>;

/** Something that was said before the case begins. */
export const PastMessage = z.strictObject({
  role: z.enum(['user', 'assistant']).describe('Who said it.'),
  content: VisibleText.describe('What was said.'),
});
export type PastMessage = z.infer<typeof PastMessage>;

/** One message of a fixed conversation, and what is expected of the answer to it. */
export const CaseTurn = z.strictObject({
  user: VisibleText.describe('What the user says.'),
  expected_behavior: ExpectedBehavior.nullable().default(null).describe('Checks of the answer to this message.'),
  expected_tool_calls: z
    .array(ToolExpectation)
    .max(200)
    .nullable()
    .default(null)
    .describe('Tools that must or must not be called in this turn.'),
});
export type CaseTurn = z.infer<typeof CaseTurn>;

/** One case as everything behind the parser sees it: aliases folded, defaults filled in, both forms of tool expectations in one. */
export const TestCase = z.strictObject({
  name: Name,
  description: z.string().nullable().default(null),
  kind: CaseKind,
  input: z.string().nullable().default(null),
  /** What was said before. Absent: nothing. */
  messages: z.array(PastMessage).min(1).max(100).optional(),
  /** A fixed conversation; its first message is the `input`. Absent: there is only that. */
  turns: z.array(CaseTurn).min(1).max(100).optional(),
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
  /** What its author notes about the question, for whoever reads an A/B comparison. Null: nothing. */
  metadata: FreeForm.nullable().default(null),
  tags: z.array(z.string().min(1)).default([]),
  difficulty: Difficulty.default('normal'),
  status: CaseLife.default('active'),
  is_enabled: z.boolean().default(true),
  literal: z.boolean().default(false),
  variables: z.record(z.string(), TestVariableOverride).nullable().default(null),
});
export type TestCase = z.infer<typeof TestCase>;

/** What a list of tool names expects: that each is used at all, so a name that stands twice asks for nothing more. */
export const expectTools = (names: readonly string[]): ToolExpectation[] =>
  [...new Set(names)].map((tool) => ({ tool, expected_params: null, forbidden: false }));

/** Tags that are offered before anybody has used one; any other text is a tag as well. */
export const seededTags = ['normal', 'red-team', 'edge-case'] as const;

/** Every check of a case, those of its turns and those inside of others too, each with its path from the case. */
export const checksOfCase = ({
  expected_behavior,
  turns = [],
}: Pick<TestCase, 'expected_behavior' | 'turns'>): { check: Check; path: (string | number)[] }[] => [
  ...checksOf(expected_behavior).map(({ check, path }) => ({ check, path: ['expected_behavior', ...path] })),
  ...turns.flatMap((turn, index) =>
    checksOf(turn.expected_behavior).map(({ check, path }) => ({
      check,
      path: ['turns', index, 'expected_behavior', ...path],
    })),
  ),
];

/** Whether a case has a check of one of these types. Most have none, and to list their checks first would take most of the time. */
export const hasCheck = (
  { expected_behavior, turns }: Pick<TestCase, 'expected_behavior' | 'turns'>,
  types: readonly Check['type'][],
): boolean =>
  isCheckedFor(expected_behavior, types) || turns?.some((turn) => isCheckedFor(turn.expected_behavior, types)) === true;

const isCheckedFor = (behavior: ExpectedBehavior | null, types: readonly Check['type'][]): boolean =>
  behavior?.checks.some((check) => holdsType(check, types)) === true;

/** Whether more than one message belongs to the question. */
export const isConversation = ({ kind, messages, turns }: Pick<TestCase, 'kind' | 'messages' | 'turns'>): boolean =>
  kind === 'simulated' || messages !== undefined || turns !== undefined;

/** The parts of a case whose texts may hold `{{Name}}`. Free-form maps (user_context, outcomes, parameters) are never touched. */
export const templatedFields = [
  'input',
  'messages',
  'turns',
  'ground_truth',
  'initial_message',
  'evaluation_criteria_override',
  'persona',
  'expected_behavior',
] as const satisfies (keyof TestCase)[];
