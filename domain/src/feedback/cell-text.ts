import type { CaseComparison } from '@proofmark/contracts/verdict';
import { formatLimit, formatRate, formatSigned } from '../text/format-numbers.ts';
import { outcomeName } from '../text/state-words.ts';
import { toldInterval } from '../verdict/told-interval.ts';
import type { CellReport } from './run-report.ts';

export function passRates({ verdict, outcome }: CellReport): { base: string; head: string } {
  const base = formatRate(verdict?.basePassRate ?? null);
  // Where nothing was judged, nothing failed either.
  const isJudged =
    outcome !== 'error' && (verdict === null || verdict.reason !== 'errors' || verdict.cases.some(hasJudgedHead));
  return { base, head: isJudged ? formatRate(verdict?.headPassRate ?? null) : 'n/a' };
}

/** Whether a case has an answer at the head that anybody judged. */
export const hasJudgedHead = ({ head }: Pick<CaseComparison, 'head'>): boolean =>
  head !== null && head.passed + head.failed > 0;

/** The change of the pass rate, with its interval where one is told. */
export function changeOf({ verdict, outcome }: CellReport): string {
  if (verdict === null || verdict.diffPoints === null || outcome === 'error') return 'n/a';
  const change = formatSigned(verdict.diffPoints);
  const interval = toldInterval(verdict);
  return interval === null ? change : `${change} (${formatLimit(interval.lo)} to ${formatLimit(interval.hi)})`;
}

export function verdictCell(cell: CellReport): string {
  const word = outcomeName(cell.outcome);
  return cell.conclusion === 'failure' || cell.conclusion === 'timed_out' ? `**${word}**` : word;
}
