import { arch, platform } from 'node:os';
import { join, relative, resolve } from 'node:path';
import type { CassetteEntry } from '@proofmark/contracts/cassette';
import { contentHash } from '@proofmark/contracts/content-hash';
import type { LoadedDefinitions } from '@proofmark/contracts/loaded';
import { isError } from '@proofmark/contracts/problem';
import { withGatesOf } from '@proofmark/domain/base-definitions';
import { plural } from '@proofmark/domain/format-numbers';
import type { RunRequest } from '@proofmark/domain/plan-run';
import type { AnswerCache } from '@proofmark/embedded/answer-cache';
import { collectAtCommit } from '@proofmark/embedded/collect-at-commit';
import { type ModelKeys, readModelKeys } from '@proofmark/embedded/environment';
import type { Rescoring } from '@proofmark/embedded/open-rescoring';
import type { EmbeddedRun, EmbeddedRunInput } from '@proofmark/embedded/run-embedded';
import type { RunCommand } from '@proofmark/embedded/run-plan';
import { readStoredResults } from '@proofmark/embedded/stored-results';
import { type CommandContext, type CommandResult, done, wrongUsage } from '../arguments/command.ts';
import { exitCodes } from '../arguments/exit-code.ts';
import { findRoot } from '../arguments/find-root.ts';
import { type KeptRun, keptRun } from '../arguments/kept-run.ts';
import { refuseProblems, usableDefinitions } from '../arguments/open-definitions.ts';
import type { CommandInput } from '../arguments/parse-arguments.ts';
import type { RunOptions } from '../arguments/run-options.ts';
import { problemText, type ShownFile } from '../output/problem-text.ts';
import { openRunProgress, type ShownRun } from '../output/run-progress.ts';
import { plain } from '../output/terminal.ts';
import { narrowCases } from './narrow-cases.ts';
import { watchVerdicts } from './rescored.ts';
import { commandOf, newId, type ResumedRun, resumeLine } from './resume-run.ts';
import { exitCodeOf, tellRun } from './tell-run.ts';

type EarlierResults = NonNullable<EmbeddedRunInput['earlier']>;

export interface AskedRun {
  /** What was typed, when the run began. */
  input: CommandInput;
  options: RunOptions;
  request: RunRequest;
  context: CommandContext;
  /** Absent: a new run. */
  resumed?: ResumedRun;
  /** The answers of an earlier run, which are judged in place of asking agents. */
  rescoring?: Rescoring;
}

/** A run in this process, with the model keys of its environment. */
export async function runHere(asked: AskedRun): Promise<CommandResult> {
  const { input, options, context, resumed } = asked;
  const { cwd, terminal } = context;
  const keys = readModelKeys();
  if (!keys.ok) return wrongUsage(keys.problems.join('\n'));
  const usable = usableDefinitions(input.positionals, context, options);
  if (!usable.ok) return usable.result;
  const { files, warnings } = usable;
  if (warnings.length > 0) terminal.writeError(problemText(warnings, files));
  const narrowed = await narrowCases(chosenOf(asked, usable.definitions), options, context);
  if (!narrowed.ok) return narrowed.result;
  const { definitions, request } = narrowed;
  const root = findRoot(cwd, input.positionals);
  const prepared = { definitions, files, request, keys: keys.keys, root, base: null };
  const { compare } = options;
  if (compare === undefined) return await execute(prepared, asked);
  const { results } = options;
  const chosen = await chooseBase({ compare, cwd, results, root, definitions, known: resumed?.base ?? null });
  if (!chosen.ok) return wrongUsage(chosen.message);
  if (options.cache && chosen.compared.base?.kind === 'commit') return wrongUsage(cacheBesideCommit(compare));
  for (const remark of chosen.remarks) terminal.writeError(`${plain(remark)}\n`);
  const { variants, ...compared } = chosen.compared;
  return await execute({ ...prepared, ...compared, request: { ...request, compared: true, variants } }, asked);
}

/** A provider that drifts has to meet both sides: else its drift counts for the change. */
const cacheBesideCommit = (compare: string): string =>
  `--cache: the agent of ${compare} is asked anew, and old answers beside it would show what the provider has changed since. Leave out --cache.`;

/** Everything that was asked for; of a run that is rescored what that run was about. */
function chosenOf({ request, rescoring }: AskedRun, definitions: LoadedDefinitions) {
  if (rescoring === undefined) return { request, definitions };
  const suites = definitions.suites.filter(({ suite }) => rescoring.suiteNames.has(suite.name));
  return { request: rescoring.request, definitions: { ...definitions, suites } };
}

interface PreparedRun extends Omit<ComparedRun, 'variants'> {
  /** The project of the chosen paths: where the files of cases lie. */
  root: string;
  files: readonly ShownFile[];
  request: RunRequest;
  keys: ModelKeys;
}

/** What a run has of what it is compared with: definitions of a commit, which run beside the head, or earlier results. */
interface ComparedRun {
  /** The definitions to run: with the gates of the base, where it has them. */
  definitions: LoadedDefinitions;
  variants: RunRequest['variants'];
  baselineDefinitions?: LoadedDefinitions;
  baseName?: string;
  earlier?: EarlierResults;
  /** What simulated tools answered in the earlier run. */
  heard?: readonly CassetteEntry[];
  /** What the run is compared with, so that it can go on with the same. */
  base: RunCommand['base'];
}

type ChosenBase =
  /** `remarks`: what a person should know before anything runs. */
  { ok: true; compared: ComparedRun; remarks: string[] } | { ok: false; message: string };

interface Question {
  compare: string;
  cwd: string;
  /** Where results are kept, as it was typed. */
  results: string;
  root: string;
  definitions: LoadedDefinitions;
  /** What it named when the run started that goes on: a branch may have moved on. */
  known: RunCommand['base'];
}

/** What names a run or its files is a run; everything else names a commit. */
async function chooseBase({ compare, cwd, results, root, definitions, known }: Question): Promise<ChosenBase> {
  const run = known?.kind === 'commit' ? null : keptRun(compare, { cwd, results });
  if (run !== null) return await fromResults(run, definitions, known);
  if (known?.kind !== 'results') return fromCommit({ compare, root, definitions, known });
  return { ok: false, message: `--compare: the results ${compare}, with which the run started, are gone` };
}

async function fromResults(
  { path, repetition }: KeptRun,
  definitions: LoadedDefinitions,
  known: Question['known'],
): Promise<ChosenBase> {
  const stored = await readStoredResults(path, repetition);
  if (!stored.ok) return { ok: false, message: `--compare: ${stored.message}` };
  const digest = contentHash(stored.suiteRuns.map(({ suiteName, cellKey, trials }) => [suiteName, cellKey, trials]));
  if (known?.kind === 'results' && known.digest !== digest) {
    return { ok: false, message: `--compare: the results in ${path} are no longer those that the run started with` };
  }
  const earlier: EarlierResults = (suiteName, cellKey) =>
    stored.suiteRuns.find((one) => one.suiteName === suiteName && one.cellKey === cellKey) ?? null;
  const missing = definitions.suites.filter(
    ({ suite }) => !stored.suiteRuns.some(({ suiteName }) => suiteName === suite.name),
  );
  const heard = stored.suiteRuns.flatMap((one) => [...one.heard.values()]);
  return {
    ok: true,
    compared: { definitions, variants: ['head'], earlier, heard, base: { kind: 'results', digest } },
    remarks: missing.map(({ suite }) => `The results have no suite '${suite.name}': nothing to compare it with.`),
  };
}

function fromCommit({ compare, root, definitions, known }: Omit<Question, 'cwd' | 'results'>): ChosenBase {
  const at = collectAtCommit({ root, ref: known?.kind === 'commit' ? known.commit : compare });
  if (!at.ok) return { ok: false, message: `--compare: ${at.message}` };
  const { suites, changed } = withGatesOf(at.loaded.definitions, definitions.suites);
  const errors = at.loaded.problems.filter(isError);
  const [first] = errors;
  const broken =
    first === undefined
      ? []
      : [
          `${plural(errors.length, 'problem')} in the definitions of ${compare}; their suites have no baseline: ${first.file}:${first.line} ${first.message}`,
        ];
  const gates = changed.map((name) => `The gate of '${name}' is changed here; that of ${compare} decides.`);
  return {
    ok: true,
    compared: {
      definitions: { ...definitions, suites },
      variants: ['baseline', 'candidate'],
      baselineDefinitions: at.loaded.definitions,
      baseName: compare,
      base: { kind: 'commit', commit: at.commit },
    },
    remarks: [`Comparing with ${compare} (${at.commit.slice(0, 7)}).`, ...broken, ...gates],
  };
}

async function execute(prepared: PreparedRun, asked: AskedRun): Promise<CommandResult> {
  const { options, context, resumed, rescoring } = asked;
  const { terminal, cwd, signal } = context;
  const runId = resumed?.runId ?? newId(new Date());
  const resultsDirectory = resumed?.resultsDirectory ?? resolve(cwd, options.results);
  const progress = openRunProgress(terminal, signal);
  const verdicts = rescoring === undefined ? undefined : watchVerdicts(rescoring);
  let known = 0;
  // Loaded late: models and drivers take longer to load than everything else together.
  const { runEmbedded } = await import('@proofmark/embedded/run-embedded');
  await using cache = await openAnswers(asked, { resultsDirectory, keys: prepared.keys });
  const ended = await runEmbedded({
    ...runInput(prepared, { ...asked, progress }),
    runId,
    runSeed: resumed?.runSeed ?? runId,
    resultsDirectory,
    // Whoever types this has no check to look at: without a base the cases decide.
    withoutBase: 'cases',
    ...(rescoring === undefined ? {} : { rescoring }),
    ...(cache === undefined ? {} : { answers: { cache, takenBy: takenBy(asked) } }),
    onFinished: (event) => {
      if (event.isRecalled) known += 1;
      verdicts?.see(event);
      progress.finished(event);
    },
    // What was rescored is quickly rescored again: only a run that asks goes on.
    ...(rescoring === undefined
      ? {
          command: commandOf(asked.input, {
            folder: join(resultsDirectory, runId),
            cwd,
            base: prepared.base,
            results: options.results,
          }),
        }
      : {}),
    isResumed: resumed !== undefined,
  });
  progress.end();
  if (!ended.ok) return refused(ended, prepared, asked);
  const goOn = rescoring === undefined ? resumeLine('run', runId, resultsOf(asked)) : null;
  const problem = await tellRun({ runId, ended, goOn, rescored: verdicts?.told, known }, options, context);
  return problem === undefined ? done(exitCodeOf(ended)) : wrongUsage(problem);
}

/** Known answers spare a person at a terminal time and money; in CI nobody has any, unless they are asked for. */
async function openAnswers(
  { options, context, rescoring }: AskedRun,
  { resultsDirectory, keys: { defaultBaseUrl } }: { resultsDirectory: string; keys: ModelKeys },
): Promise<(AnswerCache & AsyncDisposable) | undefined> {
  const { cache, 'no-cache': isRefused } = options;
  if (rescoring !== undefined || (context.environment.isCi && !cache && !isRefused)) return undefined;
  const { openAnswerCache } = await import('@proofmark/embedded/answer-cache');
  return await openAnswerCache(join(resultsDirectory, 'answers.jsonl'), { defaultBaseUrl, version: context.version });
}

/** What compares, and what goes on with a run, asks anew. Whatever is said is known to the next run, and not what was said before. */
function takenBy({ options, resumed }: AskedRun): NonNullable<EmbeddedRunInput['answers']>['takenBy'] {
  const { cache, 'no-cache': isRefused, compare } = options;
  if (cache) return 'all';
  return isRefused || compare !== undefined || resumed !== undefined ? 'none' : 'single';
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
  if (refusal === undefined || json) return refuseProblems(problems, { context, files, json });
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
  { options, context, progress }: AskedRun & { progress: ShownRun },
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
    signal,
  } satisfies Partial<EmbeddedRunInput>;
}
