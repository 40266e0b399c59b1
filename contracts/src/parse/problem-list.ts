import type { Position } from '../definitions/loaded.ts';
import type { Problem } from '../definitions/problem.ts';
import type { Finding } from './finding.ts';
import { dottedPath } from './path-text.ts';

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

/** Collects problems of many files; equal ones once, at most 50 per file. */
export function problemList(): ProblemList {
  const problems: Problem[] = [];
  const perFile = new Map<string, { seen: Set<string>; errors: number }>();

  const add = ({ severity = 'error', ...problem }: NewProblem): void => {
    const file = perFile.get(problem.file) ?? { seen: new Set(), errors: 0 };
    perFile.set(problem.file, file);
    if (severity === 'error') file.errors += 1;
    const identity = `${problem.line}:${problem.column}:${problem.path}:${problem.code}:${problem.message}`;
    if (file.seen.has(identity) || file.seen.size >= MAX_PROBLEMS_PER_FILE) return;
    file.seen.add(identity);
    problems.push({ severity, ...problem });
  };

  return {
    sorted: () => {
      const order = new Map([...perFile.keys()].map((file, index) => [file, index]));
      const rank = ({ file }: Problem): number => order.get(file) ?? 0;
      return problems.toSorted((a, b) => rank(a) - rank(b) || a.line - b.line || a.column - b.column);
    },
    add,
    addFindings: (file, findings, place) => {
      for (const finding of findings) {
        const { code, message, hint, severity = 'error' } = finding;
        const position = place(finding);
        add({
          severity,
          code,
          file,
          ...position,
          path: dottedPath(finding.path),
          message,
          ...(hint === undefined ? {} : { hint }),
        });
      }
    },
    hasErrors: (file) => (perFile.get(file)?.errors ?? 0) > 0,
  };
}
