import type { Problem } from '@proofmark/contracts/problem';
import { withoutOldCommands } from '@proofmark/domain/log-commands';

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
