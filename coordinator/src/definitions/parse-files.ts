import { type LoadResult, loadDefinitions } from '@proofmark/contracts/load-definitions';
import { matchesPattern } from '@proofmark/contracts/path-pattern';

export interface SentFiles {
  files: readonly { path: string; text: string }[];
  suitePaths: readonly string[];
  projectPath: string | null;
}

/** The definitions in these files, as if they lay in a directory; nothing else is read. */
export function parseFiles({ files, suitePaths, projectPath }: SentFiles): LoadResult {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  return loadDefinitions({
    suitePaths: [...new Set(suitePaths)].sort(),
    ...(projectPath === null ? {} : { projectPath }),
    allowedOrigins: 'left to runners',
    read: (path) => texts.get(path),
    glob: (pattern) => [...texts.keys()].filter((path) => matchesPattern(path, pattern)).sort(),
  });
}
