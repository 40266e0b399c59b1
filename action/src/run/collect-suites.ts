import { globSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { Problem } from '@proofmark/contracts/problem';
import { noSuiteFound } from '@proofmark/domain/run-report';
import { type CollectedDefinitions, collectDefinitions } from '@proofmark/embedded/collect-definitions';
import type { Comparison } from '../base/choose-base.ts';
import type { Inputs } from '../job/inputs.ts';
import type { JobTrigger } from '../job/read-event.ts';
import type { SuiteSearch } from '../job/suite-search.ts';

const maxSuites = 500;
const ignored = new Set(['node_modules', 'dist', '.git']);

/** The definitions of the checkout at `root`. That nothing matches is a problem too, never a silent pass. */
export function collectSuites(root: string, search: SuiteSearch): CollectedDefinitions {
  const { folder, patterns, exclude } = search;
  const paths = patterns.length === 0 ? (folder === '.' ? [] : [folder]) : matching(root, search);
  // No path at all would mean everything: a file that is not there is told apart below.
  const collected = collectDefinitions({
    root,
    paths: patterns.length > 0 && paths.length === 0 ? [''] : paths,
    ...(exclude === null ? {} : { exclude }),
  });
  if (patterns.length > 0 && paths.length === 0) return nothingFound(collected);
  if (collected.suitePaths.length === 0) return nothingFound(collected);
  if (collected.suitePaths.length <= maxSuites) return collected;
  const message = `${collected.suitePaths.length} suite files, at most ${maxSuites} are run: narrow the input suites`;
  return { ...collected, problems: [...collected.problems, searchProblem('limit', message)] };
}

function matching(root: string, { wanted, isExcluded }: SuiteSearch): string[] {
  const found = globSync(wanted, { cwd: root, withFileTypes: true, exclude: (entry) => ignored.has(entry.name) });
  const paths = found
    .filter((entry) => !entry.isDirectory())
    .map((entry) => posix.relative(toPosix(root), toPosix(join(entry.parentPath, entry.name))));
  return [...new Set(paths)].filter((path) => !path.startsWith('..') && !isExcluded(path)).sort();
}

const toPosix = (path: string): string => path.replaceAll('\\', '/');

function nothingFound(collected: CollectedDefinitions): CollectedDefinitions {
  return {
    ...collected,
    definitions: { ...collected.definitions, suites: [] },
    suitePaths: [],
    problems: [...collected.problems.filter((one) => one.file === collected.projectPath), noMatch],
  };
}

const searchProblem = (code: Problem['code'], message: string): Problem => ({
  severity: 'error',
  code,
  file: '',
  line: 1,
  column: 1,
  path: 'suites',
  message,
});

const noMatch = searchProblem('not_found', noSuiteFound);

/** A run that is ready to be executed, wherever that is. */
export interface PreparedRun {
  inputs: Inputs;
  trigger: JobTrigger;
  collected: CollectedDefinitions;
  /** How the suites were found. */
  search: SuiteSearch;
  /** The checkout. */
  root: string;
  /** The second checkout; null when there is none. */
  baseFolder: string | null;
  /** What was asked of GitHub before the files were read; null: whoever needs it asks. */
  comparison: Promise<Comparison | null> | null;
}
