import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { z } from 'zod';
import type { Journal, JournalEntry } from './journal.ts';

const Parameter = z.looseObject({
  name: z.string(),
  in: z.enum(['path', 'query', 'header', 'cookie']),
  required: z.boolean().default(false),
  schema: z.looseObject({}),
});
const Reference = z.looseObject({ $ref: z.string() });
const Operation = z.looseObject({
  parameters: z.array(z.union([Reference, Parameter])).default([]),
  requestBody: z
    .looseObject({
      required: z.boolean().default(false),
      content: z.record(z.string(), z.looseObject({ schema: z.looseObject({}).optional() })),
    })
    .optional(),
});
type Operation = z.infer<typeof Operation>;

const Description = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.looseObject({ parameters: z.record(z.string(), Parameter) }),
});

type Request = Pick<JournalEntry, 'method' | 'path' | 'query' | 'body'>;

/** Says what of a request GitHub's published description of its API does not know or does not allow; empty: it fits. */
export type FitRequest = (request: Request) => string[];

let description: Promise<FitRequest> | undefined;

/** What GitHub publishes about github.com: 13 MB, which a process reads once. */
export const readDescription = (): Promise<FitRequest> => (description ??= compileDescription());

async function compileDescription(): Promise<FitRequest> {
  const file = fileURLToPath(import.meta.resolve('@octokit/openapi/generated/api.github.com.json'));
  const whole: unknown = JSON.parse(await readFile(file, 'utf8'), withNull);
  const description = Description.parse(whole);
  const ajv = new Ajv({ strict: false, validateFormats: false, validateSchema: false, allErrors: true });
  ajv.addSchema({ ...description, $id: 'github' });
  const routes = Object.entries(description.paths).map(([template, operations]) => ({
    segments: template.split('/'),
    operations,
  }));
  const compiled = new Map<object, ValidateFunction>();
  const problemsOf = (what: string, schema: object, value: unknown): string[] => {
    const check = compiled.get(schema) ?? ajv.compile(underRoot(schema));
    compiled.set(schema, check);
    return check(value) === true ? [] : (check.errors ?? []).map((error) => `${what}${words(error)}`);
  };
  return ({ method, path, query, body }) => {
    const asked = `${method} ${path}`;
    const found = findRoute(routes, method.toLowerCase(), path.split('/'));
    if (found === null) return [`${asked}: there is no such operation`];
    const operation = Operation.parse(found);
    const parameters = operation.parameters.map((one) => resolve(one, description.components.parameters));
    return [
      ...queryProblems(new URLSearchParams(query), parameters, problemsOf),
      ...bodyProblems(body, operation, problemsOf),
    ].map((problem) => `${asked}: ${problem}`);
  };
}

type Problems = (what: string, schema: object, value: unknown) => string[];

function queryProblems(query: URLSearchParams, parameters: z.infer<typeof Parameter>[], problemsOf: Problems) {
  const known = parameters.filter((one) => one.in === 'query');
  const names = new Set(known.map(({ name }) => name));
  const unknown = [...query.keys()].filter((name) => !names.has(name)).map((name) => `there is no parameter ${name}`);
  const wrong = known.flatMap(({ name, required, schema }) => {
    const given = query.get(name);
    if (given === null) return required ? [`the parameter ${name} is missing`] : [];
    const isNumber = schema.type === 'integer' || schema.type === 'number';
    const value = isNumber && given !== '' ? Number(given) : schema.type === 'boolean' ? given === 'true' : given;
    return problemsOf(`the parameter ${name}`, schema, value);
  });
  return [...unknown, ...wrong];
}

function bodyProblems(body: unknown, { requestBody }: Operation, problemsOf: Problems): string[] {
  if (body === undefined) return requestBody?.required === true ? ['the body is missing'] : [];
  if (requestBody === undefined) return ['it takes no body'];
  const schema = requestBody.content['application/json']?.schema;
  return schema === undefined ? ['it takes no JSON'] : problemsOf('the body', schema, body);
}

/** The operation of a path, a segment that is written out before one that may be anything. */
function findRoute(
  routes: readonly { segments: string[]; operations: Record<string, unknown> }[],
  method: string,
  given: readonly string[],
): unknown {
  const fitting = routes.filter(
    ({ segments, operations }) =>
      operations[method] !== undefined &&
      segments.length === given.length &&
      segments.every((segment, at) => segment === given[at] || (segment.startsWith('{') && given[at] !== '')),
  );
  const [best] = fitting.toSorted((a, b) => parametersIn(a.segments) - parametersIn(b.segments));
  return best?.operations[method] ?? null;
}

const parametersIn = (segments: readonly string[]): number => segments.filter((one) => one.startsWith('{')).length;

function resolve(
  parameter: Operation['parameters'][number],
  shared: Record<string, z.infer<typeof Parameter>>,
): z.infer<typeof Parameter> {
  const reference = Reference.safeParse(parameter);
  if (!reference.success) return Parameter.parse(parameter);
  return Parameter.parse(shared[reference.data.$ref.split('/').at(-1) ?? '']);
}

/** Where the description names no type, `nullable` is a word that nobody reads. */
function withNull(_key: string, value: unknown): unknown {
  const { nullable, ...schema } = Object(value);
  return nullable === true && schema.type === undefined ? { anyOf: [schema, { type: 'null' }] } : value;
}

/** References of the description begin at its root, and parts of it are compiled alone. */
function underRoot(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"github#/'));
}

const words = ({ instancePath, message = 'is wrong', params }: ErrorObject): string =>
  `${instancePath.replaceAll('/', '.')} ${message} ${JSON.stringify(params)}`;

/** Throws with everything that the product asked of GitHub, since the server began, that its description does not know. */
export async function expectToFit({ entries }: Journal): Promise<void> {
  const fit = await readDescription();
  const ofProduct = entries.filter(({ caller, path }) => caller !== 'user' && !isBeside(path));
  const problems = new Set(ofProduct.flatMap(fit));
  if (problems.size > 0) throw new Error(`These requests do not fit GitHub's OpenAPI:\n${[...problems].join('\n')}`);
}

/** GraphQL has a description of its own, and tokens for jobs come from elsewhere. */
const isBeside = (path: string): boolean => path.endsWith('/graphql') || path.startsWith('/_services/');
