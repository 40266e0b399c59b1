import { z } from 'zod';
import { ExpectedBehavior } from '../definitions/checks.ts';
import {
  CaseTurn,
  expectTools,
  FileInput,
  PastMessage,
  Persona,
  seededTags,
  type TestCase,
  ToolExpectation,
} from '../definitions/test-case.ts';
import { TestVariableOverride } from '../definitions/test-type.ts';
import { FreeForm, KeyName, Name, VisibleText } from '../definitions/texts.ts';
import { type CaseKind, CaseLife, Difficulty } from '../definitions/words.ts';
import { type Finding, warning } from '../parse/finding.ts';
import { isMapping } from '../parse/schema-plan.ts';
import { type AllowedOrigins, fileFindings, normaliseFile } from './file-input.ts';

/** `1.0.0` is what the test case schema calls itself; other versions are refused until they exist. */
export const SchemaVersion = z.enum(['1.0', '1.0.0']);

const expectedTools = z.array(KeyName).max(200).nullish();

const WrittenTurn = CaseTurn.extend({
  expected_behavior: ExpectedBehavior.nullish().describe('Checks of the answer to this message.'),
  expected_tools: expectedTools.describe('Names of tools that must be called in this turn.'),
  expected_tool_calls: CaseTurn.shape.expected_tool_calls
    .unwrap()
    .nullish()
    .describe('Tools that must or must not be called in this turn, with parameters.'),
});
type WrittenTurn = z.infer<typeof WrittenTurn>;

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
  messages: z.array(PastMessage).min(1).max(100).nullish().describe('What was said before the first message.'),
  turns: z.array(WrittenTurn).min(1).max(100).nullish().describe('A fixed conversation: message after message.'),
  ground_truth: z.string().nullish().describe('The right answer, for metrics that compare.'),
  files: z.array(FileInput).max(10).nullish().describe('Files that go with the input, at most 10.'),
  expected_tools: expectedTools.describe('Names of tools that must be called.'),
  expected_tool_calls: z
    .array(ToolExpectation)
    .max(200)
    .nullish()
    .describe('Tools that must or must not be called, with parameters.'),
  evaluations: z
    .array(KeyName)
    .nullish()
    .describe("Names of the suite's metrics that count for this case; all unless set."),
  expected_behavior: ExpectedBehavior.nullish().describe('Checks of the response; of a conversation, of the last one.'),
  persona: Persona.nullish().describe('Who the simulated user is.'),
  initial_message: VisibleText.nullish().describe('The first message of the simulated user.'),
  user_context: FreeForm.nullish().describe('What the simulated user knows.'),
  max_turns: z.int().min(1).max(1000).nullish().describe('Agent turns of a conversation; null for no cap of its own.'),
  expected_outcomes: FreeForm.nullish().describe('What must be true at the end, judged by meaning.'),
  evaluation_criteria_override: VisibleText.nullish().describe("Replaces the judge's rubric."),
  metadata: FreeForm.nullish().describe('What is noted about the question, shown beside it by proofmark ab.'),
  tags: z
    .array(VisibleText.meta({ examples: [...seededTags] }))
    .nullish()
    .describe('For selecting and grouping.'),
  difficulty: Difficulty.optional().describe('normal or hard.'),
  status: CaseLife.optional().describe('Only active cases run.'),
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

type Raw = Record<string, unknown>;

const given = (raw: Raw, key: string): boolean => raw[key] !== undefined && raw[key] !== null;
const anyGiven = (raw: Raw, keys: readonly string[]): string | undefined => keys.find((key) => given(raw, key));

/** Keys that only make sense when there is an input. */
const singleTurnKeys = ['ground_truth', 'files', 'expected_tools', 'evaluations', 'expected_behavior'];
const simulatedKeys = ['persona', 'initial_message'];

/** Which of the two kinds of case this is. A case of nothing but a name is a simulated draft. */
export function caseKind(raw: Raw): CaseKind {
  if (anyGiven(raw, ['input', 'question', 'turns']) !== undefined) return 'single';
  if (anyGiven(raw, simulatedKeys) !== undefined) return 'simulated';
  return anyGiven(raw, singleTurnKeys) === undefined ? 'simulated' : 'single';
}

/** The rules between the keys of one case, checked on whatever could be read, so that one mistake hides no other. */
export function caseFindings(raw: Raw, allowed?: AllowedOrigins): Finding[] {
  const files = Array.isArray(raw.files) ? raw.files : [];
  return [
    ...(caseKind(raw) === 'single' ? singleTurnFindings(raw) : simulatedFindings(raw)),
    ...toolFindings(raw),
    ...turnFindings(raw),
    ...files.flatMap((file, index) => (isMapping(file) ? fileFindings(file, ['files', index], allowed) : [])),
    ...serverKeys
      .filter((key) => given(raw, key))
      .map((key) => warning([key], 'forbidden_field', `\`${key}\` is set by the server and ignored here`)),
  ];
}

const serverKeys = ['id', 'created_at', 'updated_at'];

function singleTurnFindings(raw: Raw): Finding[] {
  const findings: Finding[] = [];
  const inputKey = anyGiven(raw, ['input', 'question', 'turns']) ?? 'input';
  if (!given(raw, inputKey)) {
    const because = anyGiven(raw, singleTurnKeys) ?? 'input';
    findings.push({
      path: ['input'],
      code: 'required',
      message: `\`input\` is missing: \`${because}\` belongs to a single-turn case`,
      at: 'key',
    });
  }
  const simulated = anyGiven(raw, simulatedKeys);
  if (simulated !== undefined) {
    findings.push({
      path: [inputKey],
      code: 'exclusive',
      message: `\`${inputKey}\` and \`${simulated}\` exclude each other: a case is single-turn or simulated`,
      at: 'key',
    });
  }
  if (given(raw, 'input') && given(raw, 'question')) {
    findings.push({
      path: ['question'],
      code: 'exclusive',
      message: '`question` is another word for `input`: write one of them',
      at: 'key',
    });
  }
  for (const key of ['user_context', 'max_turns']) {
    if (given(raw, key) && simulated === undefined)
      findings.push(warning([key], 'invalid_value', `\`${key}\` has no effect on a single-turn case`));
  }
  return findings;
}

/** A conversation is fixed, or it is made up as it goes on. */
function turnFindings(raw: Raw): Finding[] {
  if (!given(raw, 'turns')) return [];
  const other = anyGiven(raw, ['input', 'question']);
  const turns = Array.isArray(raw.turns) ? raw.turns : [];
  const costly = turns.flatMap((turn, index) => (isMapping(turn) ? costChecks(turn, ['turns', index]) : []));
  const both = turns.flatMap((turn, index): Finding[] =>
    isMapping(turn) ? toolFindings(turn).map((one) => ({ ...one, path: ['turns', index, ...one.path] })) : [],
  );
  if (other === undefined) return [...costly, ...both];
  const message = `\`turns\` and \`${other}\` exclude each other: the first message is the first of the turns`;
  return [{ path: ['turns'], code: 'exclusive', message, at: 'key' }, ...costly, ...both];
}

/** What a single answer cost is not known of every agent. */
function costChecks({ expected_behavior: behavior }: Raw, base: (string | number)[]): Finding[] {
  const checks = isMapping(behavior) && Array.isArray(behavior.checks) ? behavior.checks : [];
  return checks.flatMap((check, index): Finding[] =>
    isMapping(check) && check.type === 'cost'
      ? [
          {
            path: [...base, 'expected_behavior', 'checks', index, 'type'],
            code: 'invalid_value',
            message: 'what one turn costs is not known',
            hint: 'Check the cost in `expected_behavior` of the case: it is that of the whole conversation.',
          },
        ]
      : [],
  );
}

function simulatedFindings(raw: Raw): Finding[] {
  const findings: Finding[] = [];
  if (raw.name === undefined) {
    findings.push({
      path: ['name'],
      code: 'required',
      message: '`name` is missing',
      hint: 'Only a single-turn case with an `input` may leave its name out.',
      at: 'key',
    });
  }
  if (given(raw, 'name') && anyGiven(raw, simulatedKeys) === undefined) {
    findings.push(
      warning(
        ['name'],
        'required',
        'the case has neither `input` nor `persona` nor `initial_message`: an ordinary user is simulated',
      ),
    );
  }
  return findings;
}

function toolFindings(raw: Raw): Finding[] {
  if (!given(raw, 'expected_tools') || !given(raw, 'expected_tool_calls')) return [];
  return [
    {
      path: ['expected_tools'],
      code: 'exclusive',
      message: '`expected_tools` and `expected_tool_calls` exclude each other',
      at: 'key',
    },
  ];
}

/** The one form of a case that everything behind the parser sees. In one list: put together of several, it took ten times as long. */
export function normaliseCase(written: CaseFile, name: string, kind = caseKind(written)): TestCase {
  return {
    name,
    kind,
    description: orNull(written.description),
    input: orNull(written.turns?.[0]?.user ?? written.input ?? written.question),
    ground_truth: orNull(written.ground_truth),
    expected_tools: orNull(written.expected_tools),
    evaluations: orNull(written.evaluations),
    expected_behavior: orNull(written.expected_behavior),
    persona: orNull(written.persona),
    initial_message: orNull(written.initial_message),
    user_context: orNull(written.user_context),
    max_turns: orNull(written.max_turns),
    expected_outcomes: orNull(written.expected_outcomes),
    evaluation_criteria_override: orNull(written.evaluation_criteria_override),
    metadata: orNull(written.metadata),
    variables: orNull(written.variables),
    ...(written.messages || written.turns ? conversationOf(written) : undefined),
    files: written.files ? written.files.map(normaliseFile) : [],
    expected_tool_calls:
      written.expected_tool_calls ?? (written.expected_tools ? expectTools(written.expected_tools) : null),
    tags: written.tags ? [...new Set(written.tags)] : [],
    difficulty: written.difficulty ?? 'normal',
    status: written.status ?? 'active',
    is_enabled: written.is_enabled ?? true,
    literal: written.literal ?? false,
  };
}

const orNull = <Value>(value: Value | null | undefined): Value | null => value ?? null;

/** What is not written stays absent. */
const conversationOf = ({ messages, turns }: CaseFile): Pick<TestCase, 'messages' | 'turns'> => ({
  ...(messages ? { messages } : {}),
  ...(turns ? { turns: turns.map(normaliseTurn) } : {}),
});

const normaliseTurn = ({ user, expected_behavior, expected_tools, expected_tool_calls }: WrittenTurn): CaseTurn => ({
  user,
  expected_behavior: expected_behavior ?? null,
  expected_tool_calls: expected_tool_calls ?? (expected_tools ? expectTools(expected_tools) : null),
});
