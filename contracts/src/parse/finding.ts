import type { ProblemCode } from '../definitions/problem.ts';
import type { Path } from './path-text.ts';

/** A problem before it has a place: what is wrong at which key, in the spelling of the file. */
export interface Finding {
  path: Path;
  code: ProblemCode;
  message: string;
  hint?: string;
  severity?: 'error' | 'warning';
  /** Whether the key itself is wrong or what stands behind it. */
  at?: 'key' | 'value';
}

export const isBlocking = (finding: Finding): boolean => finding.severity !== 'warning';

export const warning = (path: Path, code: ProblemCode, message: string, hint?: string): Finding => ({
  path,
  code,
  message,
  severity: 'warning',
  ...(hint === undefined ? {} : { hint }),
});
