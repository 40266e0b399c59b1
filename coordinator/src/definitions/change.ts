import type { Problem, ProblemCode } from '@proofmark/contracts/problem';

/** Why a definition was not changed. */
type Refusal =
  | { code: 'NOT_FOUND'; what: string }
  | { code: 'FORBIDDEN'; message: string }
  | { code: 'INVALID_DEFINITIONS'; problems: Problem[] };

export type Refused = { ok: false; error: Refusal };
export type Changed = { ok: true; id: string } | Refused;

export const noSuch = (what: string): Refused => ({ ok: false, error: { code: 'NOT_FOUND', what } });

export const forbidden: Refused = {
  ok: false,
  error: { code: 'FORBIDDEN', message: 'This token may not change that definition' },
};

export const invalid = (problems: readonly Problem[]): Refused => ({
  ok: false,
  error: { code: 'INVALID_DEFINITIONS', problems: [...problems] },
});

/** A problem of an argument, which stands in no file. */
export const problemAt = (path: string, code: ProblemCode, message: string, hint?: string): Problem => ({
  severity: 'error',
  code,
  file: '',
  line: 1,
  column: 1,
  path,
  message,
  ...(hint === undefined ? {} : { hint }),
});

/** The problem as one of an argument: the path without the place that the definition has in its written file. */
export function withoutPlace(problem: Problem, place: string): Problem {
  const path =
    problem.path === place ? '' : problem.path.slice(problem.path.startsWith(`${place}.`) ? place.length + 1 : 0);
  return { ...problem, file: '', line: 1, column: 1, path };
}

export const nameTaken = (name: string): Refused =>
  invalid([problemAt('name', 'duplicate', `There is one with the name '${name}' already`)]);

/** Whether another transaction was first with a name. */
export function isNameTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505';
}

/** What a change leaves of a definition: what is not mentioned stays, null goes back to the default. */
export function merged(present: Record<string, unknown>, given: Record<string, unknown>): Record<string, unknown> {
  const snake = Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]): [string, unknown] => [
      key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]);
  return Object.fromEntries(
    Object.entries({ ...present, ...Object.fromEntries(snake) }).filter(([, value]) => value !== null),
  );
}
