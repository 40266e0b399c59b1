import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import type { Problem, ProblemCode } from '@proofmark/contracts/problem';
import { isFileError } from './find-suites.ts';

/** Above what a file of rows may have: only keeps a wrong path from filling the memory. */
const MAX_BYTES = 80_000_000;

export interface SourceFile {
  path: string;
  text: string;
}

/** Reads files below one root and remembers what it read and what it refused. */
export interface RepositoryReader {
  /** Undefined when there is no such file or it lies outside of the root; the latter is a problem. */
  read: (path: string) => string | undefined;
  /** Whether there is such a file inside of the root. */
  exists: (path: string) => boolean;
  files: () => SourceFile[];
  problems: () => Problem[];
}

export function repositoryReader(root: string): RepositoryReader {
  const realRoot = realpathSync(root);
  const texts = new Map<string, string | undefined>();
  const problems: Problem[] = [];

  const load = (path: string): string | undefined => {
    const place = locate(realRoot, path);
    if (place === undefined) return undefined;
    if (!place.isInside) {
      problems.push(refusal(path, 'invalid_value', 'the file is a link that leads out of the repository'));
      return undefined;
    }
    const stats = statSync(place.realPath);
    if (!stats.isFile()) return undefined;
    if (stats.size > MAX_BYTES) {
      problems.push(refusal(path, 'limit', `file too large: ${stats.size} bytes`));
      return undefined;
    }
    return readFileSync(place.realPath, 'utf8');
  };

  return {
    read: (path) => {
      if (!texts.has(path)) texts.set(path, load(path));
      return texts.get(path);
    },
    exists: (path) => {
      const place = locate(realRoot, path);
      return place?.isInside === true && statSync(place.realPath).isFile();
    },
    files: () => [...texts].flatMap(([path, text]) => (text === undefined ? [] : [{ path, text }])),
    problems: () => problems,
  };
}

function locate(realRoot: string, path: string): { realPath: string; isInside: boolean } | undefined {
  try {
    const realPath = realpathSync(join(realRoot, path));
    const inside = relative(realRoot, realPath);
    return { realPath, isInside: inside !== '..' && !inside.startsWith(`..${sep}`) && resolve(inside) !== inside };
  } catch (error) {
    if (isFileError(error)) return undefined;
    throw error;
  }
}

const refusal = (file: string, code: ProblemCode, message: string): Problem => ({
  severity: 'error',
  code,
  file,
  line: 1,
  column: 1,
  path: '',
  message,
});
