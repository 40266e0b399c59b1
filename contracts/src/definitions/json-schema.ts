import { z } from 'zod';
import { didYouMean } from './near-match.ts';

export type CompiledSchema = { ok: true; accepts: (value: unknown) => boolean } | { ok: false; message: string };

type Json = Record<string, unknown>;

/** Keywords that say nothing about a value. */
const annotations = ['$schema', '$id', '$comment', '$defs', 'title', 'description', 'default', 'examples'];

/** Keywords that count for values of any type. */
const general = ['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', '$ref'];

/** Keywords that count for one type only. The validator ignores them where `type` is absent, so then they are refused. */
const typed: Readonly<Record<string, readonly string[]>> = {
  object: ['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties', 'propertyNames'],
  array: ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains'],
  string: ['minLength', 'maxLength', 'format'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
};

/** Keywords that hold further schemas: by name, as a list, or as one schema. */
const schemaMaps = ['properties', '$defs'];
const schemaLists = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const singleSchemas = ['items', 'additionalProperties', 'contains', 'propertyNames'];

const known = [...annotations, ...general, ...Object.values(typed).flat()];

/**
 * A JSON Schema of a user, ready to be applied. Keywords that would be ignored are refused: a schema that checks less
 * than it says makes runs green. `pattern` is among them, because it would reach the engine of the language.
 */
export function compileJsonSchema(schema: Json): CompiledSchema {
  const problem = firstProblem(schema, '') ?? referenceProblem(schema);
  if (problem !== undefined) return { ok: false, message: problem };
  try {
    const compiled = z.fromJSONSchema(schema);
    return { ok: true, accepts: (value) => isAccepted(compiled, value) };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : 'the schema cannot be used' };
  }
}

function isAccepted(schema: z.ZodType, value: unknown): boolean {
  try {
    return schema.safeParse(value).success;
  } catch (error) {
    // An answer nested so deeply that it exhausts the stack is no answer that anybody described.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** References that lead back to themselves without a step into the value would never end. */
function referenceProblem(root: Json): string | undefined {
  const schemas = [root, ...Object.values(isObject(root.$defs) ? root.$defs : {})].filter(isObject);
  return schemas.some((schema) => isEndless(schema, root, [])) ? 'the schema refers to itself without end' : undefined;
}

function isEndless(schema: Json, root: Json, trail: readonly Json[]): boolean {
  if (trail.includes(schema)) return true;
  return sameValueSchemas(schema, root).some((next) => isEndless(next, root, [...trail, schema]));
}

/** The schemas that judge the same value: what a reference means, and the members of combinations. */
const sameValueSchemas = (schema: Json, root: Json): Json[] =>
  [
    schema.$ref === '#' ? root : undefined,
    isObject(root.$defs) && typeof schema.$ref === 'string'
      ? root.$defs[schema.$ref.replace('#/$defs/', '')]
      : undefined,
    ...['anyOf', 'oneOf', 'allOf'].flatMap((key): unknown[] => (Array.isArray(schema[key]) ? schema[key] : [])),
  ].filter(isObject);

function firstProblem(schema: unknown, path: string): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isObject(schema)) return `${where(path)} must be a schema, that is a mapping`;
  return keywordProblem(schema, path) ?? innerProblem(schema, path);
}

function keywordProblem(schema: Json, path: string): string | undefined {
  const types = typesOf(schema);
  for (const keyword of Object.keys(schema)) {
    if (!known.includes(keyword))
      return `${where(path)} keyword \`${keyword}\` is not supported${didYouMean(keyword, known)}`;
    const owner = Object.keys(typed).find((type) => typed[type]?.includes(keyword));
    if (owner !== undefined && !types.includes(owner))
      return `${where(path)} \`${keyword}\` needs \`type: ${owner}\` beside it`;
  }
  return undefined;
}

function innerProblem(schema: Json, path: string): string | undefined {
  for (const [key, inner] of innerSchemas(schema)) {
    const problem = firstProblem(inner, `${path}/${key}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const innerSchemas = (schema: Json): [string, unknown][] => [
  ...schemaMaps.flatMap((key) => entriesOf(key, schema[key])),
  ...schemaLists.flatMap((key) => entriesOf(key, schema[key])),
  ...singleSchemas.flatMap((key): [string, unknown][] => (schema[key] === undefined ? [] : [[key, schema[key]]])),
];

const entriesOf = (key: string, value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).map(([name, inner]) => [`${key}/${name}`, inner])
    : [];

/** An integer is a number: number keywords go with both. */
const typesOf = ({ type }: Json): unknown[] =>
  (Array.isArray(type) ? type : [type]).map((name: unknown) => (name === 'integer' ? 'number' : name));

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const where = (path: string): string => (path === '' ? 'in the schema:' : `at ${path}:`);
