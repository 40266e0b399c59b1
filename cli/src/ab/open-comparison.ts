import { spawnSync } from 'node:child_process';
import { arch, platform } from 'node:os';
import { relative, resolve } from 'node:path';
import type { LoadedSuite } from '@proofmark/contracts/loaded';
import type { Problem } from '@proofmark/contracts/problem';
import { TestCase } from '@proofmark/contracts/test-case';
import { parseAssignments } from '@proofmark/domain/parse-assignments';
import { fileDigestIn, type RunRequest } from '@proofmark/domain/plan-run';
import type { SideRequest } from '@proofmark/domain/plan-sides';
import { hashCaseFiles } from '@proofmark/embedded/case-files';
import type { AbPair, ComparisonPlan, ComparisonStore } from '@proofmark/embedded/comparison-store';
import {
  changedSince,
  type OpenedComparison,
  type PairsInput,
  planPairs,
  resumeComparison,
  startComparison,
} from '@proofmark/embedded/open-comparison';
import { type AbOptions, abSettingsOf, sideOptions } from '../arguments/ab-options.ts';
import { type CommandContext, type CommandResult, wrongUsage } from '../arguments/command.ts';
import { refuseProblems, type UsableDefinitions, usableDefinitions } from '../arguments/open-definitions.ts';
import { buildRequest } from '../arguments/run-options.ts';
import { problemText } from '../output/problem-text.ts';

export interface TypedComparison {
  paths: readonly string[];
  options: AbOptions;
  /** Of the comparison that goes on, or of the new one. */
  comparisonId: string;
  /** The project of the chosen paths: where the files of cases lie. */
  root: string;
  resultsDirectory: string;
  context: CommandContext;
}

/** Where the files of a comparison lie: what was typed when it began said so. */
export const rootOf = (
  { settings }: ComparisonPlan,
  { root, resultsDirectory }: Pick<TypedComparison, 'root' | 'resultsDirectory'>,
): string => (settings.root === null ? root : resolve(resultsDirectory, settings.root));

type Opened = Extract<OpenedComparison, { ok: true }> | { ok: false; result: CommandResult };

const refused = (usage: string): { ok: false; result: CommandResult } => ({ ok: false, result: wrongUsage(usage) });

/** The comparison that was typed, new or one that goes on; or how the command ends. */
export async function openComparison(store: ComparisonStore, typed: TypedComparison): Promise<Opened> {
  const { resume } = typed.options;
  const opened = resume === undefined ? await openNew(store, typed) : await openAgain(store, resume, typed);
  return opened.ok || 'result' in opened ? opened : refused(`${opened.reason}.`);
}

/** The comparison as it stopped, when what is left can be asked as it was meant. */
async function openAgain(store: ComparisonStore, id: string, typed: TypedComparison): Promise<OpenedComparison> {
  const opened = await resumeComparison(store, id);
  if (!opened.ok) return opened;
  const changed = await changedSince(opened.plan, opened.comparison, rootOf(opened.plan, typed));
  if (changed.length === 0) return opened;
  return {
    ok: false,
    reason: `${id} cannot go on, because this has changed since it was started: ${changed.join(', ')}`,
  };
}

async function openNew(store: ComparisonStore, typed: TypedComparison): Promise<OpenedComparison | Opened> {
  const { options, comparisonId, root, resultsDirectory, context } = typed;
  const planned = await plan(typed, comparisonId);
  if (!planned.ok) return planned;
  return await startComparison(store, {
    comparisonId,
    pairs: planned.pairs,
    settings: { ...abSettingsOf(options), root: relative(resultsDirectory, root) },
    sourcePath: options.candidate ?? '',
    environment: typedAt(context),
    notes: options.notes,
    now: new Date(),
  });
}

type Planned = { ok: true; pairs: AbPair[] } | { ok: false; result: CommandResult };

type TypedSide = Extract<ReturnType<typeof sideOptions>, { ok: true }>;

type TypedSides =
  | { ok: true; usable: UsableDefinitions; request: RunRequest; baseline: TypedSide; candidate: TypedSide }
  | { ok: false; result: CommandResult };

/** What was typed, with the definitions that it is about. */
export function readTyped({ paths, options, context }: TypedComparison): TypedSides {
  const built = buildRequest(options);
  if (!built.ok) return refused(built.usage);
  const [baseline, candidate] = [sideOptions(options, 'baseline'), sideOptions(options, 'candidate')];
  if (!baseline.ok) return refused(baseline.usage);
  if (!candidate.ok) return refused(candidate.usage);
  const agentFiles = [options.baseline, options.candidate].filter((path) => path !== undefined);
  const needsSuites = options.ask.length === 0;
  const usable = usableDefinitions(paths, context, { json: options.json, agentFiles, needsSuites });
  return usable.ok ? { ok: true, usable, request: built.request, baseline, candidate } : usable;
}

async function plan(typed: TypedComparison, runSeed: string): Promise<Planned> {
  const read = readTyped(typed);
  if (!read.ok) return read;
  const { usable, request, baseline, candidate } = read;
  const { options, root, context } = typed;
  const { json, 'timeout-ms': timeoutMs } = options;
  const chosen =
    options.ask.length > 0 ? askedSuite(options, usable) : { ok: true as const, suites: usable.definitions.suites };
  if (!chosen.ok) return refused(chosen.usage);
  const { suites } = chosen;
  const planned = planPairs({
    definitions: { ...usable.definitions, suites },
    request,
    baseline: { ...baseline, ...agentOf(usable, options.baseline) },
    candidate: { ...candidate, ...agentOf(usable, options.candidate) },
    runSeed,
    fileDigest: fileDigestIn(await hashCaseFiles(suites, root)),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  } satisfies PairsInput);
  if (!planned.ok)
    return { ok: false, result: refuseProblems(planned.problems, { context, files: usable.files, json }) };
  tellBefore([...usable.warnings, ...planned.warnings], { usable, questions: planned.pairs.length, options, context });
  return planned;
}

function agentOf({ agents }: UsableDefinitions, file: string | undefined): Pick<SideRequest, 'agent'> {
  const agent = file === undefined ? undefined : agents.get(file)?.agent;
  return agent === undefined ? {} : { agent };
}

/** From so many questions on, the baseline should not always be first (seed 003). */
const MANY_QUESTIONS = 10;

function tellBefore(
  warnings: readonly Problem[],
  {
    usable,
    questions,
    options,
    context,
  }: { usable: UsableDefinitions; questions: number; options: AbOptions; context: CommandContext },
): void {
  if (warnings.length > 0) context.terminal.writeError(problemText(warnings, usable.files));
  if (questions >= MANY_QUESTIONS && options['baseline-first']) {
    context.terminal.writeError(
      `${questions} questions: without --baseline-first the sides take turns, and caches of the provider favour nobody.\n`,
    );
  }
}

/** Where it was typed. */
export const typedAt = ({ cwd }: CommandContext): Record<string, string> => ({
  os: `${platform()} ${arch()}`,
  node: process.version,
  ...readCommit(cwd),
});

/** The commit that is checked out; empty outside of a repository, or without git. */
function readCommit(folder: string): Record<string, string> {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: folder, encoding: 'utf8' });
  return status === 0 ? { commit: stdout.trim() } : {};
}

type AskedSuite = { ok: true; suites: LoadedSuite[] } | { ok: false; usage: string };

/**
 * What was typed as questions, as a suite of its own: the agent, its type and its variables are those of an agent file
 * or of the one suite that there is, and nothing of it is judged.
 */
function askedSuite(
  { ask, metadata, baseline, candidate }: Pick<AbOptions, 'ask' | 'metadata' | 'baseline' | 'candidate'>,
  { agents, definitions }: Pick<UsableDefinitions, 'agents' | 'definitions'>,
): AskedSuite {
  const noted = parseAssignments(metadata);
  if (!noted.ok) return { ok: false, usage: `--metadata: ${noted.error.message}. Type --metadata NAME=VALUE.` };
  const file = baseline ?? candidate;
  const host = file === undefined ? onlyOne(definitions.suites) : agents.get(file);
  if (host === undefined) {
    const found = definitions.suites.length === 0 ? 'is no suite' : `are ${definitions.suites.length} suites`;
    return {
      ok: false,
      usage: `Say whom to ask: there ${found} here. Name one suite file, or an agent file with --baseline or --candidate.`,
    };
  }
  const notes = Object.fromEntries(noted.assignments.map(({ name, text }) => [name, text]));
  return { ok: true, suites: [withQuestions(host, ask, notes)] };
}

const onlyOne = (suites: readonly LoadedSuite[]): LoadedSuite | undefined =>
  suites.length === 1 ? suites[0] : undefined;

function withQuestions(host: LoadedSuite, questions: readonly string[], metadata: Record<string, string>): LoadedSuite {
  const cases = questions.map((input, index) =>
    TestCase.parse({
      ...{ name: `Question ${index + 1}`, kind: 'single', input, literal: true },
      metadata: Object.keys(metadata).length === 0 ? null : metadata,
    }),
  );
  const matrix = { matrix: {}, matrix_include: [], matrix_exclude: [] };
  return {
    ...host,
    suite: { ...host.suite, ...matrix, name: 'Asked', evaluations: null, is_enabled: true, cases },
    path: host.agentPath,
    casePositions: new Map(),
    caseFiles: new Map(),
  };
}
