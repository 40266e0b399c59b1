import { formatLimit, formatRate, formatSigned } from '../text/format-numbers.ts';
import type { CellReport } from './run-report.ts';

export function passRates(cell: CellReport): { base: string; head: string } {
  return { base: formatRate(cell.verdict?.basePassRate ?? null), head: formatRate(cell.verdict?.headPassRate ?? null) };
}

export function changeOf({ verdict }: CellReport): string {
  if (verdict === null || verdict.diffPoints === null) return 'n/a';
  const change = formatSigned(verdict.diffPoints);
  if (verdict.ciLoPoints === null || verdict.ciHiPoints === null) return change;
  return `${change} (${formatLimit(verdict.ciLoPoints)} to ${formatLimit(verdict.ciHiPoints)})`;
}

export function verdictCell(cell: CellReport): string {
  const word = cell.outcome.replaceAll('-', ' ');
  return cell.conclusion === 'failure' || cell.conclusion === 'timed_out' ? `**${word}**` : word;
}
