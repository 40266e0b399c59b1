import { loadDefinitions, loadWithAgents } from '@proofmark/contracts/load-definitions';
import type { LoadedDefinitions, LoadedSuite } from '@proofmark/contracts/loaded';
import type { Problem } from '@proofmark/contracts/problem';
import { readAllowedOrigins } from '../environment.ts';
import { findSuites, walkRepository } from './find-suites.ts';
import { repositoryReader, type SourceFile } from './read-repository.ts';

interface CollectOptions {
  /** Folder of the repository. */
  root: string;
  /** Files and folders from the root that were asked for; none: everything. */
  paths?: readonly string[];
  /** Agent files from the root that are wanted for themselves, whether a suite names them or not. */
  agentPaths?: readonly string[];
  /** A folder from the root that is not looked through, such as a second checkout. */
  exclude?: string;
  /** Origins of files that are not public; absent: what the operator of this process lists. */
  allowedOrigins?: ReadonlySet<string>;
}

export interface CollectedDefinitions {
  /** Suites without an error; the others are in `problems`. */
  definitions: LoadedDefinitions;
  problems: Problem[];
  /** Every file that was read: what a coordinator needs to load the same definitions. */
  files: SourceFile[];
  suitePaths: string[];
  projectPath?: string;
  /** The agents that were asked for, by their paths, each in a suite of its own; one with an error is only in `problems`. */
  agents: ReadonlyMap<string, LoadedSuite>;
}

const projectNames = ['proofmark.yaml', 'proofmark.yml'];

/** The definitions of a repository on disk, with all problems of all files. Nothing outside of the root is read. */
export function collectDefinitions(options: CollectOptions): CollectedDefinitions {
  const { root, paths = [], agentPaths = [], exclude, allowedOrigins = readAllowedOrigins() } = options;
  const reader = repositoryReader(root);
  const projectPath = projectNames.find((name) => reader.read(name) !== undefined);
  const project = projectPath === undefined ? {} : { projectPath };
  const isWanted = (path: string): boolean => exclude === undefined || !path.startsWith(`${exclude}/`);
  const glob = (pattern: string): string[] =>
    findSuites({ root, patterns: [pattern], paths: [] }).suitePaths.filter(isWanted);
  // The first pass only reads the project, which says where the suites are.
  const { definitions } = loadDefinitions({ suitePaths: [], ...project, read: reader.read, glob });
  const { suitePaths: found, problems } = findSuites({ root, patterns: definitions.project.suites, paths });
  const suitePaths = found.filter(isWanted);
  const loaded = loadWithAgents(
    {
      suitePaths,
      ...project,
      read: reader.read,
      allowedOrigins,
      exists: reader.exists,
      paths: once(() => walkRepository(root).files),
      glob,
    },
    agentPaths,
  );
  return {
    definitions: loaded.definitions,
    problems: [...problems, ...reader.problems(), ...loaded.problems],
    files: reader.files(),
    suitePaths,
    ...project,
    agents: loaded.agents,
  };
}

/** The listing of a whole repository is only made when something is missing, and then once. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
