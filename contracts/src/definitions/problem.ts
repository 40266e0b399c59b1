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

/** Longer source lines are cut around the column. */
const MAX_LINE_LENGTH = 120;

/**
 * Problems as text, the way a good compiler prints them: place, message, the line with a caret, the hint. `read` gives
 * the text of a file; a problem of a file that cannot be read is printed without its line.
 */
export function formatProblems(
  problems: readonly Problem[],
  read: (path: string) => string | Uint8Array | undefined,
): string {
  const lines = lineReader(read);
  const blocks = problems.map((problem) => formatProblem(problem, lines(problem.file, problem.line)));
  return [...blocks, summary(problems)].join('\n\n');
}

function formatProblem(problem: Problem, source: string | undefined): string {
  const { file, line, column, severity, code, message, path, hint } = problem;
  const place = path === '' ? '' : ` (at ${visible(path)})`;
  return [
    `${file}:${line}:${column} ${severity} ${code}: ${visible(message)}${place}`,
    ...(source === undefined || source.trim() === '' || isSecret(path) ? [] : excerpt(source, line, column)),
    ...(hint === undefined ? [] : [`  hint: ${visible(hint)}`]),
  ].join('\n');
}

/** A key that was written into a file by mistake must not reach a log as well. */
const isSecret = (path: string): boolean => path.endsWith('api_key');

function excerpt(source: string, line: number, column: number): string[] {
  const start = column > MAX_LINE_LENGTH - 20 ? column - MAX_LINE_LENGTH / 2 : 0;
  const shown = visible(source.slice(start, start + MAX_LINE_LENGTH));
  const margin = `  ${line} | `;
  return [margin + shown, `${' '.repeat(margin.length + column - 1 - start)}^`];
}

/** Text of a file is printed to a terminal: nothing of it may move the cursor, and every character is one column wide. */
const visible = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => (character === '\t' ? ' ' : '\uFFFD'));

function summary(problems: readonly Problem[]): string {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const warnings = problems.length - errors;
  if (problems.length === 0) return 'no problems';
  return [count(errors, 'error'), count(warnings, 'warning')].filter((text) => !text.startsWith('0 ')).join(', ');
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

function lineReader(
  read: (path: string) => string | Uint8Array | undefined,
): (path: string, line: number) => string | undefined {
  const texts = new Map<string, readonly string[]>();
  return (path, line) => {
    const known = texts.get(path) ?? splitLines(read(path));
    texts.set(path, known);
    return known[line - 1];
  };
}

const splitLines = (content: string | Uint8Array | undefined): string[] =>
  (typeof content === 'string' ? content : Buffer.from(content ?? []).toString('utf8'))
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/);
