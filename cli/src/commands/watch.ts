import { rm } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import type { CaseWork } from '@proofmark/contracts/case-work';
import { contentHash } from '@proofmark/contracts/content-hash';
import type { TestRunStatus } from '@proofmark/contracts/error-kind';
import type { LoadedDefinitions } from '@proofmark/contracts/loaded';
import type { RecordedConversation } from '@proofmark/contracts/recorded-conversation';
import { plural } from '@proofmark/domain/format-numbers';
import { questionHash } from '@proofmark/domain/plan-rescoring';
import { fileDigestIn, type PlannedSuiteRun, planRun, type RunRequest } from '@proofmark/domain/plan-run';
import { type AnswerCache, type AskedFrom, answerKey, wholeConversation } from '@proofmark/embedded/answer-cache';
import { hashCaseFiles } from '@proofmark/embedded/case-files';
import { type ModelKeys, readModelKeys } from '@proofmark/embedded/environment';
import { type Command, type CommandContext, type CommandResult, done, wrongUsage } from '../arguments/command.ts';
import { exitCodes } from '../arguments/exit-code.ts';
import { findRoot } from '../arguments/find-root.ts';
import { type UsableDefinitions, usableDefinitions } from '../arguments/open-definitions.ts';
import { parseOptions } from '../arguments/parse-arguments.ts';
import { buildRequest, RunOptions, requestArguments, requestHelp } from '../arguments/run-options.ts';
import { problemText } from '../output/problem-text.ts';
import { openRunProgress } from '../output/run-progress.ts';
import { plain, type Terminal } from '../output/terminal.ts';
import { narrowCases } from '../run/narrow-cases.ts';
import { newId } from '../run/resume-run.ts';
import { type WatchedFiles, watchFiles } from '../run/watch-files.ts';

export const watch: Command = {
  synopsis: '[paths] [--case NAME]… [--filter TEXT]… [--var NAME=VALUE]… [--concurrency N] [--json]',
  optionHelp: [
    ...requestHelp,
    ['--filter TEXT', 'only cases whose name has this text, where * stands for anything; may be repeated'],
    ['--concurrency N', 'how many test runs at once'],
    [
      '--results DIR',
      'where results are kept, ./results by default; those of the last change are in its folder `watch`',
    ],
    ['--json', 'after each change, print how all stands as one line of JSON'],
  ],
  options: {
    ...requestArguments,
    filter: { type: 'string', multiple: true },
    concurrency: { type: 'string' },
    results: { type: 'string' },
    json: { type: 'boolean' },
  },
  run: async ({ values, positionals }, context) => {
    const parsed = parseOptions(RunOptions, values);
    if (!parsed.ok) return wrongUsage(parsed.usage);
    const built = buildRequest(parsed.options);
    if (!built.ok) return wrongUsage(built.usage);
    const keys = readModelKeys();
    if (!keys.ok) return wrongUsage(keys.problems.join('\n'));
    const opened = usableDefinitions(positionals, context, { json: false });
    // What is broken is mended while it is watched; what is not there is a mistake.
    if (!opened.ok && !opened.result.ok) return opened.result;
    return await watchProject({
      positionals,
      options: parsed.options,
      request: built.request,
      keys: keys.keys,
      context,
    });
  },
};

interface Watching {
  positionals: readonly string[];
  options: RunOptions;
  request: RunRequest;
  keys: ModelKeys;
  context: CommandContext;
}

/** A case in one cell and repetition: what it rests on, and what it came to. */
interface KeptTestRun {
  fingerprint: string;
  status: TestRunStatus;
}

/** What stays from one change to the next. */
interface Session {
  kept: Map<string, KeptTestRun>;
  answers: AnswerCache;
  /** Raised by each change of a file that is no definition: programs may do something else since. */
  programs: number;
  /** The files of the definitions. */
  read: ReadonlySet<string>;
  /** What was said of definitions that cannot be run; '' where they can. */
  trouble: string;
}

async function watchProject(watching: Watching): Promise<CommandResult> {
  const { positionals, options, keys, context } = watching;
  const { cwd, signal, terminal } = context;
  const root = findRoot(cwd, positionals);
  const from = { defaultBaseUrl: keys.defaultBaseUrl, version: context.version };
  const session: Session = {
    ...{ kept: new Map(), answers: sessionAnswers(() => session.programs, from), programs: 0 },
    ...{ read: new Set<string>(), trouble: '' },
  };
  const without = relative(root, resolve(cwd, options.results));
  using files = watchFiles(root, { without, signal });
  for (let changed: ReadonlySet<string> | null = new Set(); changed !== null; changed = await files.next()) {
    const isTold = await tellChange({ ...watching, root, session, files }, changed);
    if (isTold && !signal.aborted) terminal.writeError('Waiting for a change; Ctrl-C ends.\n');
  }
  return done(exitCodes.fine);
}

interface Playing extends Watching {
  root: string;
  session: Session;
  files: WatchedFiles;
}

/** Runs what a change touches; true where there was something to tell. */
async function tellChange(playing: Playing, changed: ReadonlySet<string>): Promise<boolean> {
  const { context, session } = playing;
  const paths = [...changed];
  const hasProgram = paths.some((path) => !session.read.has(path) && isProgram(path));
  if (hasProgram) session.programs += 1;
  const held = holdBack(context.terminal);
  if (paths.length === 0 || hasProgram || paths.some((path) => session.read.has(path))) held.release();
  const isRun = await playDefinitions({ ...playing, context: { ...context, terminal: held.terminal } }, held);
  const said = held.said();
  if (said !== session.trouble) held.release();
  session.trouble = isRun ? '' : said;
  return held.isReleased();
}

async function playDefinitions(playing: Playing, held: HeldTerminal): Promise<boolean> {
  const { positionals, context, session, files } = playing;
  const usable = usableDefinitions(positionals, context, { json: false });
  if (!usable.ok) {
    tellRefusal(usable.result, context);
    return false;
  }
  session.read = new Set(usable.collected.files.map(({ path }) => path));
  const isRun = await playChange(playing, usable, held);
  files.forgetWritten((path) => session.read.has(path));
  return isRun;
}

interface HeldTerminal {
  terminal: Terminal;
  /** Lets out what waits, and from now on everything at once. */
  release: () => void;
  isReleased: () => boolean;
  said: () => string;
}

/**
 * A terminal that waits until it is released: of a file that is no part of the project, such as a log, there is no news. Else
 * output that goes to such a file would be a change, told in that file, and so on for ever.
 */
function holdBack(terminal: Terminal): HeldTerminal {
  let isReleased = false;
  let said = '';
  const waiting: (() => void)[] = [];
  const hold = (write: (text: string) => void) => (text: string) => {
    said += text;
    if (isReleased) write(text);
    else waiting.push(() => write(text));
  };
  return {
    terminal: {
      ...terminal,
      ...{ write: hold(terminal.write), writeError: hold(terminal.writeError) },
      writeCommands: hold(terminal.writeCommands),
    },
    release: () => {
      isReleased = true;
      for (const write of waiting.splice(0)) write();
    },
    said: () => said,
    isReleased: () => isReleased,
  };
}

/** What a program may be made of. What programs write, such as logs, is none of it, nor what editors write beside a file. */
const isProgram = (path: string): boolean =>
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|php|pl|sh|json|toml|ya?ml|sql|txt|md|j2)$/.test(path);

/** Runs what the change touches, and says how all stands; false where nothing can be run. */
async function playChange(
  { options, request: asked, keys, context, root, session }: Playing,
  { definitions: all, warnings, files }: UsableDefinitions,
  held: HeldTerminal,
): Promise<boolean> {
  const isNews = held.isReleased() || session.trouble !== '';
  const { terminal } = context;
  const startedMs = performance.now();
  if (isNews && warnings.length > 0) terminal.writeError(problemText(warnings, files));
  const narrowed = await narrowCases({ request: asked, definitions: all }, options, context);
  if (!narrowed.ok) {
    tellRefusal(narrowed.result, context);
    return false;
  }
  const { definitions, request } = narrowed;
  const fileDigest = fileDigestIn(await hashCaseFiles(definitions.suites, root));
  const planned = planRun({ definitions, request, runSeed: 'watch', fileDigest });
  if (!planned.ok) {
    terminal.writeError(problemText(planned.problems, files));
    return false;
  }
  const touched = touchedBy(planned.plan.suiteRuns, session, isNews);
  if (touched.cases.length === 0) {
    if (isNews) tellState(session, { again: 0, known: 0, startedMs }, { context, options });
    return true;
  }
  held.release();
  const progress = openRunProgress(terminal, context.signal);
  const told = { again: 0, known: 0, startedMs };
  // Loaded late: models and drivers take longer to load than everything else together.
  const { runEmbedded } = await import('@proofmark/embedded/run-embedded');
  const resultsDirectory = join(resolve(context.cwd, options.results), 'watch');
  await rm(resultsDirectory, { recursive: true, force: true });
  const runId = newId(new Date());
  const ended = await runEmbedded({
    ...{ definitions: suitesOf(definitions, touched.suites), request: { ...request, cases: touched.cases } },
    ...{ runId, runSeed: runId, resultsDirectory, keys, root, version: context.version, environment: {} },
    ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
    withoutBase: 'cases',
    answers: { cache: session.answers, takenBy: 'all' },
    onFinished: (event) => {
      progress.finished(event);
      const fingerprint = touched.fingerprints.get(keyOf(event));
      if (fingerprint === undefined || event.status === 'skipped') return;
      session.kept.set(keyOf(event), { fingerprint, status: event.status });
      told.again += 1;
      if (event.isRecalled) told.known += 1;
    },
    signal: context.signal,
  });
  progress.end();
  if (!ended.ok) terminal.writeError(problemText(ended.problems, files));
  tellState(session, told, { context, options });
  return true;
}

function tellRefusal(result: CommandResult, { terminal }: CommandContext): void {
  if (!result.ok) terminal.writeError(`${plain(result.usage)}\n`);
}

interface Named {
  suiteName: string;
  cellKey: string;
  caseName: string;
  repetition: number;
}

const keyOf = ({ suiteName, cellKey, caseName, repetition }: Named): string =>
  JSON.stringify([suiteName, cellKey, caseName, repetition]);

/** Cases whose verdict rests on something else than before; those that are gone are forgotten. */
function touchedBy(suiteRuns: readonly PlannedSuiteRun[], { kept, programs }: Session, isNews: boolean) {
  const planned = suiteRuns.flatMap(({ suiteName, suitePath, cellKey, testRuns }) =>
    testRuns.flatMap(({ caseName, repetition, work }) => {
      const key = keyOf({ suiteName, cellKey, caseName, repetition });
      return work === null ? [] : [{ key, suitePath, caseName, fingerprint: fingerprintOf(work, programs) }];
    }),
  );
  const fingerprints = new Map(planned.map(({ key, fingerprint }) => [key, fingerprint]));
  for (const key of kept.keys()) if (!fingerprints.has(key)) kept.delete(key);
  const touched = planned.filter(({ key, fingerprint }) => {
    const before = kept.get(key);
    // What broke is tried again with each change, but for a log: it would ask, tell it in the log, and so on for ever.
    return before?.fingerprint !== fingerprint || (isNews && before.status === 'error');
  });
  const cases = [...new Set(touched.map(({ caseName }) => caseName))];
  return { fingerprints, cases, suites: new Set(touched.map(({ suitePath }) => suitePath)) };
}

function fingerprintOf({ seed: _seed, ...work }: CaseWork, programs: number): string {
  const hasProgram = /"type":"(?:module|command|code)"/.test(
    JSON.stringify([work.agent.driver, work.case, work.instrument.evaluations]),
  );
  return contentHash({ work, programs: hasProgram ? programs : 0 });
}

const suitesOf = (definitions: LoadedDefinitions, paths: ReadonlySet<string>): LoadedDefinitions => ({
  ...definitions,
  suites: definitions.suites.filter(({ path }) => paths.has(path)),
});

const mostAnswers = 5_000;

/** What was said since it is watched, also by programs and services, as long as none of their files changes. */
function sessionAnswers(programs: () => number, from: AskedFrom): AnswerCache {
  const known = new Map<string, RecordedConversation>();
  const keyFor = (work: CaseWork): string => {
    const { agent, model, resolvedVariables, repetition } = work;
    const own = { question: questionHash(work), agent, model, resolvedVariables, repetition, programs: programs() };
    return answerKey(work, from) ?? contentHash(own);
  };
  return {
    recall: async (work) => known.get(keyFor(work)) ?? null,
    keep: async (work, outcome, testRunId) => {
      const recorded = wholeConversation(testRunId, outcome);
      if (recorded === null) return;
      known.set(keyFor(work), recorded);
      const [oldest] = known.keys();
      if (known.size > mostAnswers && oldest !== undefined) known.delete(oldest);
    },
  };
}

interface ToldChange {
  again: number;
  known: number;
  startedMs: number;
}

/** `3 test runs in 0.4 s, 2 of them with known answers. Of all 40: 38 passed, 2 failed.` */
function tellState(
  { kept }: Session,
  { again, known, startedMs }: ToldChange,
  { context: { terminal }, options: { json } }: Pick<Watching, 'context' | 'options'>,
): void {
  const count = (status: TestRunStatus): number => [...kept.values()].filter((one) => one.status === status).length;
  const state = { passed: count('passed'), failed: count('failed'), errors: count('error') };
  const ms = Math.round(performance.now() - startedMs);
  if (json) {
    terminal.write(`${JSON.stringify({ again, known, ms, total: kept.size, ...state })}\n`);
    return;
  }
  const spared = known === 0 ? '' : `, ${known} of them with ${known === 1 ? 'a known answer' : 'known answers'}`;
  const what =
    again === 0 ? 'No case is touched.' : `${plural(again, 'test run')} in ${(ms / 1000).toFixed(1)} s${spared}.`;
  const parts = [
    `${state.passed} passed`,
    ...(state.failed === 0 ? [] : [`${state.failed} failed`]),
    ...(state.errors === 0 ? [] : [plural(state.errors, 'error')]),
  ];
  terminal.write(`${what} Of all ${kept.size}: ${parts.join(', ')}.\n`);
}
