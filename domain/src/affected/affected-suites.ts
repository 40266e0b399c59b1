import type { LoadedSuite } from '@proofmark/contracts/load-definitions';
import { matchesPattern } from '@proofmark/contracts/path-pattern';
import { resolveReference } from '@proofmark/contracts/repository-path';

/** What a change touches, as far as the forge tells. */
export interface Change {
  /** Paths from the root of the repository; of a renamed file the old name, too. */
  paths: readonly string[];
  /** False: files were left out of the list, so anything may have changed. */
  isComplete: boolean;
}

interface AffectedOptions {
  change: Change;
  /** The file of the workflow that asks, from the root; null when it is not known. */
  workflowPath: string | null;
}

/** A change of these can mean another run for every suite, also when the file is gone now. */
const projectNames = ['proofmark.yaml', 'proofmark.yml'];

/** The suites that a change can affect, in their order. In doubt a suite is affected: its gate must never sleep. */
export function affectedSuites(suites: readonly LoadedSuite[], options: AffectedOptions): LoadedSuite[] {
  const { change, workflowPath } = options;
  const touched = new Set(change.paths);
  const shared = workflowPath === null ? projectNames : [...projectNames, workflowPath];
  if (!change.isComplete || shared.some((path) => touched.has(path))) return [...suites];
  return suites.filter((loaded) => hasUnknownCode(loaded) || namesAny(loaded, touched) || watchesAny(loaded, options));
}

/** The code behind a service or a command is in no file that a suite names. */
function hasUnknownCode({ agent, suite }: LoadedSuite): boolean {
  const { type } = agent.driver;
  return (type === 'command' || type === 'http') && suite.watch.length === 0;
}

function namesAny({ dependsOn, suite }: LoadedSuite, touched: ReadonlySet<string>): boolean {
  const documents = suite.cases.flatMap(({ files }) => files.flatMap(({ path }) => path ?? []));
  return [...dependsOn, ...documents].some((path) => touched.has(path));
}

function watchesAny({ path, suite }: LoadedSuite, { change }: AffectedOptions): boolean {
  const patterns = suite.watch.map((pattern) => fromRoot(path, pattern));
  return change.paths.some((changed) => patterns.some((pattern) => matchesPattern(changed, pattern)));
}

/** Patterns start at the root of the repository, those that begin with `../` at the folder of the suite. */
function fromRoot(suitePath: string, pattern: string): string {
  if (!pattern.startsWith('../')) return pattern.replace(/^\.\//, '');
  const resolved = resolveReference(suitePath, pattern);
  return resolved.ok ? resolved.path : pattern;
}
