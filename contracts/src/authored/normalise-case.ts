import type { FileInput, TestCase, ToolExpectation } from '../definitions/test-case.ts';
import type { CaseFile } from './case-file.ts';
import { caseKind } from './case-findings.ts';

/** The one form of a case that everything behind the parser sees. `derivedName` is used when the file gives none. */
export function normaliseCase(written: CaseFile, derivedName: string): TestCase {
  return {
    name: written.name ?? derivedName,
    description: written.description ?? null,
    kind: caseKind(written),
    input: written.input ?? written.question ?? null,
    ground_truth: written.ground_truth ?? null,
    files: (written.files ?? []).map(normaliseFile),
    expected_tool_calls: written.expected_tool_calls ?? written.expected_tools?.map(expectTool) ?? null,
    expected_tools: written.expected_tools ?? null,
    evaluations: written.evaluations ?? null,
    expected_behavior: written.expected_behavior ?? null,
    persona: written.persona ?? null,
    initial_message: written.initial_message ?? null,
    user_context: written.user_context ?? null,
    max_turns: written.max_turns ?? null,
    expected_outcomes: written.expected_outcomes ?? null,
    evaluation_criteria_override: written.evaluation_criteria_override ?? null,
    tags: [...new Set(written.tags)],
    difficulty: written.difficulty ?? 'normal',
    status: written.status ?? 'active',
    is_enabled: written.is_enabled ?? true,
    literal: written.literal ?? false,
    variables: written.variables ?? null,
  };
}

/** Downloads are kept unless the file says otherwise. */
export const normaliseFile = (file: FileInput): FileInput =>
  file.url === undefined || file.cache !== undefined ? file : { ...file, cache: true };

const expectTool = (tool: string): ToolExpectation => ({ tool, expected_params: null, forbidden: false });
