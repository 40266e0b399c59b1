import { arch, platform } from 'node:os';
import { join, relative, resolve } from 'node:path';
import type { CassetteEntry } from '@proofmark/contracts/cassette';
import type { LoadedDefinitions } from '@proofmark/contracts/load-definitions';
import { plural } from '@proofmark/domain/format-numbers';
import type { RunRequest } from '@proofmark/domain/plan-run';
import { type ModelKeys, readModelKeys } from '@proofmark/embedded/environment';
import type { EarlierResults } from '@proofmark/embedded/judge-again';
import type { EmbeddedRun, EmbeddedRunInput } from '@proofmark/embedded/run-embedded';
import type { RunCommand } from '@proofmark/embedded/run-plan';
import { type CommandContext, type CommandInput, type CommandResult, done, wrongUsage } from './arguments/command.ts';
import type { RunOptions } from './arguments/run-options.ts';
import { chooseBase } from './choose-base.ts';
import { refuse, usableDefinitions } from './commands/open-definitions.ts';
import { exitCodes } from './exit-code.ts';
import { findRoot } from './find-root.ts';
import { newId } from './new-id.ts';
import { problemText, type ShownFile } from './output/problem-text.ts';
import { openRunProgress, type RunProgress } from './output/run-progress.ts';
import { plain } from './output/terminal.ts';
import { resumeLine } from './resume-line.ts';
import { commandOf, type ResumedRun } from './resume-run.ts';
import { exitCodeOf } from './run-outcome.ts';
import { tellRun } from './tell-run.ts';

export interface AskedRun {
  /** What was typed, when the run began. */
  input: CommandInput;
  options: RunOptions;
  request: RunRequest;
  context: CommandContext;
  /** Absent: a new run. */
  resumed?: ResumedRun;
}

/** A run in this process, with the model keys of its environment. */
export async function runHere(asked: AskedRun): Promise<CommandResult> {
  const { input, options, request, context } = asked;
  const keys = readModelKeys();
  if (!keys.ok) return wrongUsage(keys.problems.join('\n'));
  const usable = usableDefinitions(input.positionals, context, options);
  if (!usable.ok) return usable.result;
  const { definitions, files, warnings } = usable;
  if (warnings.length > 0) context.terminal.writeError(problemText(warnings, files));
  const root = findRoot(context.cwd, input.positionals);
  const prepared = { definitions, files, request, keys: keys.keys, root, base: null };
  if (options.compare === undefined) return await execute(prepared, asked);
  const compared = await comparedWith(options.compare, prepared, asked);
  return compared.ok ? await execute(compared.prepared, asked) : wrongUsage(compared.message);
}

interface PreparedRun {
  /** The project of the chosen paths: where the files of cases lie. */
  root: string;
  definitions: LoadedDefinitions;
  files: readonly ShownFile[];
  request: RunRequest;
  keys: ModelKeys;
  baselineDefinitions?: LoadedDefinitions;
  earlier?: EarlierResults;
  heard?: readonly CassetteEntry[];
  baseName?: string;
  /** What the run is compared with, so that it can go on with the same. */
  base: RunCommand['base'];
}

/** The same run with something to compare with: three repetitions unless the suite says otherwise. */
async function comparedWith(
  compare: string,
  prepared: PreparedRun,
  { context: { cwd, terminal }, resumed }: AskedRun,
): Promise<{ ok: true; prepared: PreparedRun } | { ok: false; message: string }> {
  const chosen = await chooseBase({
    compare,
    cwd,
    root: prepared.root,
    definitions: prepared.definitions,
    known: resumed?.base ?? null,
  });
  if (!chosen.ok) return chosen;
  const { base, definitions, remarks } = chosen;
  for (const remark of remarks) terminal.writeError(`${plain(remark)}\n`);
  const request = { ...prepared.request, compared: true };
  if (base.kind === 'results') {
    const { earlier, heard, digest } = base;
    return { ok: true, prepared: { ...prepared, request, earlier, heard, base: { kind: 'results', digest } } };
  }
  return {
    ok: true,
    prepared: {
      ...prepared,
      definitions,
      request: { ...request, variants: ['baseline', 'candidate'] },
      baselineDefinitions: base.definitions,
      baseName: base.name,
      base: { kind: 'commit', commit: base.commit },
    },
  };
}

async function execute(prepared: PreparedRun, asked: AskedRun): Promise<CommandResult> {
  const { options, context, resumed } = asked;
  const { terminal, cwd, signal } = context;
  const runId = resumed?.runId ?? newId(new Date());
  const resultsDirectory = resumed?.resultsDirectory ?? resolve(cwd, options.results);
  const progress = openRunProgress(terminal, signal);
  // Loaded late: models and drivers take longer to load than everything else together.
  const { runEmbedded } = await import('@proofmark/embedded/run-embedded');
  const ended = await runEmbedded({
    ...runInput(prepared, { ...asked, progress }),
    ...{ runId, runSeed: resumed?.runSeed ?? runId, resultsDirectory },
    // Whoever types this has no check to look at: without a base the cases decide.
    withoutBase: 'cases',
    command: commandOf(asked.input, { folder: join(resultsDirectory, runId), cwd, base: prepared.base }),
    isResumed: resumed !== undefined,
  });
  progress.end();
  if (!ended.ok) return refused(ended, prepared, asked);
  const goOn = resumeLine('run', runId, resultsOf(asked));
  const problem = await tellRun({ runId, ended, goOn }, options, context);
  return problem === undefined ? done(exitCodeOf(ended)) : wrongUsage(problem);
}

/** Where the run is, as it is typed: a run that was named by its folder may lie anywhere. */
function resultsOf({ options: { results }, context: { cwd }, resumed }: AskedRun): string {
  if (resumed === undefined || resolve(cwd, results) === resumed.resultsDirectory) return results;
  return relative(cwd, resumed.resultsDirectory);
}

function refused(
  { problems, refusal }: Extract<EmbeddedRun, { ok: false }>,
  { files }: PreparedRun,
  { options: { json }, context }: AskedRun,
): CommandResult {
  if (refusal === undefined || json) return refuse(problems, { context, files, json });
  const details = refusal.details.slice(0, mostDetails).map((detail) => `  ${plain(detail)}\n`);
  const more = refusal.details.length - details.length;
  const rest = more > 0 ? `  and ${plural(more, 'more change')}\n` : '';
  const way = details.length === 0 ? '' : 'Undo that and type the same again, or start a new run: proofmark run\n';
  context.terminal.writeError(`proofmark run: ${plain(refusal.message)}\n${details.join('')}${rest}${way}`);
  return done(exitCodes.wrongUsage);
}

const mostDetails = 20;

/** What the run has of its definitions and of this process, and what is told while it goes on. */
function runInput(
  { files, base: _base, ...prepared }: PreparedRun,
  { options, context, progress }: AskedRun & { progress: RunProgress },
) {
  const { terminal, version, environment, signal } = context;
  return {
    ...prepared,
    ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
    version,
    environment: { node: process.version, os: `${platform()} ${arch()}`, ci: String(environment.isCi) },
    onPlanned: ({ warnings }) => {
      if (warnings.length > 0) terminal.writeError(problemText(warnings, files));
    },
    onRecalled: progress.recalled,
    onMeasuring: progress.measuring,
    onJudged: progress.judged,
    onConfirming: ({ suiteRuns, testRuns }) => {
      const names = new Set(suiteRuns.map(({ suiteName }) => plain(suiteName)));
      terminal.writeError(
        `Possible regression in ${[...names].join(', ')}: all cases run again on both sides, ${plural(testRuns, 'test run')}\n`,
      );
    },
    onJudgingAgain: ({ testRuns }) => {
      terminal.writeError(
        `The judge has changed since the results to compare with: ${plural(testRuns, 'stored answer')} of them ${testRuns === 1 ? 'is' : 'are'} judged again\n`,
      );
    },
    onFinished: progress.finished,
    signal,
  } satisfies Partial<EmbeddedRunInput>;
}
