import type { ProblemCode } from '../definitions/problem.ts';
import { type Finding, isBlocking } from '../parse/finding.ts';
import { bracketPath, type Path } from '../parse/path-text.ts';

interface ValidationError {
  /** Where in the value: `expected_tool_calls[0].tool`. */
  path: string;
  code: ProblemCode;
}

/** Whether one authored value is acceptable, and what it then means. */
export type Validation =
  | { valid: true; normalized?: Record<string, unknown> }
  | { valid: false; errors: ValidationError[] };

/** The errors among findings, each place and code once; warnings do not make a value invalid. */
export function conclude(
  findings: readonly Finding[],
  normalized?: () => Record<string, unknown>,
  base: Path = [],
): Validation {
  const errors = findings.filter(isBlocking).map(({ path, code }) => ({ path: bracketPath([...base, ...path]), code }));
  const unique = errors.filter(
    ({ path, code }, index) => errors.findIndex((other) => other.path === path && other.code === code) === index,
  );
  if (unique.length > 0) return { valid: false, errors: unique };
  return normalized === undefined ? { valid: true } : { valid: true, normalized: normalized() };
}
