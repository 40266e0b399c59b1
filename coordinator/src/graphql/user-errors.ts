import { schemaFindings } from '@proofmark/contracts/schema-findings';
import type { z } from 'zod';
import { asMember } from './result-union.ts';

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
export const inWords = (problems: ReturnType<typeof inputProblems>): string =>
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
