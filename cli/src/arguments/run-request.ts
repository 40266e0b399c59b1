import type { ParseArgsOptionsConfig } from 'node:util';
import { parseAssignments } from '@proofmark/domain/parse-assignments';
import type { RunRequest } from '@proofmark/domain/plan-run';
import { z } from 'zod';
import { oneOf, wholeNumber } from './parse-arguments.ts';

const texts = z.array(z.string().min(1, 'must not be empty')).default([]);

/** The options that say what is run; `run` and `resolve` share them. */
export const RequestOptions = z.object({
  case: texts,
  tag: texts,
  difficulty: oneOf(['normal', 'hard']).optional(),
  var: z.array(z.string()).default([]),
  preset: z.string().min(1, 'must not be empty').optional(),
  matrix: z.array(z.string()).default([]),
  repetitions: wholeNumber(1, 100).optional(),
});
export type RequestOptions = z.infer<typeof RequestOptions>;

export const requestArguments = {
  case: { type: 'string', multiple: true },
  tag: { type: 'string', multiple: true },
  difficulty: { type: 'string' },
  var: { type: 'string', short: 'V', multiple: true },
  preset: { type: 'string' },
  matrix: { type: 'string', multiple: true },
  repetitions: { type: 'string' },
} satisfies ParseArgsOptionsConfig;

export const requestHelp = [
  ['--case NAME', 'only this case; may be repeated'],
  ['--tag TAG', 'only cases with this tag; may be repeated'],
  ['--difficulty LEVEL', 'only normal or only hard cases'],
  ['-V, --var NAME=VALUE', 'the value of a variable; may be repeated'],
  ['--preset NAME', 'a set of values of proofmark.yaml; a single --var still wins'],
  ['--matrix NAME=a,b', 'run once per value; several axes are combined'],
  ['--repetitions N', 'how often each case is run'],
] as const;

/** A run of everything, as it is defined. */
export const emptyRequest: RunRequest = {
  variables: {},
  assignments: [],
  preset: null,
  matrix: {},
  matrixAssignments: [],
  cases: [],
  tags: [],
  difficulty: null,
  repetitions: null,
  compared: false,
  variants: ['head'],
};

export type BuiltRequest = { ok: true; request: RunRequest } | { ok: false; usage: string };

/** The request that was typed. Values stay text: each suite converts them with its own test type. */
export function buildRequest(options: RequestOptions): BuiltRequest {
  const variables = parseAssignments(options.var);
  if (!variables.ok) return { ok: false, usage: `--var: ${variables.error.message}. Type --var NAME=VALUE.` };
  const matrix = parseAssignments(options.matrix);
  if (!matrix.ok) return { ok: false, usage: `--matrix: ${matrix.error.message}. Type --matrix NAME=a,b.` };
  return {
    ok: true,
    request: {
      ...emptyRequest,
      assignments: variables.assignments,
      matrixAssignments: matrix.assignments.map(({ name, text }) => ({ name, values: text.split(',') })),
      preset: options.preset ?? null,
      cases: options.case,
      tags: options.tag,
      difficulty: options.difficulty ?? null,
      repetitions: options.repetitions ?? null,
    },
  };
}
