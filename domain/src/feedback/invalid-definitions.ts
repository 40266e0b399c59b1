import type { ReportedProblem, RunReport } from './run-report.ts';

/** What is said when nothing was found that could be run. */
export const noSuiteFound = 'No suite matches the patterns';

export const isInvalid = ({ invalid = [] }: Pick<RunReport, 'invalid'>): boolean => invalid.length > 0;

/** `Invalid definition: 3 problems`. */
export function invalidHeadline(problems: readonly ReportedProblem[]): string {
  const [only] = problems;
  if (problems.length === 1 && only?.message === noSuiteFound) return noSuiteFound;
  return `Invalid definition: ${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}`;
}
