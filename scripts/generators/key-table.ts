import { z } from 'zod';

/** The part of JSON Schema that the schemas of definition files use. */
export interface Schema {
  type?: string | string[] | undefined;
  description?: string | undefined;
  default?: unknown;
  const?: unknown;
  enum?: unknown[] | undefined;
  format?: string | undefined;
  minimum?: number | undefined;
  maximum?: number | undefined;
  exclusiveMinimum?: number | undefined;
  required?: string[] | undefined;
  properties?: Record<string, Schema> | undefined;
  additionalProperties?: Schema | undefined;
  items?: Schema | undefined;
  anyOf?: Schema[] | undefined;
  oneOf?: Schema[] | undefined;
  definitions?: Record<string, Schema> | undefined;
}

const Schema: z.ZodType<Schema> = z.lazy(() =>
  z.object({
    type: z.union([z.string(), z.array(z.string())]).optional(),
    description: z.string().optional(),
    default: z.unknown().optional(),
    const: z.unknown().optional(),
    enum: z.array(z.unknown()).optional(),
    format: z.string().optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    exclusiveMinimum: z.number().optional(),
    required: z.array(z.string()).optional(),
    properties: z.record(z.string(), Schema).optional(),
    additionalProperties: z
      .union([Schema, z.boolean()])
      .transform((value) => (typeof value === 'boolean' ? undefined : value))
      .optional(),
    items: Schema.optional(),
    anyOf: z.array(Schema).optional(),
    oneOf: z.array(Schema).optional(),
    definitions: z.record(z.string(), Schema).optional(),
  }),
);

export const readSchema = (value: unknown): Schema => Schema.parse(value);

/** A Markdown table of every described key below a schema, nested keys with dots. Keys without a description are not meant for people. */
export function keyTable(schema: Schema, { leaveOut = [] }: { leaveOut?: readonly string[] } = {}): string {
  return ['| key | type | default | meaning |', '|---|---|---|---|', ...rowsBelow(schema, '', leaveOut)].join('\n');
}

function rowsBelow(schema: Schema, base: string, leaveOut: readonly string[]): string[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, key]) => {
    const path = base === '' ? name : `${base}.${name}`;
    if (key.description === undefined) return [];
    const row = keyRow(path, key, schema.required?.includes(name) === true);
    return leaveOut.includes(path) ? [row] : [row, ...rowsBelow(key, path, leaveOut)];
  });
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return [
    ...own,
    ...alternatives.flatMap((alternative) => rowsBelow(alternative, base, leaveOut)),
    ...(schema.items === undefined ? [] : rowsBelow(schema.items, base === '' ? '' : `${base}[]`, leaveOut)),
    ...(schema.additionalProperties === undefined
      ? []
      : rowsBelow(schema.additionalProperties, `${base === '' ? '' : `${base}.`}NAME`, leaveOut)),
  ];
}

function keyRow(path: string, schema: Schema, isRequired: boolean): string {
  const absent = isRequired ? '**required**' : defaultOf(schema);
  return `| \`${path}\` | ${typeOf(schema)} | ${absent} | ${(schema.description ?? '').replaceAll('|', '\\|')} |`;
}

const code = (value: unknown): string => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;

/** Empty lists and maps are what everybody expects of an absent key. */
function defaultOf(schema: Schema): string {
  const value = schema.default;
  const isEmpty =
    value === undefined ||
    value === null ||
    value === '' ||
    (typeof value === 'object' && Object.keys(value).length === 0);
  return isEmpty ? '' : code(value);
}

const words: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'true or false',
  object: 'map',
  array: 'list',
};

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(code).join(', ');
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const own = [schema.type ?? []].flat().map(wordOf(schema));
  const distinct = new Set(
    alternatives.length > 0 ? alternatives.filter(isValue).map(typeOf) : own.filter((type) => type !== 'null'),
  );
  return distinct.size === 0 ? 'any' : [...distinct].join(' or ');
}

/** An explicit null means the same as an absent key. */
const isValue = ({ type }: Schema): boolean => type !== 'null';

const wordOf =
  (schema: Schema) =>
  (type: string): string => {
    if (type === 'array' && schema.items !== undefined) return listOf(typeOf(schema.items));
    const word = schema.format === 'uri' ? 'URL' : (words[type] ?? type);
    return type === 'integer' || type === 'number' ? `${word}${rangeOf(schema)}` : word;
  };

const listOf = (type: string): string => (type === 'map' ? 'list of maps' : `list of ${type}`);

function rangeOf({ minimum, maximum, exclusiveMinimum }: Schema): string {
  const isOpen = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER;
  if (exclusiveMinimum !== undefined) return ` above ${exclusiveMinimum}`;
  if (minimum === undefined || minimum <= Number.MIN_SAFE_INTEGER) return isOpen ? '' : ` up to ${maximum}`;
  return isOpen ? ` from ${minimum}` : ` ${minimum} to ${maximum}`;
}
