/** Small charts for the documentation: plain SVG, readable on light and dark pages. */
const width = 640;
const height = 340;
const plot = { left: 56, right: 20, top: 64, bottom: 48 };
const colours = ['#8c8c8c', '#c97a2b', '#2b6cb0'];
const plotWidth = width - plot.left - plot.right;
const plotHeight = height - plot.top - plot.bottom;

interface LineChart {
  title: string;
  xLabel: string;
  yLabel: string;
  xs: readonly number[];
  lines: readonly { name: string; ys: readonly number[] }[];
}

interface BarChart {
  title: string;
  groups: readonly string[];
  /** Shares from 0 to 1. */
  bars: readonly { name: string; values: readonly number[] }[];
}

export function lineChart({ title, xLabel, yLabel, xs, lines }: LineChart): string {
  const top = Math.ceil(Math.max(...lines.flatMap(({ ys }) => ys)) / 5) * 5;
  const x = (index: number) => plot.left + (plotWidth * index) / (xs.length - 1);
  const y = (value: number) => plot.top + plotHeight * (1 - value / top);
  const drawn = lines.map(({ ys }, line) => {
    const points = ys.map((value, index) => `${round(x(index))},${round(y(value))}`);
    const dots = ys.map(
      (value, index) => `<circle cx="${round(x(index))}" cy="${round(y(value))}" r="3" fill="${colour(line)}"/>`,
    );
    return `<polyline points="${points.join(' ')}" fill="none" stroke="${colour(line)}" stroke-width="2"/>${dots.join('')}`;
  });
  return page([
    heading(title),
    legend(lines.map(({ name }) => name)),
    axis(top, (value) => String(value), y),
    ...xs.map((value, index) => text(x(index), height - plot.bottom + 18, String(value), 'middle')),
    text(plot.left + plotWidth / 2, height - 8, xLabel, 'middle'),
    text(8, plot.top - 8, yLabel, 'start'),
    ...drawn,
  ]);
}

export function barChart({ title, groups, bars }: BarChart): string {
  const y = (value: number) => plot.top + plotHeight * (1 - value);
  const groupWidth = plotWidth / groups.length;
  const barWidth = (groupWidth * 0.78) / bars.length;
  const drawn = bars.flatMap(({ values }, bar) =>
    values.map((value, group) => {
      const left = plot.left + group * groupWidth + groupWidth * 0.11 + bar * barWidth;
      const label = text(left + barWidth / 2, y(value) - 4, percent(value), 'middle', 10);
      return `<rect x="${round(left)}" y="${round(y(value))}" width="${round(barWidth - 2)}" height="${round(plotHeight * value)}" fill="${colour(bar)}"/>${label}`;
    }),
  );
  return page([
    heading(title),
    legend(bars.map(({ name }) => name)),
    axis(1, (value) => percent(value), y),
    ...groups.map((name, group) =>
      text(plot.left + (group + 0.5) * groupWidth, height - plot.bottom + 18, name, 'middle'),
    ),
    ...drawn,
  ]);
}

function page(parts: readonly string[]): string {
  const open = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`;
  return `${open}\n<rect width="${width}" height="${height}" fill="#ffffff"/>\n${parts.join('\n')}\n</svg>\n`;
}

function heading(title: string): string {
  return `<title>${title}</title>${text(plot.left, 22, title, 'start', 14)}`;
}

function legend(names: readonly string[]): string {
  return names
    .map((name, index) => {
      const left = plot.left + index * 180;
      return `<rect x="${left}" y="34" width="12" height="12" fill="${colour(index)}"/>${text(left + 18, 44, name, 'start')}`;
    })
    .join('');
}

function axis(top: number, label: (value: number) => string, y: (value: number) => number): string {
  const steps = [0, 0.25, 0.5, 0.75, 1].map((share) => share * top);
  return steps
    .map((value) => {
      const line = `<line x1="${plot.left}" x2="${width - plot.right}" y1="${round(y(value))}" y2="${round(y(value))}" stroke="#dddddd"/>`;
      return line + text(plot.left - 8, y(value) + 4, label(value), 'end');
    })
    .join('');
}

function text(x: number, y: number, content: string, anchor: 'start' | 'middle' | 'end', size = 12): string {
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" font-size="${size}" fill="#222222">${content}</text>`;
}

function colour(index: number): string {
  return colours[index % colours.length] ?? '#000000';
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10}%`;
}

function round(value: number): string {
  return value.toFixed(1);
}
