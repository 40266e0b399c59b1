import type { z } from 'zod';
import type { ProblemCode } from '../definitions/problem.ts';
import { bracketPath } from '../parse/finding.ts';

/** What is wrong in a value that is not a definition file: a report, a session, a result. It has no line, only a key. */
export interface ShapeProblem {
  path: string;
  code: ProblemCode;
  message: string;
}

/** Every way in which `value` is not a `schema`; empty when it is one. */
export function shapeProblems(schema: z.ZodType, value: unknown): ShapeProblem[] {
  const result = schema.safeParse(value, { reportInput: true });
  return result.success ? [] : result.error.issues.flatMap(problemsOf);
}

function problemsOf(issue: z.core.$ZodIssue): ShapeProblem[] {
  const path = issue.path.map((segment) => (typeof segment === 'symbol' ? String(segment) : segment));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: bracketPath([...path, key]),
      code: 'unknown_field',
      message: 'unknown key',
    }));
  }
  return [{ path: bracketPath(path), code: codeOf(issue), message: issue.message }];
}

function codeOf(issue: z.core.$ZodIssue): ProblemCode {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'required' : 'invalid_type';
    case 'too_small':
      return isLength(issue.origin) ? 'too_short' : 'out_of_range';
    case 'too_big':
      return lengthCode(issue.origin);
    case 'invalid_format':
      return 'invalid_format';
    case 'invalid_value':
      return 'invalid_enum';
    case 'custom':
      return ruleCode(issue.params?.code);
    case 'invalid_element':
    case 'invalid_key':
    case 'invalid_union':
    case 'not_multiple_of':
    case 'unrecognized_keys':
      return 'invalid_value';
  }
}

const isLength = (origin: string): boolean => origin === 'string' || origin === 'array';

function lengthCode(origin: string): ProblemCode {
  if (origin === 'array') return 'too_many';
  return origin === 'string' ? 'too_long' : 'out_of_range';
}

const ruleCodes: readonly ProblemCode[] = ['required', 'too_short', 'out_of_range', 'mismatch'];
const ruleCode = (code: unknown): ProblemCode => ruleCodes.find((known) => known === code) ?? 'invalid_value';
