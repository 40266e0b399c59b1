import fc from 'fast-check';

/** What of a zod schema tells which values it takes. */
export interface Schema {
  def: {
    type: string;
    shape?: Record<string, Schema>;
    element?: Schema;
    innerType?: Schema;
    valueType?: Schema;
    entries?: Record<string, string>;
  };
  safeParse(value: unknown): { success: boolean };
}

const mostTimes = 100;
const numbers = [0, 1, 2, 0.5, 3.0625, 77, 1_000_000_007, Number.MAX_SAFE_INTEGER];
const moments = ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.123Z'];
const formatted = ['https://example.com/a', 'f'.repeat(64)];

/** For property tests: values that the schema takes, with short and long lists, and texts of up to `longest` characters. */
export function valuesOf(schema: Schema, { longest }: { longest: number }): fc.Arbitrary<unknown> {
  const inner = (part: Schema | undefined): fc.Arbitrary<unknown> =>
    part ? valuesOf(part, { longest }) : fc.jsonValue();
  const long = fc
    .tuple(fc.constantFrom('x', '"', '\n', '\u0001', 'é', '😀'), fc.nat(longest))
    .map(([character, length]) => character.repeat(length));
  const text = fc.oneof({ weight: 9, arbitrary: fc.string({ maxLength: 10 }) }, long);
  const manyDigits = fc.nat(longest).map((digits) => `2026-01-31T12:00:00.${'0'.repeat(digits + 1)}Z`);
  const { type, shape, element, innerType, valueType, entries } = schema.def;
  const taken = (values: fc.Arbitrary<unknown>) => values.filter((value) => schema.safeParse(value).success);
  switch (type) {
    case 'object': {
      const parts = Object.entries(shape ?? {});
      const optional = parts.filter(([, part]) => part.def.type === 'optional').map(([key]) => key);
      const required = parts.map(([key]) => key).filter((key) => !optional.includes(key));
      const values = Object.fromEntries(parts.map(([key, part]) => [key, inner(part)]));
      return taken(fc.record(values, { requiredKeys: required }));
    }
    case 'array':
      return taken(
        fc.oneof({ weight: 9, arbitrary: fc.array(inner(element), { maxLength: 2 }) }, repeated(inner(element))),
      );
    case 'record':
      return fc.dictionary(text, inner(valueType), { maxKeys: 3 });
    case 'nullable':
      return fc.option(inner(innerType));
    case 'optional':
    case 'default':
      return inner(innerType);
    case 'enum':
      return fc.constantFrom(...Object.values(entries ?? {}));
    case 'boolean':
      return fc.boolean();
    case 'number':
      return taken(fc.constantFrom(...numbers));
    case 'string':
      return taken(
        schema.safeParse('any text').success ? text : fc.oneof(fc.constantFrom(...moments, ...formatted), manyDigits),
      );
    default:
      return fc.oneof(fc.jsonValue({ maxDepth: 2 }), long);
  }
}

/** One value, over and over. */
function repeated(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown[]> {
  return fc.tuple(values, fc.nat(mostTimes)).map(([value, times]) => Array.from({ length: times }, () => value));
}

const manyTimes = 20_000;
const longText = 'z'.repeat(1_200_000);

/** The least that the schema takes. */
function leastOf(schema: Schema): unknown {
  const { type, shape, innerType, entries } = schema.def;
  if (type === 'object')
    return Object.fromEntries(Object.entries(shape ?? {}).map(([key, part]) => [key, leastOf(part)]));
  if (type === 'array') return [];
  if (type === 'record') return {};
  if (type === 'nullable') return schema.safeParse(null).success ? null : innerType && leastOf(innerType);
  if (type === 'optional' || type === 'default') return undefined;
  const candidates = [...Object.values(entries ?? {}), false, ...numbers, 'any text', ...moments, ...formatted, null];
  return candidates.find((value) => schema.safeParse(value).success);
}

interface Large {
  /** Where it is large. */
  path: string;
  value: unknown;
}

/** For each text, list and map of the schema a value in which that one is larger than a message, and all else as little as can be. */
export function largeOnesOf(schema: Schema, path = ''): Large[] {
  const { type, shape, element, innerType, valueType } = schema.def;
  const within = (part: Schema | undefined, key: string, put: (value: unknown) => unknown): Large[] =>
    part === undefined ? [] : largeOnesOf(part, `${path}${key}`).map((one) => ({ ...one, value: put(one.value) }));
  switch (type) {
    case 'object': {
      const least = leastOf(schema);
      return Object.entries(shape ?? {}).flatMap(
        ([key, part]) => within(part, `.${key}`, (value) => ({ ...(least as object), [key]: value })), // what an object takes is one
      );
    }
    case 'array': {
      const [one] = element === undefined ? [] : [leastOf(element)];
      return [
        { path: `${path}[]`, value: Array.from({ length: manyTimes }, () => one) },
        ...within(element, '[0]', (value) => [value]),
      ];
    }
    case 'record':
      return [
        { path: `${path}{}`, value: { [longText]: valueType && leastOf(valueType) } },
        ...within(valueType, '{a}', (value) => ({ a: value })),
      ];
    case 'nullable':
    case 'optional':
    case 'default':
      return within(innerType, '', (value) => value);
    case 'enum':
    case 'boolean':
    case 'number':
    case 'literal':
      return [];
    default:
      return schema.safeParse(longText).success ? [{ path, value: longText }] : [];
  }
}
