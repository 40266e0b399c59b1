import { z } from 'zod';

export const ProblemCode = z.enum([
  'required',
  'too_short',
  'too_long',
  'too_many',
  'invalid_type',
  'invalid_enum',
  'invalid_format',
  'invalid_value',
  'out_of_range',
  'exclusive',
  'unknown_field',
  'forbidden_field',
  'duplicate',
  'mismatch',
  'missing_required',
  'unknown_variable',
  'parse_error',
  'not_found',
  'limit',
]);
export type ProblemCode = z.infer<typeof ProblemCode>;

/** One thing that is wrong in a definition file, and where: what a person needs to repair it without searching. */
export const Problem = z.strictObject({
  severity: z.enum(['error', 'warning']),
  code: ProblemCode,
  file: z.string(),
  line: z.int().min(1),
  column: z.int().min(1),
  /** Dotted path of the key, list positions as numbers: `cases.0.expected_behavior.checks.1.phrases`. */
  path: z.string(),
  message: z.string(),
  hint: z.string().optional(),
});
export type Problem = z.infer<typeof Problem>;

export const isError = (problem: Problem): boolean => problem.severity === 'error';
