import { formatRate, formatUsd } from '@proofmark/domain/format-numbers';
import { gateWord } from '@proofmark/domain/gate-word';
import { cutText } from '@proofmark/domain/visible-text';
import type { EndedSuiteRun } from '@proofmark/embedded/finished-suite-run';
import { plain, table } from './terminal.ts';

/** More columns than this fit no terminal: the cells stand one below the other then, without their cases. */
const mostColumns = 6;
const mostCases = 30;
const nameUnits = 40;

/** The cells of each suite that has several, side by side: first the cases on which they differ or that fail, then all of them. */
export function cellTables(suiteRuns: readonly EndedSuiteRun[]): string {
  const judged = suiteRuns.filter(({ verdict, cellKey }) => verdict !== null && cellKey !== '');
  const suites = [...Map.groupBy(judged, ({ suitePath }) => suitePath).values()].filter((cells) => cells.length > 1);
  return suites.map(matrixTable).join('');
}

function matrixTable(cells: readonly EndedSuiteRun[]): string {
  const title = `${plain(cells[0]?.suiteName ?? '')}, cell by cell:\n`;
  const isWide = cells.length > mostColumns;
  const rows = isWide ? cells.map((cell) => [labelOf(cell), ...totalsOf(cell)]) : asColumns(cells);
  return `${title}${table(isWide ? [['cell', 'passed', 'rate', 'cost', ''], ...rows] : rows, '  ')}\n`;
}

function asColumns(cells: readonly EndedSuiteRun[]): string[][] {
  const names = [...new Set(cells.flatMap(({ verdict }) => verdict?.cases.map(({ caseName }) => caseName) ?? []))];
  const counted = names.map((name) => ({ name, counts: cells.map((cell) => countOf(cell, name)) }));
  const shown = counted.filter(({ counts }) => counts.some((count) => count !== counts[0] || !isFull(count)));
  const rows = shown.slice(0, mostCases).map(({ name, counts }) => [cutText(plain(name), nameUnits), ...counts]);
  const hidden = shown.length - rows.length;
  const same = names.length - shown.length;
  const totals = cells.map(totalsOf);
  const labels = ['passed', 'rate', 'cost', 'gate'];
  return [
    ['case', ...cells.map(labelOf)],
    ...rows,
    ...(hidden > 0 ? [[`and ${hidden} more`, ...cells.map(() => '')]] : []),
    ...(same > 0 ? [[`${same} that pass${same === 1 ? 'es' : ''} everywhere`, ...cells.map(() => '')]] : []),
    ...labels.map((label, row) => [label, ...totals.map((of) => of[row] ?? '')]),
  ];
}

/** The values of the matrix without their names, which are the same in all cells. */
const labelOf = ({ cellKey }: EndedSuiteRun): string =>
  cutText(plain(cellKey.replaceAll(/(?:^|,)[^=,]+=/g, ' ').trim()), nameUnits);

function countOf({ verdict }: EndedSuiteRun, name: string): string {
  const counts = verdict?.cases.find(({ caseName }) => caseName === name)?.head ?? null;
  if (counts === null) return '-';
  return `${counts.passed}/${counts.passed + counts.failed + counts.errored + counts.invalid}`;
}

const isFull = (count: string): boolean => {
  const [passed, all] = count.split('/');
  return passed === all;
};

function totalsOf({ totals, report, costUsd, verdict }: EndedSuiteRun): string[] {
  const executed = totals.passed + totals.failed + totals.errored;
  return [
    `${totals.passed}/${executed}`,
    report.ok ? formatRate(report.summary.pass_rate) : '-',
    costUsd === null ? '-' : formatUsd(costUsd),
    verdict === null ? '-' : gateWord(verdict),
  ];
}
