import type { Finding } from './finding.ts';
import { firstForbidden, forbiddenMessage } from './source-text.ts';

/** Why a single value cannot be kept as it is, or undefined. Infinity and NaN would become null in the database. */
export function scalarProblem(value: unknown): Pick<Finding, 'code' | 'message' | 'hint'> | undefined {
  if (typeof value === 'string') {
    const offset = firstForbidden(value);
    return offset === undefined ? undefined : { code: 'invalid_format', message: forbiddenMessage(value, offset) };
  }
  if (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return undefined;
  if (typeof value === 'number' || typeof value === 'bigint') {
    return {
      code: 'out_of_range',
      message: 'must be a finite number between -(2^53 - 1) and 2^53 - 1',
      hint: 'Put an identifier with that many digits in quotes.',
    };
  }
  return undefined;
}
