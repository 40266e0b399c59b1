import type { Problem } from '@proofmark/contracts/problem';
import { noSuiteFound, type ReportedProblem } from '@proofmark/domain/run-report';
import { foreignLine, type Job, type Remark } from '../job/job.ts';

const maxOfEach = 10;

/** Puts problems on the lines of their files; GitHub keeps ten errors and ten warnings of a step, the rest is counted. */
export function reportProblems(problems: readonly Problem[], { remark, write }: Pick<Job, 'remark' | 'write'>): void {
  for (const severity of ['error', 'warning'] as const) {
    const alike = problems.filter((one) => one.severity === severity);
    for (const problem of alike.slice(0, maxOfEach)) remark(toRemark(problem));
    for (const problem of alike.slice(maxOfEach)) {
      write(`${severity}: ${foreignLine(`${problem.file}:${problem.line}:${problem.column} ${wordsOf(problem)}`)}`);
    }
  }
}

/** What stops a run, in the words of a check: warnings stop nothing. */
export function errorsOf(problems: readonly Problem[]): ReportedProblem[] {
  const errors = problems.filter(({ severity }) => severity === 'error');
  return errors.map(({ file, line, ...problem }) => ({ file, line, message: wordsOf(problem) }));
}

function toRemark(problem: Problem): Remark {
  const { severity, file, line } = problem;
  const place = file === '' ? {} : { file, line };
  return { level: severity, message: foreignLine(wordsOf(problem)), title: `Proofmark: ${problem.code}`, ...place };
}

function wordsOf({ path, message, hint }: Pick<Problem, 'path' | 'message' | 'hint'>): string {
  if (message === noSuiteFound) return message;
  return `${message}${path === '' ? '' : ` (at ${path})`}${hint === undefined ? '' : `; hint: ${hint}`}`;
}
