import type { Refused } from '../definitions/change.ts';
import { asMember } from './result-union.ts';
import { notAllowed, notFound } from './user-errors.ts';

/** The member of a result that says why a definition was not changed. */
export function refusedChange({ error }: Refused) {
  switch (error.code) {
    case 'NOT_FOUND':
      return notFound(error.what);
    case 'FORBIDDEN':
      return notAllowed(error.message);
    case 'INVALID_DEFINITIONS': {
      const words = error.problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
      return asMember('InvalidDefinitions', { code: error.code, message: words.join('; '), problems: error.problems });
    }
  }
}
