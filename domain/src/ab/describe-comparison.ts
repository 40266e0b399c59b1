import { twoDecimals } from '../report/format-measures.ts';
import { formatRate, plural } from '../verdict/format-numbers.ts';

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

const percent = (part: number, whole: number): string => formatRate((part / whole) * 100);
