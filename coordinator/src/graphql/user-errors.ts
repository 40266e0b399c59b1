import type { Problem } from '@proofmark/contracts/problem';
import { schemaFindings } from '@proofmark/contracts/schema-findings';
import type { z } from 'zod';
import { builder } from './builder.ts';

/** Marks a value as one member of a result union; what it is follows from nothing else. */
export function asMember<Shape extends object>(typeName: string, value: Shape): Shape {
  return { ...value, [marker]: typeName };
}

/** For `resolveType` of a result union: the member that `asMember` named. */
export function memberOf(value: object): string | undefined {
  return marker in value && typeof value[marker] === 'string' ? value[marker] : undefined;
}

const marker = '__typename';

/** An expected failure of a mutation: a member of its result, not an error of the request. */
export interface UserError {
  code: string;
  message: string;
}

const UserErrorType = builder.interfaceRef<UserError>('UserError').implement({
  description: 'Why a mutation did nothing. Every failure that a caller can cause is one of these.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'A stable word for programs.' }),
    message: t.exposeString('message', { description: 'What is wrong and what to do, for people.' }),
  }),
});

export const ProblemType = builder.objectRef<Problem>('Problem').implement({
  description: 'One thing that is wrong in a definition, and where.',
  fields: (t) => ({
    severity: t.exposeString('severity', { description: 'error or warning; only errors stop a run.' }),
    code: t.exposeString('code', { description: 'A stable word for programs.' }),
    file: t.exposeString('file', { description: 'Path of the file; empty for what came as arguments.' }),
    line: t.exposeInt('line', { description: 'Number of the line, from 1.' }),
    column: t.exposeInt('column', { description: 'Number of the column, from 1.' }),
    path: t.exposeString('path', { description: 'Dotted path of the key.' }),
    message: t.exposeString('message', { description: 'What is wrong with it.' }),
    hint: t.string({ nullable: true, description: 'What was probably meant.', resolve: ({ hint }) => hint ?? null }),
  }),
});

export const InvalidDefinitionsType = builder
  .objectRef<UserError & { problems: Problem[] }>('InvalidDefinitions')
  .implement({
    description: 'Definitions have errors: nothing was done.',
    interfaces: [UserErrorType],
    fields: (t) => ({
      problems: t.field({
        type: [ProblemType],
        description: 'Every problem of every file.',
        resolve: ({ problems }) => problems,
      }),
    }),
  });

export const IdempotencyConflictType = builder
  .objectRef<UserError & { runId: string }>('IdempotencyConflict')
  .implement({
    description: 'The key belongs to a run with other input.',
    interfaces: [UserErrorType],
    fields: (t) => ({
      runId: t.expose('runId', { type: 'UUID', description: 'The run that has the key.' }),
    }),
  });

export const RateLimitedType = builder.objectRef<UserError & { retryAfterMs: number }>('RateLimited').implement({
  description: 'Too much is going on for this tenant: nothing was done. The same again may work later.',
  interfaces: [UserErrorType],
  fields: (t) => ({
    retryAfterMs: t.exposeInt('retryAfterMs', { description: 'How long to wait before trying again, milliseconds.' }),
  }),
});

export const MissingBlobsType = builder.objectRef<UserError & { digests: string[] }>('MissingBlobs').implement({
  description: 'Files of cases have not been uploaded: nothing was done. Upload them and send the same again.',
  interfaces: [UserErrorType],
  fields: (t) => ({
    digests: t.exposeStringList('digests', {
      description: 'SHA-256 of each missing file. Upload it with PUT /blobs/<sha256> and the same token.',
    }),
  }),
});

export interface InputProblem {
  path: string;
  code: string;
  message: string;
  hint?: string | undefined;
}

const InputProblemType = builder.objectRef<InputProblem>('InputProblem').implement({
  description: 'One argument that is wrong.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Dotted path of the argument.' }),
    code: t.exposeString('code', { description: 'A stable word for programs.' }),
    message: t.exposeString('message', { description: 'What is wrong with it.' }),
    hint: t.string({ nullable: true, description: 'What was probably meant.', resolve: ({ hint }) => hint ?? null }),
  }),
});

export const InvalidInputType = builder.objectRef<UserError & { problems: InputProblem[] }>('InvalidInput').implement({
  description: 'Arguments are wrong: nothing was done.',
  interfaces: [UserErrorType],
  fields: (t) => ({
    problems: t.field({
      type: [InputProblemType],
      description: 'Every argument that is wrong.',
      resolve: ({ problems }) => problems,
    }),
  }),
});

export const NotAllowedType = builder.objectRef<UserError>('NotAllowed').implement({
  description: 'The token is valid but may not do this.',
  interfaces: [UserErrorType],
});

export const NotFoundType = builder.objectRef<UserError>('NotFound').implement({
  description: 'There is nothing with this id, or it belongs to somebody else.',
  interfaces: [UserErrorType],
});

export const NotConfirmableType = builder.objectRef<UserError>('NotConfirmable').implement({
  description: 'There is no suspicion to confirm, or no way to: nothing was done.',
  interfaces: [UserErrorType],
});

/** What is wrong with which argument, in the words of definition files. `given` is what was parsed. */
export function inputProblems(error: z.ZodError, given: unknown) {
  return schemaFindings(error.issues, given).map(({ path, code, message, hint }) => ({
    path: path.join('.'),
    code,
    message,
    hint,
  }));
}

/** The same as one sentence. */
export const inWords = (problems: readonly Pick<InputProblem, 'path' | 'message'>[]): string =>
  problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ');

/** The result for arguments of the wrong form, with each of them named. */
export function invalidInput(error: z.ZodError, given: unknown) {
  const problems = inputProblems(error, given);
  return asMember('InvalidInput', { code: 'INVALID_INPUT', message: inWords(problems), problems });
}

/** The same answer for what is missing and for what belongs to somebody else. */
export function notFound(what: string) {
  return asMember('NotFound', { code: 'NOT_FOUND', message: `There is no ${what} with this id.` });
}

export function notAllowed(message: string) {
  return asMember('NotAllowed', { code: 'FORBIDDEN', message });
}

/** GraphQL callers send null for what they leave out; the input of a run knows only absent keys where it has defaults. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, entry]) => entry !== null)
      .map(([key, entry]) => [key, withoutNulls(entry)]),
  );
}
