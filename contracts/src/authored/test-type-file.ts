import { z } from 'zod';
import { VariableDefinition, VariablesSchema } from '../definitions/test-type.ts';
import { KeyName, Name, refusal, VisibleText } from '../definitions/texts.ts';

/** A name that `--var`, cell keys and `{{Name}}` can carry. */
const VariableName = KeyName.refine(
  (name) => !/[=,{}]/.test(name) && name.trim() === name,
  refusal('invalid_format', 'must not contain `=`, `,`, `{`, `}` or surrounding spaces'),
);

const WrittenVariable = VariableDefinition.extend({
  name: VariableName.describe('Name of the variable, unique in the type.'),
  displayName: VisibleText.describe('How people see it.'),
});

export const WrittenSchema = VariablesSchema.extend({
  variables: z.array(WrittenVariable).max(200).describe('The variables.'),
});

/** A test type as it is written. */
export const TestTypeFile = z.strictObject({
  name: Name.optional().describe('Name of the test type; that of the file unless set.'),
  description: z.string().optional().describe('For people.'),
  variables_schema: WrittenSchema.describe('The variables, in the camelCase of the document that they are stored as.'),
});

/** The variables document of seed 004 on its own; the type is then called like its file. */
export const VariablesDocument = WrittenSchema.extend({ name: Name.optional(), description: z.string().optional() });
