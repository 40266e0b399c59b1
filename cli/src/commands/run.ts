import { arch, platform } from 'node:os';
import { resolve } from 'node:path';
import type { CassetteEntry } from '@proofmark/contracts/cassette';
import type { LoadedDefinitions } from '@proofmark/contracts/load-definitions';
import { plural } from '@proofmark/domain/format-numbers';
import type { RunRequest } from '@proofmark/domain/plan-run';
import { type ModelKeys, readModelKeys } from '@proofmark/embedded/environment';
import type { EarlierTrials } from '@proofmark/embedded/judge-cells';
import { z } from 'zod';
import { type Command, type CommandContext, type CommandResult, done, wrongUsage } from '../arguments/command.ts';
import { oneOf, parseOptions, wholeNumber } from '../arguments/parse-arguments.ts';
import { buildRequest, RequestOptions, requestArguments, requestHelp } from '../arguments/run-request.ts';
import { chooseBase } from '../choose-base.ts';
import { openCoordinator } from '../coordinator/open-coordinator.ts';
import { runThere } from '../coordinator/run-there.ts';
import { exitCodes } from '../exit-code.ts';
import { findRoot } from '../find-root.ts';
import { newId } from '../new-id.ts';
import { problemText, type ShownFile } from '../output/problem-text.ts';
import { formats, outputProblem } from '../output/render-reports.ts';
import { openRunProgress } from '../output/run-progress.ts';
import { plain } from '../output/terminal.ts';
import { exitCodeOf } from '../run-outcome.ts';
import { tellRun } from '../tell-run.ts';
import { refuse, usableDefinitions } from './open-definitions.ts';

const Options = RequestOptions.extend({
  compare: z.string().min(1, 'must not be empty').optional(),
  coordinator: z.string().min(1, 'must not be empty').optional(),
  concurrency: wholeNumber(1, 1000).optional(),
  format: oneOf(formats).optional(),
  output: z.string().min(1, 'must not be empty').optional(),
  results: z.string().min(1, 'must not be empty').default('results'),
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
type Options = z.infer<typeof Options>;

export const run: Command = {
  name: 'run',
  summary: 'Run suites, here or on a coordinator, and say whether the gate accepts them',
  synopsis:
    '[paths] [--case NAME]… [--var NAME=VALUE]… [--compare REF|PATH] [--coordinator URL] [--format FORMAT] [--output PATH] [--json]',
  optionHelp: [
    ...requestHelp,
    ['--compare REF|PATH', 'gate against a commit, run beside, or against the results of an earlier run'],
    ['--coordinator URL', 'let this coordinator run it, with the API token of PROOFMARK_TOKEN'],
    ['--concurrency N', 'how many test runs at once'],
    [`--format FORMAT`, `print the report: ${formats.join(', ')}`],
    ['--output PATH', 'write the report to a file instead; its ending gives the format'],
    ['--results DIR', 'where results are kept, ./results by default'],
    ['--json', 'print the result of the run as JSON'],
  ],
  options: {
    ...requestArguments,
    compare: { type: 'string' },
    coordinator: { type: 'string' },
    concurrency: { type: 'string' },
    format: { type: 'string' },
    output: { type: 'string' },
    results: { type: 'string' },
    json: { type: 'boolean' },
  },
  run: async ({ values, positionals }, context) => {
    const options = parseOptions(Options, values);
    if (!options.ok) return wrongUsage(options.usage);
    const unclear = outputProblem(options.options);
    if (unclear !== undefined) return wrongUsage(`--output: ${unclear}`);
    const built = buildRequest(options.options);
    if (!built.ok) return wrongUsage(built.usage);
    const { coordinator } = options.options;
    const asked = { positionals, options: options.options, request: built.request, context };
    return coordinator === undefined ? await runHere(asked) : await runOn(coordinator, asked);
  },
};

interface AskedRun {
  positionals: readonly string[];
  options: Options;
  request: RunRequest;
  context: CommandContext;
}

async function runHere({ positionals, options, request, context }: AskedRun): Promise<CommandResult> {
  const keys = readModelKeys();
  if (!keys.ok) return wrongUsage(keys.problems.join('\n'));
  const usable = usableDefinitions(positionals, context, options);
  if (!usable.ok) return usable.result;
  const { definitions, files, warnings } = usable;
  if (warnings.length > 0) context.terminal.writeError(problemText(warnings, files));
  const root = findRoot(context.cwd, positionals);
  const prepared = { definitions, files, request, keys: keys.keys, root };
  const { compare } = options;
  if (compare === undefined) return await execute(prepared, options, context);
  const compared = await comparedWith(compare, prepared, context);
  return compared.ok ? await execute(compared.prepared, options, context) : wrongUsage(compared.message);
}

/** The same definitions, executed by the runners of a coordinator. */
async function runOn(url: string, { positionals, options, request, context }: AskedRun): Promise<CommandResult> {
  const opened = openCoordinator(url, context);
  if (!opened.ok) return wrongUsage(opened.usage);
  const usable = usableDefinitions(positionals, context, options);
  if (!usable.ok) return usable.result;
  const { collected, warnings, files } = usable;
  if (warnings.length > 0) context.terminal.writeError(problemText(warnings, files));
  const root = findRoot(context.cwd, positionals);
  const { coordinator } = opened;
  const resultsDirectory = resolve(context.cwd, options.results);
  const ran = await runThere({ coordinator, collected, request, root, resultsDirectory, json: options.json }, context);
  if (!ran.ok) return ran.result;
  const problem = await tellRun(ran.runId, ran.ended, options, context);
  if (problem !== undefined) return wrongUsage(problem);
  const code = exitCodeOf(ran.ended);
  return done(code === exitCodes.fine && ran.isUnjudged ? exitCodes.notJudged : code);
}

interface PreparedRun {
  /** The project of the chosen paths: where the files of cases lie. */
  root: string;
  definitions: LoadedDefinitions;
  files: readonly ShownFile[];
  request: RunRequest;
  keys: ModelKeys;
  baselineDefinitions?: LoadedDefinitions;
  earlier?: EarlierTrials;
  heard?: readonly CassetteEntry[];
  baseName?: string;
}

/** The same run with something to compare with: three repetitions unless the suite says otherwise. */
async function comparedWith(
  compare: string,
  prepared: PreparedRun,
  { cwd, terminal }: CommandContext,
): Promise<{ ok: true; prepared: PreparedRun } | { ok: false; message: string }> {
  const chosen = await chooseBase({ compare, cwd, root: prepared.root, definitions: prepared.definitions });
  if (!chosen.ok) return chosen;
  const { base, definitions, remarks } = chosen;
  for (const remark of remarks) terminal.writeError(`${plain(remark)}\n`);
  const request = { ...prepared.request, compared: true };
  if (base.kind === 'results') {
    const { earlier, heard } = base;
    return { ok: true, prepared: { ...prepared, request, earlier, heard } };
  }
  return {
    ok: true,
    prepared: {
      ...prepared,
      definitions,
      request: { ...request, variants: ['baseline', 'candidate'] },
      baselineDefinitions: base.definitions,
      baseName: base.name,
    },
  };
}

async function execute(
  { files, ...prepared }: PreparedRun,
  options: Options,
  context: CommandContext,
): Promise<CommandResult> {
  const { terminal, cwd, version, environment, signal } = context;
  const runId = newId(new Date());
  const progress = openRunProgress(terminal, signal);
  // Loaded late: models and drivers take longer to load than everything else together.
  const { runEmbedded } = await import('@proofmark/embedded/run-embedded');
  const ended = await runEmbedded({
    ...prepared,
    runId,
    runSeed: runId,
    resultsDirectory: resolve(cwd, options.results),
    ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
    version,
    environment: { node: process.version, os: `${platform()} ${arch()}`, ci: String(environment.isCi) },
    onPlanned: ({ warnings }) => {
      if (warnings.length > 0) terminal.writeError(problemText(warnings, files));
    },
    onMeasuring: progress.measuring,
    onJudged: progress.judged,
    onConfirming: ({ suiteRuns, testRuns }) => {
      const names = new Set(suiteRuns.map(({ suiteName }) => plain(suiteName)));
      terminal.writeError(
        `Possible regression in ${[...names].join(', ')}: all cases run again on both sides, ${plural(testRuns, 'test run')}\n`,
      );
    },
    onFinished: progress.finished,
    signal,
  });
  progress.end();
  if (!ended.ok) return refuse(ended.problems, { context, files, json: options.json });
  const problem = await tellRun(runId, ended, options, context);
  return problem === undefined ? done(exitCodeOf(ended)) : wrongUsage(problem);
}
