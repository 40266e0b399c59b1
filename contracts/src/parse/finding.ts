import type { Position } from '../definitions/loaded.ts';
import type { Problem, ProblemCode } from '../definitions/problem.ts';

export type PathSegment = string | number;
export type Path = readonly PathSegment[];

/** `cases.0.expected_behavior.mode`: how problems of files name a key. */
export const dottedPath = (path: Path): string => path.join('.');

/** `cases[0].expected_behavior.mode`: how validation of a single value names a key. */
export function bracketPath(path: Path): string {
  return path.reduce<string>((text, segment) => {
    if (typeof segment === 'number') return `${text}[${segment}]`;
    return text === '' ? segment : `${text}.${segment}`;
  }, '');
}

/** A problem before it has a place: what is wrong at which key, in the spelling of the file. */
export interface Finding {
  path: Path;
  code: ProblemCode;
  message: string;
  hint?: string;
  severity?: 'error' | 'warning';
  /** Whether the key itself is wrong or what stands behind it. */
  at?: 'key' | 'value';
}

export const isBlocking = (finding: Finding): boolean => finding.severity !== 'warning';

export const warning = (path: Path, code: ProblemCode, message: string, hint?: string): Finding => ({
  path,
  code,
  message,
  severity: 'warning',
  ...(hint === undefined ? {} : { hint }),
});

/** More problems of one file than this help nobody. */
const MAX_PROBLEMS_PER_FILE = 50;

type NewProblem = Omit<Problem, 'severity'> & { severity?: Problem['severity'] };

export interface ProblemList {
  /** File after file as they were read, each from top to bottom. */
  sorted: () => Problem[];
  add: (problem: NewProblem) => void;
  /** Adds what was found in a file, each at the line of its key. */
  addFindings: (file: string, findings: readonly Finding[], place: (finding: Finding) => Position) => void;
  hasErrors: (file: string) => boolean;
}

interface FileProblems {
  seen: Set<string>;
  errors: number;
  /** Kept apart, so that many warnings never hide an error. */
  kept: Record<Problem['severity'], Problem[]>;
}

/** Collects problems of many files; equal ones once, at most 50 per file, errors before warnings. */
export function problemList(): ProblemList {
  const perFile = new Map<string, FileProblems>();
  const problemsOf = (file: string): FileProblems => {
    const problems = perFile.get(file) ?? { seen: new Set(), errors: 0, kept: { error: [], warning: [] } };
    perFile.set(file, problems);
    return problems;
  };
  /** Whether there is still room for one more; counts it in any case. */
  const counts = (file: FileProblems, severity: Problem['severity']): boolean => {
    if (severity === 'error') file.errors += 1;
    return file.kept[severity].length < MAX_PROBLEMS_PER_FILE;
  };
  const keep = (file: FileProblems, problem: Problem): void => {
    const { severity, line, column, path, code, message } = problem;
    const identity = `${line}:${column}:${path}:${code}:${message}`;
    if (file.seen.has(identity)) return;
    file.seen.add(identity);
    file.kept[severity].push(problem);
  };

  return {
    sorted: () => [...perFile.values()].flatMap(shown),
    add: ({ severity = 'error', ...problem }) => {
      const file = problemsOf(problem.file);
      if (counts(file, severity)) keep(file, { severity, ...problem });
    },
    addFindings: (path, findings, place) => {
      const file = problemsOf(path);
      for (const finding of findings) {
        const { code, message, hint, severity = 'error' } = finding;
        // Finding the line costs time, so that is only done for what is shown.
        if (!counts(file, severity)) continue;
        keep(file, {
          ...{ severity, code, file: path },
          ...place(finding),
          ...{ path: dottedPath(finding.path), message },
          ...(hint === undefined ? {} : { hint }),
        });
      }
    },
    hasErrors: (file) => (perFile.get(file)?.errors ?? 0) > 0,
  };
}

const shown = ({ kept }: FileProblems): Problem[] =>
  [...kept.error, ...kept.warning]
    .slice(0, MAX_PROBLEMS_PER_FILE)
    .sort((a, b) => a.line - b.line || a.column - b.column);
