import type { LoadedDefinitions, LoadedSuite } from '@proofmark/contracts/loaded';
import { isError, type Problem } from '@proofmark/contracts/problem';
import { renderAnswer } from '@proofmark/domain/screen-safe-json';
import { type CollectedDefinitions, collectDefinitions } from '@proofmark/embedded/collect-definitions';
import { problemText, type ShownFile } from '../output/problem-text.ts';
import { type CommandContext, type CommandResult, done, wrongUsage } from './command.ts';
import { exitCodes } from './exit-code.ts';
import { findRoot, pathsFromRoot } from './find-root.ts';

type OpenedDefinitions =
  | { ok: true; collected: CollectedDefinitions; agents: ReadonlyMap<string, LoadedSuite> }
  | { ok: false; usage: string };

interface Wanted {
  /** Agent files that are wanted for themselves. */
  agentFiles?: readonly string[];
  /** Whether there has to be a suite. */
  needsSuites?: boolean;
}

/** The definitions that a command is about, errors and all. Wrong usage: paths outside, or nothing found at all. */
export function openDefinitions(
  paths: readonly string[],
  { cwd }: Pick<CommandContext, 'cwd'>,
  { agentFiles = [], needsSuites = true }: Wanted = {},
): OpenedDefinitions {
  const root = findRoot(cwd, [...paths, ...agentFiles]);
  // Without paths it is about the folder in which it was typed, as with other tools; the root only bounds what may be read.
  const fromRoot = pathsFromRoot(root, cwd, paths.length === 0 ? ['.'] : paths);
  if (!fromRoot.ok) return { ok: false, usage: fromRoot.message };
  const agents = pathsFromRoot(root, cwd, agentFiles);
  if (!agents.ok) return { ok: false, usage: agents.message };
  const collected = collectDefinitions({ root, paths: fromRoot.paths, agentPaths: agents.paths });
  const isEmpty = needsSuites && collected.suitePaths.length === 0 && collected.problems.length === 0;
  return isEmpty
    ? { ok: false, usage: nothingFound(paths.length === 0 ? cwd : paths.join(', '), collected) }
    : { ok: true, collected, agents: typedAgents(agentFiles, agents.paths, collected) };
}

/** Agents by what was typed; one with an error is missing and among the problems. */
function typedAgents(
  typed: readonly string[],
  paths: readonly string[],
  { agents }: CollectedDefinitions,
): Map<string, LoadedSuite> {
  const found = typed.map((file, index) => [file, agents.get(paths[index] ?? '')] as const);
  return new Map(found.flatMap(([file, agent]) => (agent === undefined ? [] : [[file, agent] as const])));
}

function nothingFound(place: string, { definitions }: CollectedDefinitions): string {
  const { suites } = definitions.project;
  const searched = suites === null ? '**/*.suite.{yaml,yml,json}' : suites.join(', ');
  return `No suite files found below ${place} (searched: ${searched}). \`proofmark init\` writes a first one.`;
}

export interface UsableDefinitions {
  ok: true;
  /** Everything that was read to find the definitions. */
  collected: CollectedDefinitions;
  definitions: LoadedDefinitions;
  /** The agent files that were asked for, by what was typed, each in a suite of its own. */
  agents: ReadonlyMap<string, LoadedSuite>;
  warnings: Problem[];
  files: ShownFile[];
}

/** Definitions that may be run, or how the command ends: one error anywhere among the chosen files and nothing runs. */
export function usableDefinitions(
  paths: readonly string[],
  context: CommandContext,
  { json, ...wanted }: Wanted & { json: boolean },
): UsableDefinitions | { ok: false; result: CommandResult } {
  const opened = openDefinitions(paths, context, wanted);
  if (!opened.ok) return { ok: false, result: wrongUsage(opened.usage) };
  const { definitions, problems, files } = opened.collected;
  if (problems.some(isError)) return { ok: false, result: refuseProblems(problems, { context, files, json }) };
  return { ok: true, collected: opened.collected, definitions, agents: opened.agents, warnings: problems, files };
}

/** Ends a command because of problems: as text for people, or as its JSON answer. */
export function refuseProblems(
  problems: readonly Problem[],
  { context, files, json }: { context: CommandContext; files: readonly ShownFile[]; json: boolean },
): CommandResult {
  if (json) context.terminal.write(renderAnswer({ problems }));
  else context.terminal.writeError(problemText(problems, files));
  return done(exitCodes.wrongUsage);
}
