import type { ParseArgsOptionsConfig } from 'node:util';
import { z } from 'zod';
import { formats } from '../output/render-reports.ts';
import { oneOf, wholeNumber } from './parse-arguments.ts';
import { RequestOptions, requestArguments, requestHelp } from './run-request.ts';

/** What `run` can be told, apart from the paths of suites. */
export const RunOptions = RequestOptions.extend({
  compare: z.string().min(1, 'must not be empty').optional(),
  coordinator: z.string().min(1, 'must not be empty').optional(),
  concurrency: wholeNumber(1, 1000).optional(),
  format: oneOf(formats).optional(),
  output: z.string().min(1, 'must not be empty').optional(),
  results: z.string().min(1, 'must not be empty').default('results'),
  resume: z.string().min(1, 'must not be empty').optional(),
  json: z.boolean().default(false),
})
  .refine(({ json, format, output }) => !json || format === undefined || output !== undefined, {
    path: ['json'],
    message: 'prints the result of the run; with --format the report goes to --output PATH',
  })
  .refine(({ coordinator, compare }) => coordinator === undefined || compare === undefined, {
    path: ['compare'],
    message: 'works in runs of this process; with --coordinator the coordinator chooses what is compared',
  })
  .refine(({ coordinator, concurrency }) => coordinator === undefined || concurrency === undefined, {
    path: ['concurrency'],
    message: 'works in runs of this process; with --coordinator the runners decide',
  });
export type RunOptions = z.infer<typeof RunOptions>;

export const runArguments = {
  ...requestArguments,
  compare: { type: 'string' },
  coordinator: { type: 'string' },
  concurrency: { type: 'string' },
  resume: { type: 'string' },
  format: { type: 'string' },
  output: { type: 'string' },
  results: { type: 'string' },
  json: { type: 'boolean' },
} satisfies ParseArgsOptionsConfig;

export const runHelp = [
  ...requestHelp,
  ['--compare REF|PATH', 'gate against a commit, run beside, or against the results of an earlier run'],
  ['--coordinator URL', 'let this coordinator run it, with the API token of PROOFMARK_TOKEN'],
  ['--concurrency N', 'how many test runs at once'],
  ['--resume ID', 'go on with a run that was interrupted, as it was started; or the folder of that run'],
  [`--format FORMAT`, `print the report: ${formats.join(', ')}`],
  ['--output PATH', 'write the report to a file instead; its ending gives the format'],
  ['--results DIR', 'where results are kept, ./results by default'],
  ['--json', 'print the result of the run as JSON'],
] as const;
