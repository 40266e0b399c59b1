import { twoDecimals } from '../report/format-measures.ts';
import type { MeanDifference } from '../statistics/mean-difference.ts';
import { formatProbability, formatRate, formatShare, formatSigned, plural } from '../verdict/format-numbers.ts';
import type { SessionSummary } from './summarize-session.ts';

/** What changed in words that say the direction: the sign of `latency_improvement_pct` does not. */
export function tokenWords(baseline: number, candidate: number): string {
  if (baseline === candidate) return 'as many tokens';
  const difference = Math.abs(candidate - baseline);
  const direction = candidate < baseline ? 'fewer' : 'more';
  return `${plural(difference, `${direction} token`)}${baseline === 0 ? '' : ` (${percent(difference, baseline)})`}`;
}

/** `25% faster`, `12.50 ms slower` where there is no time to take a share of. */
export function latencyWords(baselineMs: number, candidateMs: number): string {
  if (baselineMs === candidateMs) return 'as fast';
  const difference = Math.abs(candidateMs - baselineMs);
  const amount = baselineMs === 0 ? `${twoDecimals(difference)} ms` : percent(difference, baselineMs);
  return `${amount} ${candidateMs < baselineMs ? 'faster' : 'slower'}`;
}

/** `+12.5 tokens per question, 95% interval −3.0 to +28.0`: how sure a difference is. */
export function differenceWords({ mean, lo, hi }: MeanDifference, unit: string): string {
  return `${formatSigned(mean)} ${unit} per question, 95% interval ${formatSigned(lo)} to ${formatSigned(hi)}`;
}

/** What became of the questions that were judged on both sides; empty when none was. */
export function judgedWords({ questions, losses, wins, midp }: SessionSummary['judged']): string {
  if (questions === 0) return '';
  const counts = `Of ${plural(questions, 'question')} judged on both sides the candidate lost ${losses} and won ${wins}`;
  if (losses + wins === 0) return `${counts}.`;
  return `${counts}; at equal quality it loses as many in ${formatShare(midp)} of comparisons (mid-p ${formatProbability(midp)}).`;
}

const percent = (part: number, whole: number): string => formatRate((part / whole) * 100);
