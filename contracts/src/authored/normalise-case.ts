import { expectTools } from '../definitions/expect-tools.ts';
import type { FileInput, TestCase } from '../definitions/test-case.ts';
import type { CaseFile } from './case-file.ts';
import { caseKind } from './case-findings.ts';

/** The one form of a case that everything behind the parser sees. `derivedName` is used when the file gives none. */
export function normaliseCase(written: CaseFile, derivedName: string): TestCase {
  return {
    name: written.name ?? derivedName,
    kind: caseKind(written),
    ...textsOf(written),
    files: (written.files ?? []).map(normaliseFile),
    expected_tool_calls:
      written.expected_tool_calls ?? (written.expected_tools ? expectTools(written.expected_tools) : null),
    ...defaultsOf(written),
  };
}

const orNull = <Value>(value: Value | null | undefined): Value | null => value ?? null;

const textsOf = (written: CaseFile): Omit<TestCase, 'name' | 'kind' | 'files' | 'expected_tool_calls' | Defaulted> => ({
  description: orNull(written.description),
  input: orNull(written.input ?? written.question),
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
  variables: orNull(written.variables),
});

type Defaulted = 'tags' | 'difficulty' | 'status' | 'is_enabled' | 'literal';

const defaultsOf = (written: CaseFile): Pick<TestCase, Defaulted> => ({
  tags: [...new Set(written.tags)],
  difficulty: written.difficulty ?? 'normal',
  status: written.status ?? 'active',
  is_enabled: written.is_enabled ?? true,
  literal: written.literal ?? false,
});

/** Downloads are kept unless the file says otherwise. */
export const normaliseFile = (file: FileInput): FileInput =>
  file.url === undefined || file.cache !== undefined ? file : { ...file, cache: true };
