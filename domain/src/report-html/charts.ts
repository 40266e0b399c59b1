import { formatRate } from '../text/format-numbers.ts';
import { states, stateWords } from '../text/state-words.ts';
import { type Html, type HtmlPart, html } from './html-text.ts';
import { executedOf, type StateCounts } from './page-shapes.ts';

const circumference = 100;
// A circle with this radius is 100 units round, so that lengths of arcs are percent.
const radius = circumference / (2 * Math.PI);

/** The states as a ring, with the pass rate in the middle. Its words stand in the list beside it. */
export function stateRing(counts: StateCounts): Html {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const executed = executedOf(counts);
  const rate = formatRate(executed === 0 ? null : (counts.passed / executed) * 100);
  const arcs: Html[] = [];
  let start = 0;
  for (const state of ['passed', 'failed', 'error', 'skipped'] as const) {
    const length = total === 0 ? 0 : (counts[state] / total) * circumference;
    if (length > 0) arcs.push(arc(state, start, length));
    start += length;
  }
  const words = states.map((state) => `${counts[state]} ${stateWords[state].toLowerCase()}`).join(', ');
  return html`<svg class="ring" viewBox="0 0 42 42" role="img" aria-label="Pass rate ${rate}: ${words}"><circle class="track" cx="21" cy="21" r="${round(radius)}"/>${arcs}<text x="21" y="22.4" text-anchor="middle">${rate}</text><text class="small" x="21" y="26.8" text-anchor="middle">passed</text></svg>`;
}

/** A small gap keeps neighbours apart where colours alone would not. */
function arc(state: string, start: number, length: number): Html {
  const gap = length < circumference ? Math.min(0.6, length / 2) : 0;
  return html`<circle class="arc ${state}" cx="21" cy="21" r="${round(radius)}" stroke-dasharray="${round(length - gap)} ${round(circumference - length + gap)}" stroke-dashoffset="${round(circumference / 4 - start)}"/>`;
}

/** A share as a bar; the number that it shows stands beside it. */
export function rateBar(rate: number): Html {
  return html`<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect class="rest" width="100" height="6"/><rect class="share" width="${round(rate)}" height="6"/></svg>`;
}

interface Interval {
  diff: number;
  lo: number;
  hi: number;
}

/** A difference in points with its interval on a scale around zero. */
export function intervalChart({ diff, lo, hi }: Interval): Html {
  const limit = Math.max(10, Math.ceil(Math.max(Math.abs(lo), Math.abs(hi), Math.abs(diff)) / 10) * 10);
  const x = (points: number): number => round(18 + ((points + limit) / (2 * limit)) * 264);
  const tick = (points: number, label: HtmlPart) =>
    html`<line class="tick" x1="${x(points)}" x2="${x(points)}" y1="6" y2="26"/><text x="${x(points)}" y="38" text-anchor="middle">${label}</text>`;
  const color = hi < 0 ? 'failed' : lo > 0 ? 'passed' : 'open';
  return html`<svg class="interval" viewBox="0 0 300 42" role="img" aria-label="Difference ${round(diff)} points, 95% interval ${round(lo)} to ${round(hi)}">${tick(-limit, `−${limit}`)}${tick(0, '0')}${tick(limit, `+${limit}`)}<line class="span ${color}" x1="${x(lo)}" x2="${x(hi)}" y1="16" y2="16"/><circle class="dot ${color}" cx="${x(diff)}" cy="16" r="5"/></svg>`;
}

const round = (value: number): number => Math.round(value * 100) / 100;
