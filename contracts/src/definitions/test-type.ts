import { z } from 'zod';
import { VariableValue } from './variables.ts';

export const PossibleValue = z.strictObject({
  value: VariableValue,
  label: z.string().min(1).optional(),
  description: z.string().optional(),
});
export type PossibleValue = z.infer<typeof PossibleValue>;

/** Which values a variable may have, by the value of another one: `{ variable: Provider, allowed: { openai: [gpt-4o] } }`. */
export const VariableDependency = z.strictObject({
  variable: z.string().min(1),
  /** Keys are the other variable's values as text; a value that is not listed allows everything. */
  allowed: z.record(z.string(), z.array(VariableValue)),
});
export type VariableDependency = z.infer<typeof VariableDependency>;

export const VariableDefinition = z.strictObject({
  name: z.string().min(1),
  displayName: z.string().min(1).optional(),
  description: z.string().optional(),
  dataType: z.enum(['string', 'number', 'boolean', 'date']),
  valueSource: z.enum(['static', 'freeform', 'entity']),
  possibleValues: z.array(PossibleValue).optional(),
  defaultValue: VariableValue.optional(),
  required: z.boolean(),
  dependsOn: VariableDependency.optional(),
});
export type VariableDefinition = z.infer<typeof VariableDefinition>;

/** Which variables a kind of test has. Keys are camelCase because seed 004 stores this document as it is. */
export const VariablesSchema = z.strictObject({
  schemaVersion: z.literal('1.0'),
  variables: z.array(VariableDefinition),
});
export type VariablesSchema = z.infer<typeof VariablesSchema>;

export const TestType = z.strictObject({
  name: z.string().min(1),
  description: z.string().optional(),
  variables_schema: VariablesSchema,
});
export type TestType = z.infer<typeof TestType>;

/** What one test makes of a variable of its type. */
export const TestVariableOverride = z.strictObject({
  exposed: z.boolean().optional(),
  defaultValue: VariableValue.optional(),
  locked: z.boolean().optional(),
  restrictedValues: z.array(VariableValue).optional(),
});
export type TestVariableOverride = z.infer<typeof TestVariableOverride>;
