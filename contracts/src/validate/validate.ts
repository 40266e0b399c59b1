import { z } from 'zod';
import { CaseFile, caseFindings, normaliseCase } from '../authored/case-file.ts';
import { EvaluationsBlock, evaluationsFindings, MetricEntry, metricFindings } from '../authored/evaluations-block.ts';
import { fileFindings, normaliseFile } from '../authored/file-input.ts';
import { SuiteHeader, suiteFindings } from '../authored/suite-file.ts';
import { overrideFindings, suiteValueFindings, typeFindings, WrittenSchema } from '../authored/test-type-file.ts';
import type { ProblemCode } from '../definitions/problem.ts';
import { fileStem } from '../definitions/repository-path.ts';
import { FileInput, type TestCase } from '../definitions/test-case.ts';
import { TestVariableOverride, type VariableDefinition } from '../definitions/test-type.ts';
import { VariableValue } from '../definitions/variables.ts';
import { bracketPath, type Finding, isBlocking, type Path } from '../parse/finding.ts';
import { readShape } from '../parse/read-shape.ts';
import { isMapping } from '../parse/schema-plan.ts';

interface ValidationError {
  /** Where in the value: `expected_tool_calls[0].tool`. */
  path: string;
  code: ProblemCode;
}

/** Whether one authored value is acceptable, and what it then means. */
export type Validation =
  | { valid: true; normalized?: Record<string, unknown> }
  | { valid: false; errors: ValidationError[] };

/** The errors among findings, each place and code once; warnings do not make a value invalid. */
function conclude(
  findings: readonly Finding[],
  normalized?: () => Record<string, unknown>,
  base: Path = [],
): Validation {
  const errors = findings.filter(isBlocking).map(({ path, code }) => ({ path: bracketPath([...base, ...path]), code }));
  const unique = errors.filter(
    ({ path, code }, index) => errors.findIndex((other) => other.path === path && other.code === code) === index,
  );
  if (unique.length > 0) return { valid: false, errors: unique };
  return normalized === undefined ? { valid: true } : { valid: true, normalized: normalized() };
}

/** Where a case comes from: a nameless one is called after its file and position, counted from 0. */
interface CaseSource {
  file: string;
  index: number;
}

/** Judges one case on its own, without the suite that it may belong to. */
export function validateTestCase(value: unknown, source: CaseSource = { file: 'case', index: 0 }): Validation {
  const { value: parsed, folded, findings } = readShape(CaseFile, value);
  const all = [...findings, ...(isMapping(folded) ? caseFindings(folded) : [])];
  const derivedName = `${fileStem(source.file)}#${source.index + 1}`;
  return conclude(all, () =>
    parsed === undefined ? {} : shownCase(normaliseCase(parsed, parsed.name ?? derivedName)),
  );
}

/** A tool expectation says `forbidden` only where it forbids. */
const shownCase = (testCase: TestCase): Record<string, unknown> => ({
  ...testCase,
  expected_tool_calls:
    testCase.expected_tool_calls?.map(({ forbidden, ...rest }) => (forbidden ? { ...rest, forbidden } : rest)) ?? null,
});

export function validateFileInput(value: unknown): Validation {
  const { value: parsed, folded, findings } = readShape(FileInput, value);
  const all = [...findings, ...(isMapping(folded) ? fileFindings(folded, []) : [])];
  return conclude(all, () => (parsed === undefined ? {} : normaliseFile(parsed)), ['file']);
}

/** Judges the settings of a suite, without agent and cases. */
export function validateSuite(value: unknown): Validation {
  const { value: parsed, folded, findings } = readShape(SuiteHeader, value);
  const rules = isMapping(folded)
    ? [...suiteFindings(folded), ...evaluationsFindings(folded.evaluations, ['evaluations'])]
    : [];
  return conclude([...findings, ...rules], () => ({ ...parsed }));
}

export function validateMetric(value: unknown): Validation {
  const { value: parsed, folded, findings } = readShape(MetricEntry, value);
  return conclude([...findings, ...(isMapping(folded) ? metricFindings(folded, []) : [])], () => ({ ...parsed }));
}

export function validateEvaluationConfig(value: unknown): Validation {
  const { value: parsed, folded, findings } = readShape(EvaluationsBlock, value);
  return conclude([...findings, ...evaluationsFindings(folded, [])], () => ({ ...parsed }));
}

const TestVariables = z.strictObject({ variables: z.record(z.string(), TestVariableOverride) });
const SuiteVariables = z.strictObject({ variables: z.record(z.string(), VariableValue) });

interface VariableDocuments {
  type: unknown;
  test?: unknown;
  suite?: unknown;
}

/** Judges the variables of a test type, and what a test and a suite make of them. */
export function validateVariableDocuments({ type, test, suite }: VariableDocuments): Validation {
  const typeReading = readShape(WrittenSchema, type);
  const written = isMapping(typeReading.folded) ? typeReading.folded.variables : undefined;
  const known = typeReading.value?.variables ?? [];
  const findings = [
    ...under('type', [
      ...typeReading.findings,
      ...(Array.isArray(written) ? typeFindings(written, ['variables']) : []),
    ]),
    ...under('test', levelFindings(TestVariables, test, known, overrideFindings)),
    ...under('suite', levelFindings(SuiteVariables, suite, known, suiteValueFindings)),
  ];
  return conclude(findings);
}

type LevelRules = (
  known: readonly VariableDefinition[],
  values: Record<string, unknown>,
  base: Finding['path'],
) => Finding[];

function levelFindings(
  schema: z.ZodType,
  value: unknown,
  known: readonly VariableDefinition[],
  rules: LevelRules,
): Finding[] {
  if (value === undefined || value === null) return [];
  const { folded, findings } = readShape(schema, value);
  const variables = isMapping(folded) ? folded.variables : undefined;
  return [...findings, ...(isMapping(variables) ? rules(known, variables, ['variables']) : [])];
}

const under = (key: string, findings: readonly Finding[]): Finding[] =>
  findings.map((finding) => ({ ...finding, path: [key, ...finding.path] }));
