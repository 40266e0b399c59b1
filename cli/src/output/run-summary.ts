import type { Verdict } from '@proofmark/contracts/verdict';
import { formatRate, plural } from '@proofmark/domain/format-numbers';
import type { ResultGroup } from '@proofmark/domain/group-results';
import { plainPhrase } from '@proofmark/domain/phrase';
import type { FinishedSuiteRun } from '@proofmark/embedded/finished-suite-run';
import { type ExitCode, exitCodeOfSuiteRun, exitCodes } from '../exit-code.ts';
import { isCutByBudget } from '../run-outcome.ts';
import { type Color, paint, plain, type Terminal } from './terminal.ts';

/** What a person reads after a run: per suite run its numbers and its verdict, and where the files are. */
export function runSummary(suiteRuns: readonly FinishedSuiteRun[], folder: string, terminal: Terminal): string {
  const judged = suiteRuns.filter(({ verdict }) => verdict !== null);
  return `\n${judged.map((suiteRun) => suiteRunText(suiteRun, terminal)).join('')}${interruptionLine(suiteRuns)}Results: ${folder}\n`;
}

/** What an interrupted run leaves, and how the rest is run. */
function interruptionLine(suiteRuns: readonly FinishedSuiteRun[]): string {
  if (!suiteRuns.some(({ skipReasons }) => skipReasons.includes('interrupted'))) return '';
  const executed = suiteRuns.reduce((sum, { totals }) => sum + totals.passed + totals.failed + totals.errored, 0);
  const all = suiteRuns.reduce((sum, { totals }) => sum + totals.skipped, executed);
  return `Interrupted: ${executed} of ${plural(all, 'test run')} finished and ${executed === 1 ? 'is' : 'are'} kept below. The same command runs all of them anew; --case NAME runs some.\n`;
}

function suiteRunText(suiteRun: FinishedSuiteRun, terminal: Terminal): string {
  const { suiteName, cellKey, verdict, totals, report, groups, skipReasons } = suiteRun;
  const name = `${paint(terminal, 'bold', plain(suiteName))}${cellKey === '' ? '' : ` [${plain(cellKey)}]`}`;
  const executed = totals.passed + totals.failed + totals.errored;
  const rate = report.ok ? ` (${formatRate(report.summary.pass_rate)})` : '';
  const parts = [
    `${totals.passed} of ${executed} passed${rate}`,
    totals.failed === 0 ? '' : `${totals.failed} failed`,
    totals.errored === 0 ? '' : plural(totals.errored, 'error'),
    totals.skipped === 0 ? '' : `${totals.skipped} skipped`,
  ].filter((part) => part !== '');
  const code = skipReasons.includes('interrupted')
    ? exitCodes.interrupted
    : exitCodeOfSuiteRun({ verdict, totals, isCutByBudget: isCutByBudget(suiteRun) });
  const isUndecided = code === exitCodes.fine && verdict?.judge?.isWeak === true;
  const [word, color] = isUndecided ? neutral : words[code];
  const details = verdict === null ? [] : verdictLines(verdict);
  const refusal = report.ok ? [] : [report.reason];
  const lines = [...details, ...refusal, ...groupLines(groups)].map((line) => `  ${plain(line)}\n`);
  return `${name}: ${parts.join(', ')}  ${paint(terminal, color, word)}\n${lines.join('')}\n`;
}

/** A run that was compared with nothing has nothing to say beside the title: the numbers stand above. */
export function verdictLines({ reason, title, paragraph, lines, cases }: Verdict): string[] {
  const isAlone = reason === 'no_base' && cases.every(({ base }) => base === null);
  const told = isAlone ? [] : [plainPhrase(paragraph)];
  return [title, ...told, ...lines.map(plainPhrase)];
}

/** A line per kind of group, where there is more than one of the kind to tell apart. */
function groupLines(groups: readonly ResultGroup[]): string[] {
  const line = (by: ResultGroup['by'], least: number): string[] => {
    const own = groups.filter((group) => group.by === by);
    if (own.length < least) return [];
    const rates = own.map(
      ({ name, passed, executed, passRate }) => `${name} ${passed}/${executed} (${formatRate(passRate)})`,
    );
    return [`By ${by}: ${rates.join(', ')}`];
  };
  return [...line('difficulty', 2), ...line('tag', 1)];
}

/** Neither accepted nor refused: the judge should not decide alone. */
const neutral = ['NEUTRAL', 'yellow'] as const;

const words: Record<ExitCode, readonly [word: string, color: Color]> = {
  [exitCodes.fine]: ['accepted', 'green'],
  [exitCodes.refusedByGate]: ['REFUSED', 'red'],
  [exitCodes.notJudged]: ['NOT JUDGED', 'yellow'],
  [exitCodes.wrongUsage]: ['INVALID', 'red'],
  [exitCodes.interrupted]: ['INTERRUPTED', 'yellow'],
};
