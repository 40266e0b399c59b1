/** Charts for the documentation: plain SVG on a white ground, readable on light and dark pages and without colours. */
const width = 720;
const height = 380;
const plot = { left: 64, right: 24, top: 92, bottom: 56 };
/** Told apart by lightness as well. */
const colours = ['#b0b0b0', '#e08a1e', '#1f5fa8', '#0b2a4a'];
const dashes = ['2 4', '8 4', 'none', 'none'];
const plotWidth = width - plot.left - plot.right;
const plotHeight = height - plot.top - plot.bottom;

interface Axes {
  title: string;
  xLabel: string;
  yLabel: string;
  /** The highest value of the vertical axis. */
  top: number;
  /** How a value of the vertical axis is written. */
  unit: '%' | 'points';
}

export interface LineChart extends Axes {
  /** Marks of the horizontal axis, the first and the last at its ends. */
  xs: readonly number[];
  lines: readonly { name: string; ys: readonly number[] }[];
  /** A level that must not be exceeded. */
  limit?: { at: number; name: string };
}

/** Values above `top` end the line there: it leaves the picture. */
export function lineChart({ xs, lines, limit, ...axes }: LineChart): string {
  const [least = 0, most = 1] = [xs[0], xs.at(-1)];
  const x = (value: number) => plot.left + (plotWidth * (value - least)) / (most - least);
  const y = heightOf(axes.top);
  const drawn = lines.map(({ ys }, line) => {
    const shown = ys.flatMap((value, index) => (value > axes.top ? [] : [{ at: x(xs[index] ?? 0), value }]));
    const points = shown.map(({ at, value }) => `${round(at)},${round(y(value))}`).join(' ');
    const dots = shown.map(({ at, value }) => dot(at, y(value), line)).join('');
    const dash = dashes[line % dashes.length];
    const stroke = `stroke="${colour(line)}" stroke-width="2.5"${dash === 'none' ? '' : ` stroke-dasharray="${dash}"`}`;
    return `<polyline points="${points}" fill="none" ${stroke}/>${dots}`;
  });
  return page(axes, [
    legend(lines.map(({ name }) => name)),
    ...xs.map((value) => text(x(value), height - plot.bottom + 20, String(value), 'middle')),
    ...(limit === undefined ? [] : [limitLine(y(limit.at), limit.name)]),
    ...drawn,
  ]);
}

export interface BarChart extends Axes {
  groups: readonly string[];
  /** One value per group. */
  bars: readonly { name: string; values: readonly number[] }[];
  limit?: { at: number; name: string };
}

export function barChart({ groups, bars, limit, ...axes }: BarChart): string {
  const y = heightOf(axes.top);
  const groupWidth = plotWidth / groups.length;
  const barWidth = (groupWidth * 0.8) / bars.length;
  const drawn = bars.flatMap(({ values }, bar) =>
    values.map((value, group) => {
      const left = plot.left + group * groupWidth + groupWidth * 0.1 + bar * barWidth;
      const label = valueLabel(left + barWidth / 2 - 1, y(value), value);
      return { rectangle: column(left, y(value), barWidth - 2, bar), label };
    }),
  );
  return page(axes, [
    legend(bars.map(({ name }) => name)),
    ...groups.map((name, group) =>
      text(plot.left + (group + 0.5) * groupWidth, height - plot.bottom + 20, name, 'middle'),
    ),
    ...drawn.map(({ rectangle }) => rectangle),
    ...(limit === undefined ? [] : [limitLine(y(limit.at), limit.name)]),
    ...drawn.map(({ label }) => label),
  ]);
}

export interface Histogram extends Axes {
  /** Shares of whole steps of the horizontal axis; `isMarked` ones stand out and are named by `marked`. */
  columns: readonly { at: number; share: number; isMarked: boolean }[];
  marked: string;
  usual: string;
}

export function histogram({ columns, marked, usual, ...axes }: Histogram): string {
  const y = heightOf(axes.top);
  const step = plotWidth / columns.length;
  const drawn = columns.map(({ at, share, isMarked }, index) => {
    const left = plot.left + index * step + step * 0.08;
    const middle = left + step * 0.42;
    const label = valueLabel(middle, y(share), share);
    const mark = text(middle, height - plot.bottom + 20, signed(at), 'middle');
    return `${column(left, y(share), step * 0.84, isMarked ? 1 : 2)}${label}${mark}`;
  });
  return page(axes, [legend(['', marked, usual]), ...drawn]);
}

const heightOf = (top: number) => (value: number) => plot.top + plotHeight * (1 - value / top);

function page({ title, xLabel, yLabel, top, unit }: Axes, parts: readonly string[]): string {
  const open = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}" font-family="Helvetica, Arial, sans-serif" font-size="13">`;
  const ground = `<rect width="${width}" height="${height}" fill="#ffffff"/>`;
  const head = `<title>${title}</title>${text(16, 26, title, 'start', 16, 'bold')}`;
  const labels = `${text(plot.left + plotWidth / 2, height - 12, xLabel, 'middle')}${text(16, plot.top - 12, yLabel, 'start', 12)}`;
  return `${open}\n${[ground, head, grid(top, unit), labels, ...parts].join('\n')}\n</svg>\n`;
}

function legend(names: readonly string[]): string {
  let left = plot.left;
  return names
    .map((name, index) => {
      if (name === '') return '';
      const at = left;
      left += 34 + name.length * 7;
      return `<rect x="${at}" y="40" width="14" height="14" fill="${colour(index)}"/>${text(at + 20, 52, name, 'start')}`;
    })
    .join('');
}

function grid(top: number, unit: Axes['unit']): string {
  const y = heightOf(top);
  return [0, 0.25, 0.5, 0.75, 1]
    .map((share) => {
      const value = share * top;
      const line = `<line x1="${plot.left}" x2="${width - plot.right}" y1="${round(y(value))}" y2="${round(y(value))}" stroke="${share === 0 ? '#555555' : '#e2e2e2'}"/>`;
      return line + text(plot.left - 8, y(value) + 4, axisLabel(value, unit), 'end');
    })
    .join('');
}

/** Named beside the legend: in the picture the name would stand on a bar. */
function limitLine(y: number, name: string): string {
  const right = width - plot.right;
  const stroke = 'stroke="#b00020" stroke-width="1.5" stroke-dasharray="6 3"';
  const line = (from: number, to: number, at: number) =>
    `<line x1="${round(from)}" x2="${round(to)}" y1="${round(at)}" y2="${round(at)}" ${stroke}/>`;
  const start = right - name.length * 7 - 40;
  return `${line(plot.left, right, y)}${line(start, start + 30, 47)}${text(start + 38, 52, name, 'start')}`;
}

const column = (left: number, y: number, barWidth: number, index: number): string =>
  `<rect x="${round(left)}" y="${round(y)}" width="${round(barWidth)}" height="${round(plot.top + plotHeight - y)}" fill="${colour(index)}"/>`;

const dot = (x: number, y: number, index: number): string =>
  `<circle cx="${round(x)}" cy="${round(y)}" r="4" fill="${colour(index)}"/>`;

type Anchor = 'start' | 'middle' | 'end';

/** The number of a column, on a white edge so that no line runs through it. */
function valueLabel(x: number, y: number, share: number): string {
  const edge = 'stroke="#ffffff" stroke-width="3" paint-order="stroke"';
  const value = `${(share * 100).toFixed(1)}%`;
  return `<text x="${round(x)}" y="${round(y - 5)}" text-anchor="middle" font-size="11" fill="#222222" ${edge}>${value}</text>`;
}

function text(x: number, y: number, content: string, anchor: Anchor, size = 13, weight = 'normal'): string {
  const style = `font-size="${size}"${weight === 'normal' ? '' : ` font-weight="${weight}"`} fill="#222222"`;
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" ${style}>${content}</text>`;
}

const colour = (index: number): string => colours[index % colours.length] ?? '#000000';

const axisLabel = (value: number, unit: Axes['unit']): string =>
  unit === '%' ? `${Math.round(value * 1000) / 10}%` : String(Math.round(value * 10) / 10);

const signed = (value: number): string => (value === 0 ? '0' : `${value < 0 ? '−' : '+'}${Math.abs(value)}`);

const round = (value: number): string => value.toFixed(1);
