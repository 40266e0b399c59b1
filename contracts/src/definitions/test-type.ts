import { z } from 'zod';
import { VariableValue } from './variables.ts';

export const PossibleValue = z.strictObject({
  value: VariableValue.describe('The value.'),
  label: z.string().min(1).optional().describe('How lists show it; the value as text unless set.'),
  description: z.string().optional().describe('For people.'),
});
export type PossibleValue = z.infer<typeof PossibleValue>;

/** Which values a variable may have, by the value of another one: `{ variable: Provider, allowed: { openai: [gpt-4o] } }`. */
export const VariableDependency = z.strictObject({
  variable: z.string().min(1).describe('The variable that decides.'),
  /** Keys are the other variable's values as text; a value that is not listed allows everything. */
  allowed: z.record(z.string(), z.array(VariableValue)).describe('Allowed values by the value of that variable.'),
});
export type VariableDependency = z.infer<typeof VariableDependency>;

export const VariableDefinition = z.strictObject({
  name: z.string().min(1).describe('Name, unique in the type.'),
  displayName: z.string().min(1).optional().describe('Name for people.'),
  description: z.string().optional().describe('For people.'),
  dataType: z.enum(['string', 'number', 'boolean', 'date']).describe('Type of its values; a date is YYYY-MM-DD.'),
  valueSource: z
    .enum(['static', 'freeform', 'entity'])
    .describe('Where values come from: the list below, anywhere, or the AI configurations of the project.'),
  possibleValues: z.array(PossibleValue).optional().describe('The values of a static variable.'),
  defaultValue: VariableValue.nullish().describe('The value when nothing else gives one; null is none.'),
  required: z.boolean().describe('Whether a test without a value is an error.'),
  dependsOn: VariableDependency.optional().describe('Which values go with which value of another variable.'),
});
export type VariableDefinition = z.infer<typeof VariableDefinition>;

/** Which variables a kind of test has. Keys are camelCase because seed 004 stores this document as it is. */
export const VariablesSchema = z.strictObject({
  schemaVersion: z.literal('1.0').describe('Version of this format.'),
  variables: z.array(VariableDefinition).describe('The variables.'),
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
  exposed: z.boolean().optional().describe('false takes the variable away from this test; true unless set.'),
  defaultValue: VariableValue.nullish().describe('The value unless suite or run give one; null is none.'),
  locked: z.boolean().optional().describe('true keeps suite and run from changing it.'),
  restrictedValues: z.array(VariableValue).min(1).optional().describe('The only values that this test may have.'),
});
export type TestVariableOverride = z.infer<typeof TestVariableOverride>;
