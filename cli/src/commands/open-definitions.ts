import type { LoadedDefinitions } from '@proofmark/contracts/load-definitions';
import { isError, type Problem } from '@proofmark/contracts/problem';
import { type CollectedDefinitions, collectDefinitions } from '@proofmark/embedded/collect-definitions';
import type { CommandContext } from '../arguments/command.ts';
import { findRoot, pathsFromRoot } from '../find-root.ts';

export type OpenedDefinitions =
  | { ok: true; root: string; collected: CollectedDefinitions }
  | { ok: false; usage: string };

/** The definitions that a command is about, errors and all. Wrong usage: paths outside, or nothing found at all. */
export function openDefinitions(paths: readonly string[], { cwd }: Pick<CommandContext, 'cwd'>): OpenedDefinitions {
  const root = findRoot(cwd);
  const fromRoot = pathsFromRoot(root, cwd, paths);
  if (!fromRoot.ok) return { ok: false, usage: fromRoot.message };
  const collected = collectDefinitions({ root, paths: fromRoot.paths });
  if (collected.suitePaths.length === 0 && collected.problems.length === 0)
    return { ok: false, usage: nothingFound(root, collected) };
  return { ok: true, root, collected };
}

function nothingFound(root: string, { definitions }: CollectedDefinitions): string {
  const { suites } = definitions.project;
  const searched = suites === null ? '**/*.suite.{yaml,yml,json}' : suites.join(', ');
  return `No suite files found below ${root} (searched: ${searched}). \`proofmark init\` writes a first one.`;
}

export type UsableDefinitions =
  | { ok: true; root: string; definitions: LoadedDefinitions; warnings: Problem[] }
  | { ok: false; problems: Problem[] }
  | { ok: false; usage: string };

/** Definitions that may be run: one error anywhere among the chosen files and nothing is. */
export function usableDefinitions(paths: readonly string[], context: Pick<CommandContext, 'cwd'>): UsableDefinitions {
  const opened = openDefinitions(paths, context);
  if (!opened.ok) return opened;
  const { definitions, problems } = opened.collected;
  if (problems.some(isError)) return { ok: false, problems };
  return { ok: true, root: opened.root, definitions, warnings: problems };
}
