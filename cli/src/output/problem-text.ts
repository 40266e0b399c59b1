import { formatProblems, type Problem } from '@proofmark/contracts/problem';
import { published } from '@proofmark/contracts/published-names';
import { withoutOldCommands } from '@proofmark/domain/visible-text';
import { plain } from './terminal.ts';

/** Where every code of a section stands with what to do. */
export const curesOf = (section: 'in-files' | 'in-results'): string =>
  `https://github.com/${published.repository}/blob/main/docs/errors.md#${section}`;

/** The text of a definition file, for the lines that problems show. */
export interface ShownFile {
  path: string;
  text: string;
}

/** Problems as lines of a terminal: what was typed first, then each file with the line in question; a count at the end. */
export function problemText(problems: readonly Problem[], files: readonly ShownFile[]): string {
  const texts = new Map(files.map(({ path, text }) => [plain(path), text]));
  const typed = problems.filter(({ file }) => file === '').map(typedProblem);
  const written = problems
    .filter(({ file }) => file !== '')
    .map((problem) => ({ ...problem, file: plain(problem.file) }));
  if (written.length === 0) return typed.join('');
  return `${typed.join('')}${formatProblems(written, (path) => texts.get(path))}\nCodes and cures: ${curesOf('in-files')}\n`;
}

/** A problem of the request stands in no file: it is named by the option it came from. */
function typedProblem({ path, severity, message, hint }: Problem): string {
  const place = argument(path);
  return `${plain(place === '' ? severity : `${place}: ${severity}`)}: ${plain(message)}\n${hint === undefined ? '' : `  hint: ${plain(hint)}\n`}`;
}

const options: Record<string, string> = {
  variables: '--var',
  matrix: '--matrix',
  preset: '--preset',
  cases: '--case',
  tags: '--tag',
  repetitions: '--repetitions',
};

function argument(path: string): string {
  const [first = '', ...rest] = path.split('.');
  const option = Object.hasOwn(options, first) ? options[first] : undefined;
  return option === undefined ? '' : [option, rest.join('.')].filter((part) => part !== '').join(' ');
}

/** Problems as commands of GitHub Actions, which shows each at its line of the pull request. */
export const annotations = (problems: readonly Problem[]): string =>
  problems.map((problem) => `${annotation(problem)}\n`).join('');

function annotation({ severity, file, line, column, code, path, message, hint }: Problem): string {
  const place = file === '' ? [] : [`file=${property(file)}`, `line=${line}`, `col=${column}`];
  const properties = [...place, `title=${property(`Proofmark: ${code}`)}`].join(',');
  const where = path === '' ? '' : ` (at ${path})`;
  return `::${severity} ${properties}::${data(`${message}${where}${hint === undefined ? '' : `\n${hint}`}`)}`;
}

/** Nothing of a file may end the command or start another one. */
const data = (text: string): string =>
  withoutOldCommands(text)
    .replaceAll('%', '%25')
    .replaceAll('\r', '%0D')
    .replaceAll('\n', '%0A')
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\uFFFD');

const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
