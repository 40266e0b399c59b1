import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { FreeForm } from '../definitions/texts.ts';
import { bracketPath } from './finding.ts';
import { readShape } from './read-shape.ts';

const Shape = z.strictObject({
  first_name: z.string().optional(),
  displayName: z.string().optional(),
  list: z.array(z.strictObject({ is_open: z.boolean() })).optional(),
  free: FreeForm.optional(),
  own: z.record(z.string(), z.strictObject({ max_size: z.number() })).optional(),
  either: z.union([z.string(), z.strictObject({ in_file: z.string() })]).optional(),
  kind: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('a'), a_b: z.number() }),
      z.strictObject({ type: z.literal('b') }),
    ])
    .optional(),
});

const read = (value: unknown): { value: unknown; problems: string[] } => {
  const reading = readShape(Shape, value);
  return {
    value: reading.value,
    problems: reading.findings.map(({ code, path, message }) => `${code} ${bracketPath(path)}: ${message}`),
  };
};

describe('spellings of keys', () => {
  test('camelCase and snake_case are one key, in both directions and at every depth', () => {
    expect(
      read({
        firstName: 'a',
        display_name: 'b',
        list: [{ isOpen: true }],
        own: { x: { maxSize: 1 } },
        either: { inFile: 'f' },
        kind: { type: 'a', aB: 1 },
      }),
    ).toEqual({
      value: {
        first_name: 'a',
        displayName: 'b',
        list: [{ is_open: true }],
        own: { x: { max_size: 1 } },
        either: { in_file: 'f' },
        kind: { type: 'a', a_b: 1 },
      },
      problems: [],
    });
  });

  test('free-form data and the user’s own names are never touched', () => {
    const value = { free: { firstName: { isOpen: 1 } }, own: { firstName: { max_size: 1 } } };
    expect(read(value)).toEqual({ value, problems: [] });
  });

  test('paths keep the spelling of the file', () => {
    expect(read({ firstName: 1, list: [{ isOpen: 'no' }] }).problems).toEqual([
      'invalid_type firstName: must be a string, put it in quotes',
      'invalid_type list[0].isOpen: must be a boolean (true or false)',
    ]);
  });

  test('an unknown key is named with the nearest known one', () => {
    expect(read({ frist_name: 'a', zzz: 1, list: [{ isopen: true }] }).problems).toEqual([
      'unknown_field frist_name: unknown key `frist_name`, did you mean `first_name`?',
      'unknown_field zzz: unknown key `zzz`',
      'unknown_field list[0].isopen: unknown key `isopen`, did you mean `is_open`?',
      'required list[0].is_open: `is_open` is missing',
    ]);
  });
});

test('a value of a union is judged by the branch that it can mean', () => {
  expect(read({ either: 5, kind: { type: 'c' } }).problems).toEqual([
    'invalid_type either: must be a string or a mapping of keys, put it in quotes',
    'invalid_enum kind.type: must be one of a, b',
  ]);
  expect(read({ either: { in_file: 1 }, kind: {} }).problems).toEqual([
    'invalid_type either.in_file: must be a string, put it in quotes',
    'required kind.type: `type` is missing',
  ]);
});

test('reading is total: any JSON gives a value or findings', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const reading = readShape(Shape, value);
      expect(reading.value !== undefined || reading.findings.length > 0).toBe(true);
    }),
  );
});

test('free-form data comes back equal, whatever its keys are', () => {
  const awkward = fc.dictionary(fc.constantFrom('__proto__', 'constructor', 'a', 'firstName', '', '0'), fc.jsonValue());
  fc.assert(
    fc.property(awkward, (free) => {
      expect(JSON.stringify(readShape(Shape, { free }).value?.free)).toBe(JSON.stringify(free));
      expect(({} as Record<string, unknown>).firstName).toBeUndefined();
    }),
  );
});
