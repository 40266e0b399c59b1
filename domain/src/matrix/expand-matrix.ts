import type { VariableValue } from '@proofmark/contracts/variables';

export type Cell = Record<string, VariableValue>;

export interface MatrixInput {
  /** Axes in the order in which they vary, the last one fastest. */
  axes: Readonly<Record<string, readonly VariableValue[]>>;
  /** Further cells, appended in their order; one that exists already is not repeated. */
  include?: readonly Cell[];
  /** A cell that has all values of an entry is left out. */
  exclude?: readonly Cell[];
  max?: number;
}

type MatrixError = 'empty_axis' | 'duplicate_value' | 'empty_matrix' | 'too_many_cells';
export type Matrix = { ok: true; cells: Cell[]; keys: string[] } | { ok: false; error: MatrixError; message: string };

const MAX_CELLS = 256;

/** All combinations of the axes with their stable keys. No axis at all yields one cell with the key ''. */
export function expandMatrix({ axes, include = [], exclude = [], max = MAX_CELLS }: MatrixInput): Matrix {
  const entries = Object.entries(axes);
  for (const [name, values] of entries) {
    if (values.length === 0) return refuse('empty_axis', `The matrix axis '${name}' has no values`);
    // Compared as text: two cells must never share a key.
    if (new Set(values.map(String)).size < values.length) {
      return refuse('duplicate_value', `The matrix axis '${name}' has the same value twice`);
    }
  }
  const size = combinations(entries, include);
  if (size > max) return refuse('too_many_cells', `The matrix has ${size} combinations, limit ${max}`);
  const kept = cartesian(entries, include).filter((cell) => !exclude.some((pattern) => covers(pattern, cell)));
  const byKey = new Map(kept.map((cell) => [cellKey(cell), cell]));
  for (const cell of include) if (!byKey.has(cellKey(cell))) byKey.set(cellKey(cell), cell);
  if (byKey.size === 0) return refuse('empty_matrix', 'The matrix has no cell left after its exclusions');
  if (byKey.size > max) return refuse('too_many_cells', `The matrix has ${byKey.size} combinations, limit ${max}`);
  return { ok: true, cells: [...byKey.values()], keys: [...byKey.keys()] };
}

/** The stable name of a cell, `A=x,T=0`; separators inside values are percent-encoded so that no two cells share a name. */
function cellKey(cell: Readonly<Cell>): string {
  return Object.entries(cell)
    .map(([name, value]) => `${name}=${String(value).replace(/[%,=]/g, encodeURIComponent)}`)
    .join(',');
}

type Axis = [name: string, values: readonly VariableValue[]];

// Computed, not built: a mistaken matrix of millions of cells must not cost memory.
const combinations = (axes: readonly Axis[], include: readonly Cell[]): number =>
  onlyIncluded(axes, include) ? include.length : axes.reduce((product, [, values]) => product * values.length, 1);

function cartesian(axes: readonly Axis[], include: readonly Cell[]): Cell[] {
  if (onlyIncluded(axes, include)) return [];
  return axes.reduce<Cell[]>(
    (cells, [name, values]) => cells.flatMap((cell) => values.map((value) => ({ ...cell, [name]: value }))),
    [{}],
  );
}

const onlyIncluded = (axes: readonly Axis[], include: readonly Cell[]): boolean =>
  axes.length === 0 && include.length > 0;

const covers = (pattern: Readonly<Cell>, cell: Readonly<Cell>): boolean =>
  Object.entries(pattern).every(([name, value]) => Object.hasOwn(cell, name) && cell[name] === value);

const refuse = (error: MatrixError, message: string): Matrix => ({ ok: false, error, message });
