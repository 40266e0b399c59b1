import { z } from 'zod';
import { WrittenSchema } from '../authored/test-type-file.ts';
import { overrideFindings, suiteValueFindings, typeFindings } from '../authored/variable-findings.ts';
import { TestVariableOverride, type VariableDefinition } from '../definitions/test-type.ts';
import { VariableValue } from '../definitions/variables.ts';
import type { Finding } from '../parse/finding.ts';
import { readShape } from '../parse/read-shape.ts';
import { isMapping } from '../parse/schema-plan.ts';
import { conclude, type Validation } from './validation.ts';

const TestVariables = z.strictObject({ variables: z.record(z.string(), TestVariableOverride) });
const SuiteVariables = z.strictObject({ variables: z.record(z.string(), VariableValue) });

export interface VariableDocuments {
  type: unknown;
  test?: unknown;
  suite?: unknown;
}

/** Judges the variables of a test type, and what a test and a suite make of them. */
export function validateVariables({ type, test, suite }: VariableDocuments): Validation {
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
