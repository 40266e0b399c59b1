import type { Problem } from '@proofmark/contracts/problem';
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

/** One line for the whole: `Invalid definition: 3 problems`. */
export function problemsHeadline(problems: readonly Problem[]): string {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const [only] = errors;
  if (errors.length === 1 && only?.file === '') return foreignLine(only.message);
  return `Invalid definition: ${errors.length} ${errors.length === 1 ? 'problem' : 'problems'}`;
}

function toRemark(problem: Problem): Remark {
  const { severity, file, line } = problem;
  const place = file === '' ? {} : { file, line };
  return { level: severity, message: foreignLine(wordsOf(problem)), title: `Proofmark: ${problem.code}`, ...place };
}

function wordsOf({ path, message, hint }: Problem): string {
  return `${message}${path === '' ? '' : ` (at ${path})`}${hint === undefined ? '' : `; hint: ${hint}`}`;
}
