import type { z } from 'zod';
import { asMember } from './result-union.ts';

/** The result for arguments of the wrong form, with each of them named. */
export function invalidInput(error: z.ZodError) {
  const problems = error.issues.map(({ path, code, message }) => ({ path: path.map(String).join('.'), code, message }));
  const message = problems.map(({ path, message: what }) => `${path}: ${what}`).join('; ');
  return asMember('InvalidInput', { code: 'INVALID_INPUT', message, problems });
}

/** The same answer for what is missing and for what belongs to somebody else. */
export function notFound(what: string) {
  return asMember('NotFound', { code: 'NOT_FOUND', message: `There is no ${what} with this id.` });
}

export function notAllowed(message: string) {
  return asMember('NotAllowed', { code: 'FORBIDDEN', message });
}
