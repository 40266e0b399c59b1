import { formatRate } from '@proofmark/domain/format-numbers';
import type { RatePoint } from './charts.tsx';

interface TrendPointShown extends RatePoint {
  id: string;
  time: string;
  isChosen: boolean;
  /** What changed with it. */
  note: string | null;
}

export interface Curve {
  name: string;
  points: readonly TrendPointShown[];
}

const [width, height, left, right, top, bottom] = [960, 260, 44, 12, 14, 26];
const round = (value: number): number => Math.round(value * 10) / 10;

/** Pass rates over time with their intervals, a curve per cell; regressions are crossed, changes of the agent are marked below. */
export function TrendChart({ curves, onChoose }: { curves: readonly Curve[]; onChoose: (id: string) => void }) {
  const all = curves.flatMap(({ points }) => points);
  const times = all.map(({ time }) => Date.parse(time)).filter((time) => !Number.isNaN(time));
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const low = Math.max(0, Math.floor((Math.min(60, ...all.map(({ lo, rate }) => lo ?? rate ?? 100)) - 5) / 10) * 10);
  const x = (time: string): number =>
    round(left + ((Date.parse(time) - first) / Math.max(1, last - first)) * (width - left - right));
  const y = (rate: number): number => round(top + ((100 - rate) / (100 - low)) * (height - top - bottom));
  const ticks = [100, 100 - (100 - low) / 2, low];
  return (
    <figure class="card trend">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`Pass rates over time of ${curves.map(({ name }) => name).join(', ')}; the table below has the numbers`}
      >
        {ticks.map((rate) => (
          <g key={rate}>
            <line class="grid" x1={left} x2={width - right} y1={y(rate)} y2={y(rate)} />
            <text x={left - 6} y={y(rate) + 4} text-anchor="end">
              {formatRate(rate)}
            </text>
          </g>
        ))}
        <g class={curves.length > 1 ? 'many' : ''}>
          {curves.map((curve, at) => (
            <CurveShape key={curve.name} curve={curve} kind={at % 4} x={x} y={y} onChoose={onChoose} />
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
        <span class="quiet">band: 95% interval · ✗ regressed · ▲ the agent changed</span>
      </figcaption>
    </figure>
  );
}

interface CurveShapeProps {
  curve: Curve;
  kind: number;
  x: (time: string) => number;
  y: (rate: number) => number;
  onChoose: (id: string) => void;
}

function CurveShape({ curve: { points }, kind, x, y, onChoose }: CurveShapeProps) {
  const known = points.filter(({ rate }) => rate !== null);
  const at = ({ time, rate }: TrendPointShown) => `${x(time)},${y(rate ?? 0)}`;
  const band = [
    ...known.map(({ time, rate, hi }) => `${x(time)},${y(hi ?? rate ?? 0)}`),
    ...known.map(({ time, rate, lo }) => `${x(time)},${y(lo ?? rate ?? 0)}`).toReversed(),
  ].join(' ');
  return (
    <g class={`curve-${kind}`}>
      <polygon class="band" points={band} />
      <polyline class="line" points={known.map(at).join(' ')} />
      {known.map((point) => {
        const { id, time, rate, isBad, isChosen, note } = point;
        const [cx, cy] = [x(time), y(rate ?? 0)];
        return (
          <g key={id}>
            {note !== null && (
              <text class="note" x={cx} y={height - 8} text-anchor="middle">
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
              <title>{`${formatRate(rate)}${note === null ? '' : `, ${note}`}`}</title>
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
