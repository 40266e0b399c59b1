import { isError, type Problem } from '@proofmark/contracts/problem';
import { paint, plain, type Terminal } from './terminal.ts';

/** Problems as lines of a terminal: where, how bad, what is wrong, what to do; a count at the end. */
export function problemText(problems: readonly Problem[], terminal: Pick<Terminal, 'hasColor'>): string {
  const errors = problems.filter(isError).length;
  const counts = [count(errors, 'error'), count(problems.length - errors, 'warning')].filter((part) => part !== '');
  return `${problems.map((problem) => oneProblem(problem, terminal)).join('')}${counts.join(', ')}\n`;
}

const count = (number: number, noun: string): string =>
  number === 0 ? '' : `${number} ${noun}${number === 1 ? '' : 's'}`;

function oneProblem(problem: Problem, terminal: Pick<Terminal, 'hasColor'>): string {
  const { severity, file, line, column, path, code, message, hint } = problem;
  const word = paint(terminal, severity === 'error' ? 'red' : 'yellow', severity);
  const place = file === '' ? argument(path) : `${file}:${line}:${column}`;
  const key = file === '' || path === '' ? '' : `${path}: `;
  const lines = [`${plain(place)}  ${word} (${code})`, `  ${plain(key)}${plain(message)}`];
  if (hint !== undefined) lines.push(`  ${plain(hint)}`);
  return `${lines.join('\n')}\n`;
}

const options: Record<string, string> = {
  variables: '--var',
  matrix: '--matrix',
  preset: '--preset',
  cases: '--case',
  tags: '--tag',
  repetitions: '--repetitions',
};

/** A problem of the request stands in no file: it is named by the option it came from. */
function argument(path: string): string {
  const [first = '', ...rest] = path.split('.');
  const option = options[first];
  return option === undefined ? path || 'arguments' : [option, rest.join('.')].filter((part) => part !== '').join(' ');
}
