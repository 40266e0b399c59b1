import { expect, test } from 'vitest';
import { compileJsonSchema } from './json-schema.ts';

const accepts = (schema: Record<string, unknown>, value: unknown): boolean | string => {
  const compiled = compileJsonSchema(schema);
  return compiled.ok ? compiled.accepts(value) : compiled.message;
};

const order = {
  type: 'object',
  properties: {
    id: { type: 'integer', minimum: 1 },
    tags: { type: 'array', items: { type: 'string' }, minItems: 1 },
    to: { $ref: '#/$defs/city' },
  },
  required: ['id'],
  additionalProperties: false,
  $defs: { city: { enum: ['Paris', 'Lyon'] } },
};

test.each([
  [{ id: 1, tags: ['a'], to: 'Lyon' }, true],
  [{ tags: ['a'] }, false],
  [{ id: 0 }, false],
  [{ id: 1.5 }, false],
  [{ id: 1, tags: [] }, false],
  [{ id: 1, to: 'Rome' }, false],
  [{ id: 1, more: true }, false],
  ['text', false],
])('%j is judged by the whole schema', (value, expected) => {
  expect(accepts(order, value)).toBe(expected);
});

test.each([
  [{ pattern: '^a' }, 'in the schema: keyword `pattern` is not supported'],
  [
    { type: 'object', proprties: {} },
    'in the schema: keyword `proprties` is not supported, did you mean `properties`?',
  ],
  [{ allOf: [{ required: ['a'] }] }, 'at /allOf/0: `required` needs `type: object` beside it'],
  [{ type: 'object', properties: { a: 5 } }, 'at /properties/a: must be a schema, that is a mapping'],
  [{ $ref: '#' }, 'the schema refers to itself without end'],
  [{ $ref: 'https://example.org/schema' }, expect.stringContaining('External $ref')],
])('%j is refused with the reason', (schema, message) => {
  expect(accepts(schema, {})).toEqual(message);
});
