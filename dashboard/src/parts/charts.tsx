import { formatLimit, formatRate, formatSigned } from '@proofmark/domain/format-numbers';
import type { State } from '@proofmark/domain/state-words';
import { toldInterval } from '@proofmark/domain/told-interval';

const round = (value: number): number => Math.round(value * 100) / 100;

interface Difference {
  word: string;
  diffPoints: number;
  ciLoPoints: number | null;
  ciHiPoints: number | null;
}

/** A difference in points around zero, with its interval where the comment tells it too. */
export function DifferenceChart({ difference }: { difference: Difference }) {
  const { diffPoints: diff, word } = difference;
  const interval = toldInterval({ ...difference, word: word.toLowerCase() });
  const [lo, hi] = [interval?.lo ?? diff, interval?.hi ?? diff];
  const limit = Math.max(10, Math.ceil(Math.max(Math.abs(lo), Math.abs(hi), Math.abs(diff)) / 10) * 10);
  const x = (points: number): number => round(6 + ((points + limit) / (2 * limit)) * 108);
  const tone = hi < 0 || word === 'REGRESSED' ? 'failed' : lo > 0 ? 'passed' : 'open';
  const words = interval === null ? '' : `, 95% interval ${formatLimit(lo)} to ${formatLimit(hi)}`;
  return (
    <svg class="interval" viewBox="0 0 120 18" role="img" aria-label={`${formatSigned(diff)} points${words}`}>
      <line class="axis" x1="6" x2="114" y1="9" y2="9" />
      <line class="zero" x1={x(0)} x2={x(0)} y1="2" y2="16" />
      {interval !== null && <line class={`span ${tone}`} x1={x(lo)} x2={x(hi)} y1="9" y2="9" />}
      <circle class={`dot ${tone}`} cx={x(diff)} cy="9" r="3.5" />
    </svg>
  );
}

export interface RatePoint {
  rate: number | null;
  lo: number | null;
  hi: number | null;
  /** A point that is worth a mark of its own, such as a regression. */
  isBad?: boolean;
}

/** A pass rate over time with the band in which it lies; the newest is at the right. */
export function Sparkline({ points, label }: { points: readonly RatePoint[]; label: string }) {
  const known = points.filter((point) => point.rate !== null);
  const [width, height] = [160, 36];
  const x = (at: number): number => (known.length < 2 ? width - 5 : round(3 + (at / (known.length - 1)) * (width - 8)));
  const low = Math.min(50, ...known.map(({ rate, lo }) => lo ?? rate ?? 0));
  const y = (rate: number): number => round(3 + ((100 - rate) / (100 - low || 1)) * (height - 6));
  const line = known.map(({ rate }, at) => `${x(at)},${y(rate ?? 0)}`).join(' ');
  const band = [
    ...known.map(({ rate, hi }, at) => `${x(at)},${y(hi ?? rate ?? 0)}`),
    ...known.map(({ rate, lo }, at) => `${x(at)},${y(lo ?? rate ?? 0)}`).toReversed(),
  ].join(' ');
  const last = known.at(-1);
  if (last === undefined) return <span class="quiet">no results yet</span>;
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="xMinYMid meet"
      role="img"
      aria-label={label}
    >
      <polygon class="band" points={band} />
      <polyline class="line" points={line} />
      {last.isBad !== true && <circle class="last" cx={x(known.length - 1)} cy={y(last.rate ?? 0)} r="3" />}
      {known.map(
        ({ rate, isBad }, at) => isBad && <path class="bad-point" d={cross(x(at), y(rate ?? 0), 3)} key={`${at}`} />,
      )}
    </svg>
  );
}

const cross = (x: number, y: number, size: number): string =>
  `M${x - size} ${y - size}L${x + size} ${y + size}M${x - size} ${y + size}L${x + size} ${y - size}`;

/** What a case came to, suite run by suite run, the newest at the right: a sign and a colour each. */
export function HistoryStrip({ states, label }: { states: readonly State[]; label: string }) {
  const size = 9;
  return (
    <svg
      class="strip"
      viewBox={`0 0 ${Math.max(1, states.length) * size} 12`}
      width={states.length * size}
      height="12"
      role="img"
      aria-label={label}
    >
      {states.map((state, at) => (
        <rect
          key={`${at}`}
          class={`box ${state}`}
          x={at * size}
          y={state === 'passed' ? 5 : 1}
          width={size - 2}
          height={state === 'passed' ? 6 : 10}
          rx="1"
        />
      ))}
    </svg>
  );
}

export interface Span {
  name: string;
  startMs: number;
  durationMs: number;
  kind: string;
}

/** What took how long, one below the other on one scale. */
export function Waterfall({ spans }: { spans: readonly Span[] }) {
  const total = Math.max(1, ...spans.map(({ startMs, durationMs }) => startMs + durationMs));
  return (
    <ol class="waterfall">
      {spans.map(({ name, startMs, durationMs, kind }, at) => (
        <li key={`${at}`}>
          <span class="name">{name}</span>
          <svg viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">
            <rect class="track" width="1000" height="10" />
            <rect
              class={`span ${kind}`}
              x={round((startMs / total) * 1000)}
              width={Math.max(4, round((durationMs / total) * 1000))}
              height="10"
            />
          </svg>
          <span class="number">{Math.round(durationMs)} ms</span>
        </li>
      ))}
    </ol>
  );
}

/** `82% → 74%`, or the one that is known. */
export const change = (base: number | null, head: number | null): string =>
  base === null ? formatRate(head) : `${formatRate(base)} → ${formatRate(head)}`;
