import type { LoadedSuite } from '@proofmark/contracts/loaded';
import { matchesPattern } from '@proofmark/contracts/path-pattern';
import { resolveReference } from '@proofmark/contracts/repository-path';
import { checksOfCase } from '@proofmark/contracts/test-case';

/** What a change touches, as far as the forge tells. */
export interface Change {
  /** Paths from the root of the repository; of a renamed file the old name, too. */
  paths: readonly string[];
  /** False: files were left out of the list, so anything may have changed. */
  isComplete: boolean;
}

export interface AffectedOptions {
  change: Change;
  /** The file of the workflow that asks, from the root; null when it is not known. */
  workflowPath: string | null;
}

/** A change of these can mean another run for every suite, also when the file is gone now. */
const projectNames = ['proofmark.yaml', 'proofmark.yml'];

/** What of a suite says which changes can affect it: little enough to be handed to a thread. */
export interface WatchedSuite {
  path: string;
  /** Files that it is made of, from the root. */
  files: readonly string[];
  /** Patterns, from the root of the repository, or with `../` from its folder. */
  watch: readonly string[];
  /** The code behind a service, a command or a function is in files that no suite names, as is what code that judges imports. */
  hasUnknownCode: boolean;
}

const isJudgedByCode = ({ cases, evaluations }: LoadedSuite['suite']): boolean => {
  const checks = cases.flatMap((testCase) => checksOfCase(testCase).map(({ check }) => check.type));
  const metrics = evaluations?.metrics.map(({ type }) => type) ?? [];
  return [...checks, ...metrics].some((type) => type === 'code' || type === 'command');
};

export function watchedSuite({ path, dependsOn, agent, suite }: LoadedSuite): WatchedSuite {
  const documents = suite.cases.flatMap(({ files }) => files.flatMap((file) => file.path ?? []));
  const { type } = agent.driver;
  return {
    path,
    files: [...dependsOn, ...documents],
    watch: suite.watch,
    hasUnknownCode: (['command', 'module', 'http'].includes(type) || isJudgedByCode(suite)) && suite.watch.length === 0,
  };
}

/** The suites that a change can affect, in their order. */
export function affectedSuites(suites: readonly LoadedSuite[], options: AffectedOptions): LoadedSuite[] {
  const affected = areAffected(suites.map(watchedSuite), options);
  return suites.filter((_, index) => affected[index]);
}

/** Whether a change can affect each of them. In doubt it can: a gate must never sleep. */
export function areAffected(suites: readonly WatchedSuite[], { change, workflowPath }: AffectedOptions): boolean[] {
  const touched = new Set(change.paths);
  const shared = workflowPath === null ? projectNames : [...projectNames, workflowPath];
  const isAnything = !change.isComplete || shared.some((path) => touched.has(path));
  return suites.map((suite) => {
    const names = () => suite.files.some((path) => touched.has(path));
    return isAnything || suite.hasUnknownCode || names() || watchesAny(suite, change);
  });
}

function watchesAny({ path, watch }: WatchedSuite, { paths }: Change): boolean {
  const patterns = watch.map((pattern) => fromRoot(path, pattern));
  return paths.some((changed) => patterns.some((pattern) => matchesPattern(changed, pattern)));
}

/** Patterns start at the root of the repository, those that begin with `../` at the folder of the suite. */
function fromRoot(suitePath: string, pattern: string): string {
  if (!pattern.startsWith('../')) return pattern;
  const resolved = resolveReference(suitePath, pattern);
  return resolved.ok ? resolved.path : pattern;
}
