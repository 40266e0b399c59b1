import type { CasePosition } from '@proofmark/contracts/loaded';
import type { CaseRows } from '../database/json-columns.ts';

type Row = NonNullable<CasePosition['row']>;

/** Only a file whose cells have line breaks all over comes here; the cases behind are told at their template. */
const mostStretches = 10_000;

interface PlannedCase {
  caseName: string;
  sortOrder: number;
}

/** The rows of planned cases; null where none was made of a row. */
export function caseRowsOf(
  cases: readonly PlannedCase[],
  positions: ReadonlyMap<string, Pick<CasePosition, 'row'>>,
): CaseRows | null {
  const rows = new Map<number, Row>();
  for (const { caseName, sortOrder } of cases) {
    const row = positions.get(caseName)?.row;
    if (row !== undefined) rows.set(sortOrder, row);
  }
  if (rows.size === 0) return null;
  const files = [...new Set([...rows.values()].map(({ file }) => file))];
  const stretches: CaseRows['stretches'] = [];
  for (const [sortOrder, { file, line }] of [...rows].sort(([a], [b]) => a - b)) {
    const at = files.indexOf(file);
    const last = stretches.at(-1);
    if (last !== undefined && at === last[2] && sortOrder === last[0] + last[1] && line === last[3] + last[1])
      last[1] += 1;
    else stretches.push([sortOrder, 1, at, line]);
  }
  return { files, stretches: stretches.slice(0, mostStretches) };
}

/** The row of the case at a place in the suite; undefined where it was made of none. */
export function rowOfCase({ files, stretches }: CaseRows, sortOrder: number): Row | undefined {
  const found = stretches.find(([first, count]) => sortOrder >= first && sortOrder < first + count);
  const file = found === undefined ? undefined : files[found[2]];
  return found === undefined || file === undefined ? undefined : { file, line: found[3] + sortOrder - found[0] };
}
