import type { ParseArgsOptionsConfig } from 'node:util';
import { parseAssignments } from '@proofmark/domain/parse-assignments';
import type { RunRequest } from '@proofmark/domain/plan-run';
import { z } from 'zod';
import { formats } from '../output/render-reports.ts';
import { wholeNumberOption, wordOption } from './parse-arguments.ts';

const texts = z.array(z.string().min(1, 'must not be empty')).default([]);

/** The options that say what is run; `run` and `resolve` share them. */
export const RequestOptions = z.object({
  case: texts,
  tag: texts,
  difficulty: wordOption(['normal', 'hard']).optional(),
  var: z.array(z.string()).default([]),
  preset: z.string().min(1, 'must not be empty').optional(),
  matrix: z.array(z.string()).default([]),
  repetitions: wholeNumberOption(1, 100).optional(),
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

type BuiltRequest = { ok: true; request: RunRequest } | { ok: false; usage: string };

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

/** The values that a run of something stored is given. */
export const valuesOf = ({ assignments, matrixAssignments, preset, repetitions }: RunRequest) => ({
  ...{ assignments, preset, matrix: matrixAssignments, repetitions },
});

/** How the result of a run is told, wherever it ran. */
export const TellingOptions = z.object({
  format: wordOption(formats).optional(),
  output: z.string().min(1, 'must not be empty').optional(),
  'raw-cells': z.boolean().default(false),
  results: z.string().min(1, 'must not be empty').default('results'),
  json: z.boolean().default(false),
});
export type TellingOptions = z.infer<typeof TellingOptions>;

/** For `refine`. */
export const toldOnce = [
  ({ json, format, output }: TellingOptions): boolean => !json || format === undefined || output !== undefined,
  { path: ['json'], message: 'prints the result of the run; with --format the report goes to --output PATH' },
] as const satisfies [unknown, { path: string[]; message: string }];

export const tellingArguments = {
  format: { type: 'string' },
  output: { type: 'string' },
  'raw-cells': { type: 'boolean' },
  results: { type: 'string' },
  json: { type: 'boolean' },
} satisfies ParseArgsOptionsConfig;

export const tellingHelp = [
  ['--format FORMAT', `print the report: ${formats.join(', ')}`],
  ['--output PATH', 'write the report to a file instead; its ending gives the format'],
  ['--raw-cells', 'CSV with every character as it was, also invisible ones'],
  ['--results DIR', 'where results are kept, ./results by default'],
  ['--json', 'print the result of the run as JSON'],
] as const;

/** What `run` can be told, apart from the paths of suites. */
export const RunOptions = RequestOptions.extend({
  compare: z.string().min(1, 'must not be empty').optional(),
  coordinator: z.string().min(1, 'must not be empty').optional(),
  suite: z.string().min(1, 'must not be empty').optional(),
  concurrency: wholeNumberOption(1, 1000).optional(),
  resume: z.string().min(1, 'must not be empty').optional(),
  cache: z.boolean().default(false),
  'no-cache': z.boolean().default(false),
  filter: texts,
  'only-failed': z.string().min(1, 'must not be empty').optional(),
  ...TellingOptions.shape,
})
  .refine(...toldOnce)
  .refine(({ suite, filter, 'only-failed': failed }) => suite === undefined || (filter.length === 0 && !failed), {
    path: ['suite'],
    message: 'runs cases by --case, --tag and --difficulty: leave out --filter and --only-failed',
  })
  .refine(({ coordinator, compare }) => coordinator === undefined || compare === undefined, {
    path: ['compare'],
    message: 'works in runs of this process; with --coordinator the coordinator chooses what is compared',
  })
  .refine(
    ({ suite, compare, resume, concurrency }) =>
      suite === undefined || (compare ?? resume ?? concurrency) === undefined,
    {
      path: ['suite'],
      message: 'is run by the coordinator: leave out --compare, --resume and --concurrency',
    },
  )
  .refine(({ coordinator, concurrency }) => coordinator === undefined || concurrency === undefined, {
    path: ['concurrency'],
    message: 'works in runs of this process; with --coordinator the runners decide',
  });
export type RunOptions = z.infer<typeof RunOptions>;

export const runArguments = {
  ...requestArguments,
  compare: { type: 'string' },
  coordinator: { type: 'string' },
  suite: { type: 'string' },
  concurrency: { type: 'string' },
  resume: { type: 'string' },
  filter: { type: 'string', multiple: true },
  'only-failed': { type: 'string' },
  cache: { type: 'boolean' },
  'no-cache': { type: 'boolean' },
  ...tellingArguments,
} satisfies ParseArgsOptionsConfig;

export const runHelp = [
  ...requestHelp,
  ['--filter TEXT', 'only cases whose name has this text, where * stands for anything; may be repeated'],
  ['--only-failed [RUN]', 'only cases that did not pass in this run; without one in the newest'],
  ['--cache', 'take known answers also in CI, beside the results of a run and for several repetitions'],
  ['--no-cache', 'ask everything anew, and know that from then on'],
  ['--compare REF|RUN', 'gate against a commit, run beside, or against the results of an earlier run'],
  ['--coordinator URL', 'let this coordinator run it, with the API token of PROOFMARK_TOKEN'],
  ['--suite NAME', 'run this suite of the coordinator, by its name or its id, as it is stored there, instead of files'],
  ['--concurrency N', 'how many test runs at once'],
  ['--resume ID', 'go on with a run that was interrupted, as it was started; or the folder of that run, or `last`'],
  ...tellingHelp,
] as const;
