import type { ComponentChildren } from 'preact';
import { useNarrow } from './narrow.ts';

interface TrendPoint {
  id: string;
  time: string;
  /** Null: nothing is known of it. */
  value: number | null;
  /** Between what it lies; null: nothing says so. */
  lo: number | null;
  hi: number | null;
  /** A regression. */
  isBad: boolean;
  isChosen: boolean;
  /** What changed with it. */
  note: string | null;
}

export interface Curve {
  name: string;
  points: readonly TrendPoint[];
}

interface TrendChartProps {
  /** What is drawn, as a screen reader says it. */
  label: string;
  curves: readonly Curve[];
  format: (value: number) => string;
  /** From where to where the axis goes, given all that is drawn. */
  range: (values: readonly number[]) => readonly [low: number, high: number];
  /** Half as wide as the page. */
  isHalf?: boolean;
  /** What stands below it. */
  children?: ComponentChildren;
  onChoose: (id: string) => void;
}

const [left, right, top, bottom] = [64, 14, 14, 44];
/** What is drawn narrower has letters of the same size. */
function useSize(isHalf: boolean): readonly [width: number, height: number] {
  if (useNarrow()) return [360, 220];
  return isHalf ? [480, 200] : [960, 280];
}

const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const round = (value: number): number => Math.round(value * 10) / 10;

/** Values over time, a curve per cell; regressions are crossed, changes of what is tested are marked below. */
export function TrendChart({ label, curves, format, range, isHalf = false, children, onChoose }: TrendChartProps) {
  const [width, height] = useSize(isHalf);
  const all = curves.flatMap(({ points }) => points);
  const times = all.map(({ time }) => Date.parse(time)).filter((time) => !Number.isNaN(time));
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const days =
    times.length === 0 ? [] : [...new Set([first, (first + last) / 2, last].map((time) => day.format(time)))];
  const [low, high] = range(all.flatMap(({ value, lo, hi }) => [value, lo, hi].filter((one) => one !== null)));
  const x = (time: string): number =>
    round(left + ((Date.parse(time) - first) / Math.max(1, last - first)) * (width - left - right));
  const y = (value: number): number => round(top + ((high - value) / (high - low || 1)) * (height - top - bottom));
  return (
    <figure class="card trend">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${label}; the table below has the numbers`}>
        {[high, (high + low) / 2, low].map((value) => (
          <g key={value}>
            <line class="grid" x1={left} x2={width - right} y1={y(value)} y2={y(value)} />
            <text x={left - 6} y={y(value) + 4} text-anchor="end">
              {format(value)}
            </text>
          </g>
        ))}
        {days.map((text, at) => (
          <text
            key={text}
            x={left + (at / Math.max(1, days.length - 1)) * (width - left - right)}
            y={height - 6}
            text-anchor={at === 0 ? 'start' : at === days.length - 1 ? 'end' : 'middle'}
          >
            {text}
          </text>
        ))}
        <g class={curves.length > 1 ? 'many' : ''}>
          {curves.map((curve, at) => (
            <CurveShape
              key={curve.name}
              curve={curve}
              kind={at % 4}
              place={{ x, y, bottom: height - bottom + 16 }}
              format={format}
              onChoose={onChoose}
            />
          ))}
        </g>
      </svg>
      <figcaption>
        {curves.length > 1 &&
          curves.map(({ name }, at) => (
            <span key={name} class={`key curve-${at % 4}`}>
              <svg viewBox="0 0 24 8" aria-hidden="true">
                <line class="line" x1="0" x2="24" y1="4" y2="4" />
              </svg>
              {name}
            </span>
          ))}
        {children}
      </figcaption>
    </figure>
  );
}

interface CurveShapeProps {
  curve: Curve;
  kind: number;
  place: { x: (time: string) => number; y: (value: number) => number; bottom: number };
  format: (value: number) => string;
  onChoose: (id: string) => void;
}

function CurveShape({ curve: { points }, kind, place: { x, y, bottom: floor }, format, onChoose }: CurveShapeProps) {
  const known = points.flatMap((point) => (point.value === null ? [] : [{ ...point, value: point.value }]));
  const band = [
    ...known.map(({ time, value, hi }) => `${x(time)},${y(hi ?? value)}`),
    ...known.map(({ time, value, lo }) => `${x(time)},${y(lo ?? value)}`).toReversed(),
  ].join(' ');
  return (
    <g class={`curve-${kind}`}>
      <polygon class="band" points={band} />
      <polyline class="line" points={known.map(({ time, value }) => `${x(time)},${y(value)}`).join(' ')} />
      {known.map(({ id, time, value, isBad, isChosen, note }) => {
        const [cx, cy] = [x(time), y(value)];
        return (
          <g key={id}>
            {note !== null && (
              <text class="note" x={cx} y={floor} text-anchor="middle">
                <title>{note}</title>▲
              </text>
            )}
            <circle
              class={isChosen ? 'point chosen' : 'point'}
              cx={cx}
              cy={cy}
              r={isChosen ? 7 : 4.5}
              onClick={() => onChoose(id)}
            >
              <title>{`${format(value)}${note === null ? '' : `, ${note}`}`}</title>
            </circle>
            {isBad && (
              <path
                class="bad-point"
                d={`M${cx - 6} ${cy - 6}L${cx + 6} ${cy + 6}M${cx - 6} ${cy + 6}L${cx + 6} ${cy - 6}`}
              />
            )}
          </g>
        );
      })}
    </g>
  );
}
