import type { TestReport } from '@proofmark/contracts/test-report';
import { placeOf } from '../report/build-test-report.ts';
import { type Html, html, nameText, nothing } from './html-text.ts';

interface CaseCount {
  name: string;
  passed: number;
  executed: number;
}

/** How often each case of a report passed, in the order of the suite. */
function caseCounts({ results }: Pick<TestReport, 'results'>): CaseCount[] {
  const groups = Map.groupBy(results, ({ test_name, test_input }) => test_name ?? test_input);
  return [...groups].map(([name, members]) => ({
    name,
    passed: members.filter(({ passed }) => passed).length,
    executed: members.length,
  }));
}

const rateOf = ({ passed, executed }: CaseCount): number => (passed / executed) * 100;

const mostRows = 200;
const mostCells = 24;

/** Cases against cells for every suite that ran in more than one; nothing without a matrix. */
export function matrixTables(reports: readonly TestReport[]): Html {
  const bySuite = Map.groupBy(
    reports.filter((report) => placeOf(report).cell !== ''),
    (report) => placeOf(report).suite,
  );
  const tables = [...bySuite]
    .filter(([, cells]) => cells.length > 1)
    .map(([suite, cells]) => matrixTable(suite, cells));
  if (tables.length === 0) return nothing;
  return html`<section aria-labelledby="matrix"><h2 id="matrix">Matrix</h2>${tables}</section>`;
}

function matrixTable(suite: string, reports: readonly TestReport[]): Html {
  const cells = reports.slice(0, mostCells).map((report) => ({
    key: placeOf(report).cell,
    counts: new Map(caseCounts(report).map((count) => [count.name, count])),
  }));
  const names = [...new Set(reports.flatMap((report) => caseCounts(report).map(({ name }) => name)))];
  const ordered = names.map((name) => ({ name, lowest: lowest(cells, name) })).sort((a, b) => a.lowest - b.lowest);
  const rows = ordered
    .slice(0, mostRows)
    .map(
      ({ name }) =>
        html`<tr><th scope="row">${nameText(name, 120)}</th>${cells.map(({ counts }) => matrixCell(counts.get(name)))}</tr>`,
    );
  const cut = [
    ordered.length > mostRows ? `${ordered.length - mostRows} more cases, which passed at least as often` : '',
    reports.length > mostCells ? `${reports.length - mostCells} more cells` : '',
  ].filter((part) => part !== '');
  return html`<div class="scroll"><table class="matrix"><caption>${nameText(suite)}: passed test runs by case and cell, lowest first</caption><thead><tr><th scope="col">Case</th>${cells.map(({ key }) => html`<th scope="col">${cellName(key)}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>${cut.length === 0 ? null : html`<p class="note">Not shown: ${cut.join('; ')}.</p>`}`;
}

/** One axis a line: a key of three axes would make the table wide. */
export const cellName = (key: string): Html =>
  html`${key.split(',').map((axis, index) => html`${index === 0 ? null : html`<br>`}${nameText(axis, 60)}`)}`;

function lowest(cells: readonly { counts: ReadonlyMap<string, CaseCount> }[], name: string): number {
  return Math.min(...cells.flatMap(({ counts }) => counts.get(name) ?? []).map(rateOf), 100);
}

function matrixCell(count: CaseCount | undefined): Html {
  if (count === undefined) return html`<td class="number">–</td>`;
  const tone = count.passed === count.executed ? 'passed' : count.passed === 0 ? 'failed' : 'partly';
  return html`<td class="number tone ${tone}">${count.passed}/${count.executed}</td>`;
}
