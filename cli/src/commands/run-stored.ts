import type { CoordinatorClient } from '@proofmark/client/coordinator-client';
import { constantOf } from '@proofmark/client/words';
import { z } from 'zod';
import { type Command, wrongUsage } from '../arguments/command.ts';
import { parseOptions, wordOption } from '../arguments/parse-arguments.ts';
import {
  buildRequest,
  RequestOptions,
  requestArguments,
  requestHelp,
  TellingOptions,
  tellingArguments,
  tellingHelp,
  toldOnce,
  valuesOf,
} from '../arguments/run-options.ts';
import { findTest } from '../coordinator/find-stored.ts';
import { runStored } from '../coordinator/run-on.ts';
import { outputProblem } from '../output/render-reports.ts';

/* Runs of what a coordinator has already: a test as it is stored there, and a run once more. */

const there = [
  '--coordinator URL',
  'who has it; PROOFMARK_COORDINATOR by default. The token is that of PROOFMARK_TOKEN',
] as const;
const thereArguments = { coordinator: { type: 'string' } } as const;
const ThereOptions = TellingOptions.extend({ coordinator: z.string().min(1, 'must not be empty').optional() });

const { var: values, preset, matrix, repetitions } = requestArguments;
const TestOptions = RequestOptions.pick({ var: true, preset: true, matrix: true, repetitions: true })
  .extend({ ...ThereOptions.shape, suite: z.string().min(1, 'must not be empty').optional() })
  .refine(...toldOnce);

export const test: Command = {
  synopsis: 'NAME [--suite NAME] [--var NAME=VALUE]… [--preset NAME] [--matrix NAME=a,b]… [--coordinator URL] [--json]',
  optionHelp: [
    ['NAME', 'a test that the coordinator has stored, by its name or its id; it runs without its suite'],
    ['--suite NAME', 'the suite that it belongs to, where several tests have the name'],
    ...requestHelp.filter(([option]) => /--(?:var|preset|matrix|repetitions)\b/.test(option)),
    there,
    ...tellingHelp,
  ],
  options: {
    suite: { type: 'string' },
    var: values,
    preset,
    matrix,
    repetitions,
    ...thereArguments,
    ...tellingArguments,
  },
  run: async (typed, context) => {
    const parsed = parseOptions(TestOptions, typed.values);
    if (!parsed.ok) return wrongUsage(parsed.usage);
    const { options } = parsed;
    const [word, ...others] = typed.positionals;
    if (word === undefined || others.length > 0) return wrongUsage('Name one test of the coordinator.');
    const unclear = outputProblem(options);
    if (unclear !== undefined) return wrongUsage(`--output: ${unclear}`);
    const built = buildRequest({ ...options, case: [], tag: [] });
    if (!built.ok) return wrongUsage(built.usage);
    const stored = {
      find: (coordinator: Parameters<typeof findTest>[0]) => findTest(coordinator, { word, suite: options.suite }),
      begin: (testCaseId: string) => (client: CoordinatorClient, idempotencyKey: string) =>
        client.startStoredRun({ ...valuesOf(built.request), idempotencyKey, testCaseId }),
    };
    return await runStored(stored, { options, context });
  },
};

const RerunOptions = ThereOptions.extend({
  only: wordOption(['failed', 'errored']).optional(),
  notes: z.string().max(10_000).optional(),
}).refine(...toldOnce);

export const rerun: Command = {
  synopsis: 'RUN [--only failed|errored] [--notes TEXT] [--coordinator URL] [--format FORMAT] [--output PATH] [--json]',
  optionHelp: [
    ['RUN', 'the id of a run of the coordinator; `proofmark runs` lists them'],
    ['--only WORD', 'failed: cases that did not pass; errored: those of which nothing could be judged; all unless set'],
    ['--notes TEXT', 'why it is run again'],
    there,
    ...tellingHelp,
  ],
  options: { only: { type: 'string' }, notes: { type: 'string' }, ...thereArguments, ...tellingArguments },
  run: async (typed, context) => {
    const parsed = parseOptions(RerunOptions, typed.values);
    if (!parsed.ok) return wrongUsage(parsed.usage);
    const { options } = parsed;
    const [runId = '', ...others] = typed.positionals;
    if (others.length > 0 || !z.uuid().safeParse(runId).success)
      return wrongUsage('Name one run of the coordinator by its id. `proofmark runs` lists them.');
    const unclear = outputProblem(options);
    if (unclear !== undefined) return wrongUsage(`--output: ${unclear}`);
    const { notes } = options;
    const only = constantOf(options.only ?? 'all');
    const stored = {
      find: async () => ({ ok: true as const, id: runId }),
      begin: (id: string) => (client: CoordinatorClient, idempotencyKey: string) =>
        client.rerunRun({ runId: id, only, notes, idempotencyKey }),
    };
    return await runStored(stored, { options, context });
  },
};
