import {
  type CasesFrom,
  CasesFromList,
  type CellKind,
  type CellReading,
  type MatrixFrom,
  readCell,
} from '../definitions/case-rows.ts';
import type { CasePosition, Position } from '../definitions/loaded.ts';
import { didYouMean, noSuchFile } from '../definitions/near-match.ts';
import { resolveReference } from '../definitions/repository-path.ts';
import { templatedFields } from '../definitions/test-case.ts';
import type { VariableValue } from '../definitions/variables.ts';
import { contentHash } from '../identity/content-hash.ts';
import type { Finding, Path } from '../parse/finding.ts';
import { readShape } from '../parse/read-shape.ts';
import { isMapping } from '../parse/schema-plan.ts';
import { type Located, reportAt, within } from '../parse/source-document.ts';
import type { LoadContext } from '../review/suite-review.ts';
import { type DataRow, type DataRows, readDataRows } from './read-data-rows.ts';

/** A case that a row has become, before it is read as one. */
interface RowCase {
  entry: Record<string, unknown>;
  located: Located;
  /** Where the suite has its template, and where the row is. */
  position: CasePosition;
}

export interface RowCases {
  /** Made one after another as they are asked for: so many are never there twice. */
  cases: () => Iterable<RowCase>;
  dependsOn: string[];
  /** False when something of them could not be read at all. */
  areAllRead: boolean;
}

/** The cases that `cases_from` of a suite makes of rows. `located` is where it stands. */
export function casesFrom(context: LoadContext, located: Located, written: unknown): RowCases {
  const { value, findings } = readShape(CasesFromList, written);
  reportAt(context.problems, located, findings);
  if (value === undefined) return notRead([]);
  const made = Array.isArray(value)
    ? value.map((one, index) => casesOfFile(context, within(located, [index]), one))
    : [casesOfFile(context, located, value)];
  return {
    cases: function* () {
      for (const { cases } of made) yield* cases();
    },
    dependsOn: made.flatMap(({ dependsOn }) => dependsOn),
    areAllRead: made.every(({ areAllRead }) => areAllRead),
  };
}

const notRead = (dependsOn: string[]): RowCases => ({ cases: () => [], dependsOn, areAllRead: false });

function casesOfFile(context: LoadContext, located: Located, from: CasesFrom): RowCases {
  const refuse = (findings: readonly Finding[], dependsOn: string[]): RowCases => {
    reportAt(context.problems, located, findings);
    return notRead(dependsOn);
  };
  const opened = openRows(context, located, { file: from.file, path: ['file'] });
  if (opened === undefined) return notRead([]);
  const { path, columns } = opened;
  const names = namesOf(from, columns);
  const wrong = [...columnFindings(from, columns), ...placeholderFindings(from, names)];
  if (wrong.length > 0) return refuse(wrong, [path]);
  const { rows, areAllRead } = chosenRows(context, from, opened);
  if (rows.length === 0 && areAllRead) return refuse([nothingChosen(from)], [path]);
  const template = compile(
    Object.hasOwn(from.case, 'name') ? from.case : { name: nameTemplate(from, names), ...from.case },
    names,
  );
  const lines = rows.map(({ line }) => line);
  const places = placesOf({ located: within(located, ['case']), path, lines, template });
  const waiting = rows.toReversed();
  const position = located.document.place({ path: [...located.base, 'case'], at: 'key' });
  return {
    cases: function* () {
      // Behind its case a row is needed no more, and there may be very many.
      for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
        const entry = named(literally(template.fill(row.values), from.case, row.values));
        const at = { ...position, row: { file: path, line: row.line } };
        yield { entry, located: places(lines.length - waiting.length - 1), position: at };
      }
    },
    dependsOn: [path],
    areAllRead,
  };
}

interface OpenedRows extends DataRows {
  /** From the root of the repository. */
  path: string;
}

/** The rows of a file that a suite names; undefined when there is none. What is wrong with them is told at their lines. */
function openRows(
  { source, problems }: LoadContext,
  located: Located,
  named: { file: string; path: Path },
): OpenedRows | undefined {
  const refuse = (code: 'invalid_format' | 'not_found', message: string): undefined =>
    reportAt(problems, located, [{ path: named.path, code, message }]);
  const resolved = resolveReference(located.document.path, named.file);
  if (!resolved.ok) return refuse('invalid_format', `the path \`${named.file}\` ${resolved.message}`);
  const { path } = resolved;
  const content = source.read(path);
  if (content === undefined) return refuse('not_found', noSuchFile(path, source.paths?.()));
  const read = readDataRows(path, content);
  for (const { line, ...problem } of read.problems) problems.add({ file: path, line, column: 1, path: '', ...problem });
  return { path, ...read };
}

/** What a template can name: the columns, and what `map` calls them. */
const namesOf = ({ map = {} }: CasesFrom, columns: readonly string[]): string[] => [
  ...new Set([...Object.keys(map), ...columns]),
];

const nameTemplate = ({ name }: CasesFrom, names: readonly string[]): string => {
  const usual = ['name', 'id'].find((one) => names.includes(one));
  return name ?? (usual === undefined ? `Row {{${digestName}}}` : `{{${usual}}}`);
};

/** No column can be called like this: a name that holds braces cannot be named in them. */
const digestName = '{digest';

function columnFindings({ map = {}, select = {}, file }: CasesFrom, columns: readonly string[]): Finding[] {
  const missing = (path: Path, column: string): Finding[] => {
    if (columns.includes(column)) return [];
    const message = `\`${file}\` has no column \`${column}\`${didYouMean(column, columns)}`;
    return [{ path, code: 'not_found', message, hint: `It has: ${columns.slice(0, 30).join(', ')}.` }];
  };
  return [
    ...Object.entries(map).flatMap(([name, to]) =>
      typeof to === 'string' ? missing(['map', name], to) : missing(['map', name, 'column'], to.column),
    ),
    ...Object.keys(select).flatMap((column) => missing(['select', column], column)),
  ];
}

/** Places that no column fills. Where variables may stand as well, the review of the case finds them. */
function placeholderFindings({ case: template, name = '' }: CasesFrom, names: readonly string[]): Finding[] {
  if (template.literal === true) return [];
  const texts: [Path, string][] = [
    [['name'], name],
    ...Object.entries(template).flatMap(([key, value]) =>
      templatedFields.some((field) => field === key) ? [] : textsIn(value, ['case', key]),
    ),
  ];
  return texts.flatMap(([path, text]) =>
    partsOf(text).flatMap((part): Finding[] => {
      if (part.name === undefined || names.includes(part.name)) return [];
      const message = `there is no column \`${part.name.slice(0, 60)}\`${didYouMean(part.name, names)}`;
      return [{ path, code: 'unknown_variable', message, hint: `Columns: ${names.slice(0, 30).join(', ')}.` }];
    }),
  );
}

function textsIn(value: unknown, path: Path): [Path, string][] {
  if (typeof value === 'string') return [[path, value]];
  if (Array.isArray(value)) return value.flatMap((item, index) => textsIn(item, [...path, index]));
  return isMapping(value) ? Object.entries(value).flatMap(([key, item]) => textsIn(item, [...path, key])) : [];
}

function nothingChosen({ select, file }: CasesFrom): Finding {
  if (select === undefined) return { path: ['file'], code: 'too_short', message: `\`${file}\` has no rows` };
  return { path: ['select'], code: 'too_short', message: `no row of \`${file}\` has these values` };
}

/** The rows that are wanted, with the names that `map` gives to their columns. */
function chosenRows(
  { problems }: LoadContext,
  from: CasesFrom,
  { rows, path, columns, ...read }: OpenedRows,
): { rows: DataRow[]; areAllRead: boolean } {
  const wanted = Object.entries(from.select ?? {}).map(
    ([column, value]) => [column, new Set((Array.isArray(value) ? value : [value]).map(String))] as const,
  );
  const nameOf = compile(from.case.name ?? nameTemplate(from, namesOf(from, columns)), namesOf(from, columns));
  const needsDigest = nameTemplate(from, namesOf(from, columns)).includes(digestName);
  let areAllRead = read.problems.length === 0;
  const chosen = rows.flatMap((row): DataRow[] => {
    if (wanted.some(([column, values]) => !values.has(textOf(row.values[column]).trim()))) return [];
    const named = mapped(row, from);
    areAllRead &&= named.problem === undefined;
    if (named.problem !== undefined)
      problems.add({ file: path, line: row.line, column: 1, path: '', ...named.problem });
    const values = needsDigest ? { ...named.values, [digestName]: contentHash(row.values).slice(0, 8) } : named.values;
    return [{ line: row.line, values }];
  });
  const { sample } = from;
  if (sample === undefined || chosen.length <= sample.n) return { rows: chosen, areAllRead };
  const kept = chosen
    .map((row, index) => ({ index, rank: contentHash([sample.seed, textOf(nameOf.fill(row.values))]) }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, sample.n)
    .map(({ index }) => index)
    .sort((a, b) => a - b);
  return { rows: kept.flatMap((index) => chosen[index] ?? []), areAllRead };
}

interface MappedRow {
  values: Values;
  problem?: { code: 'invalid_type'; message: string };
}

function mapped({ values }: DataRow, { map }: CasesFrom): MappedRow {
  if (map === undefined) return { values };
  const row: MappedRow = { values: { ...values } };
  for (const [name, to] of Object.entries(map)) {
    const column = typeof to === 'string' ? to : to.column;
    const read = typeof to === 'string' ? { ok: true as const, value: values[column] } : cellOf(values[column], to);
    if (read.ok) row.values = Object.assign(row.values, { [name]: read.value });
    else {
      const cell = textOf(values[column]).slice(0, 60);
      row.problem ??= { code: 'invalid_type', message: `the cell \`${cell}\` of column \`${column}\` ${read.message}` };
    }
  }
  return row;
}

/** What is no text has its kind already, unless it is wanted as one. */
function cellOf(
  cell: unknown,
  { as, separator }: { as?: CellKind | undefined; separator?: string | undefined },
): CellReading {
  const isRead = as !== undefined && (typeof cell === 'string' || as === 'text');
  return isRead ? readCell(textOf(cell), as, separator) : { ok: true, value: cell };
}

interface Part {
  text: string;
  /** Of a place in braces. */
  name?: string;
}

/** A text as its plain parts and its places. */
function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (let start = text.indexOf('{{'); start >= 0; start = text.indexOf('{{', at)) {
    const end = text.indexOf('}}', start + 2);
    if (end < 0) break;
    if (start > at) parts.push({ text: text.slice(at, start) });
    parts.push({ text: text.slice(start, end + 2), name: text.slice(start + 2, end).trim() });
    at = end + 2;
  }
  if (at < text.length || parts.length === 0) parts.push({ text: text.slice(at) });
  return parts;
}

type Values = DataRow['values'];

/** A template as what makes a value of a row. What no column reaches is one object for all rows. */
interface Template {
  isConstant: boolean;
  /** `undefined` stands for nothing: what it was the value of is left out. */
  fill: (values: Values) => unknown;
  /** The columns that fill what stands at a path, or above it. */
  columnsAt: (path: Path) => string[];
}

function compile(value: unknown, names: readonly string[]): Template {
  if (typeof value === 'string') return compileText(value, names);
  if (Array.isArray(value)) return compileList(value, names);
  if (isMapping(value)) return compileMapping(value, names);
  return { isConstant: true, fill: () => value, columnsAt: () => [] };
}

function compileText(text: string, names: readonly string[]): Template {
  const parts = partsOf(text).map((part) =>
    part.name === undefined || !(names.includes(part.name) || part.name === digestName)
      ? { text: part.text }
      : { text: part.text, name: part.name },
  );
  const columns = parts.flatMap((part) => ('name' in part ? part.name : []));
  if (columns.length === 0) return { isConstant: true, fill: () => text, columnsAt: () => [] };
  const [only] = parts;
  const columnsAt = (): string[] => columns;
  // A place that is the whole text takes the value as it is, a number or a list; nothing stands for an empty cell.
  if (parts.length === 1 && only !== undefined && 'name' in only) {
    const { name } = only;
    return { isConstant: false, columnsAt, fill: (values) => (isEmpty(values[name]) ? undefined : values[name]) };
  }
  const fill = (values: Values): string =>
    parts.map((part) => ('name' in part ? textOf(values[part.name]) : part.text)).join('');
  return { isConstant: false, columnsAt, fill };
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function compileList(list: readonly unknown[], names: readonly string[]): Template {
  const items = list.map((item) => compile(item, names));
  if (items.every(({ isConstant }) => isConstant)) return { isConstant: true, fill: () => list, columnsAt: () => [] };
  return {
    isConstant: false,
    fill: (values) => items.map((item) => item.fill(values)).filter((item) => item !== undefined),
    columnsAt: ([index, ...rest]) => columnsBelow(typeof index === 'number' ? items[index] : undefined, items, rest),
  };
}

function compileMapping(mapping: Readonly<Record<string, unknown>>, names: readonly string[]): Template {
  const entries = Object.entries(mapping).map(([key, value]) => [key, compile(value, names)] as const);
  const items = entries.map(([, item]) => item);
  if (items.every(({ isConstant }) => isConstant))
    return { isConstant: true, fill: () => mapping, columnsAt: () => [] };
  const byKey = new Map(entries);
  return {
    isConstant: false,
    fill: (values) =>
      Object.fromEntries(
        entries.flatMap(([key, item]) => {
          const filled = item.fill(values);
          return filled === undefined ? [] : [[key, filled]];
        }),
      ),
    columnsAt: ([key, ...rest]) => columnsBelow(typeof key === 'string' ? byKey.get(key) : undefined, [], rest),
  };
}

/** Positions shift where an empty cell has left something out, so that a list blames all its columns. */
const columnsBelow = (item: Template | undefined, all: readonly Template[], rest: Path): string[] => {
  const found = item?.columnsAt(rest) ?? [];
  return found.length > 0 ? found : all.flatMap((one) => one.columnsAt(rest));
};

/** A name is a text, also where the rows count; never one by position, which another order would change. */
const named = (entry: Record<string, unknown>): Record<string, unknown> => ({
  ...entry,
  name: textOf(entry.name).trim(),
});

/** Braces in a cell are text: they must not be taken for the place of a variable. */
function literally(
  filled: unknown,
  template: Readonly<Record<string, unknown>>,
  values: Values,
): Record<string, unknown> {
  const entry = isMapping(filled) ? filled : {};
  if (Object.hasOwn(template, 'literal')) return entry;
  const holdsBraces = Object.values(values).some((value) => textOf(value).includes('{{'));
  return holdsBraces ? { ...entry, literal: true } : entry;
}

/**
 * Where the findings of each row are told: in the template what no row can help, and that once; everything else at the
 * line of the row, with the columns that it comes from.
 */
function placesOf({
  located,
  path,
  lines,
  template,
}: {
  located: Located;
  path: string;
  lines: readonly number[];
  template: Template;
}): (row: number) => Located {
  const told = new Set<string>();
  const document = {
    path,
    text: '',
    value: {},
    place: ({ path: [, row] }: Pick<Finding, 'path'>): Position => ({
      line: (typeof row === 'number' ? lines[row] : undefined) ?? 1,
      column: 1,
    }),
  };
  return (row) => ({
    document,
    base: ['rows', row],
    tellAt: (finding) => {
      const columns = [...new Set(template.columnsAt(finding.path))].filter((name) => name !== digestName);
      if (columns.length > 0) {
        const hint = `It comes from ${columns.map((column) => `\`${column}\``).join(', ')} of the row, by \`case\` of ${located.document.path}.`;
        return { finding: { hint, ...finding } };
      }
      const identity = JSON.stringify([finding.path, finding.code]);
      if (told.has(identity)) return undefined;
      told.add(identity);
      return { finding, located };
    },
  });
}

/** The axes of `matrix_from`: the values of a column, each once. Undefined when one of them cannot be read. */
export function matrixFrom(
  context: LoadContext,
  located: Located,
  written: MatrixFrom,
): { axes: Record<string, VariableValue[]>; dependsOn: string[] } {
  const axes: Record<string, VariableValue[]> = {};
  const dependsOn: string[] = [];
  for (const [name, { file, column, as = 'text' }] of Object.entries(written)) {
    const base = ['matrix_from', name];
    const opened = openRows(context, located, { file, path: [...base, 'file'] });
    if (opened === undefined) continue;
    dependsOn.push(opened.path);
    if (!opened.columns.includes(column)) {
      const message = `\`${file}\` has no column \`${column}\`${didYouMean(column, opened.columns)}`;
      reportAt(context.problems, located, [{ path: [...base, 'column'], code: 'not_found', message }]);
      continue;
    }
    axes[name] = axisOf(context, opened, { column, as });
    if (axes[name].length > 0) continue;
    const message = `column \`${column}\` of \`${file}\` has no values`;
    reportAt(context.problems, located, [{ path: [...base, 'column'], code: 'too_short', message }]);
  }
  return { axes, dependsOn };
}

function axisOf(
  { problems }: LoadContext,
  { rows, path }: OpenedRows,
  { column, as }: { column: string; as: 'text' | 'number' | 'boolean' },
): VariableValue[] {
  const values = rows.flatMap(({ line, values: cells }): VariableValue[] => {
    const cell = cells[column];
    if (isEmpty(cell)) return [];
    const read = typeof cell === 'string' ? readCell(cell.trim(), as) : { ok: true as const, value: cell };
    const refuse = (message: string): [] => {
      problems.add({ file: path, line, column: 1, path: column, code: 'invalid_type', message });
      return [];
    };
    if (!read.ok) return refuse(`the cell ${read.message}`);
    const { value } = read;
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? [value]
      : refuse('a value of the matrix must be a text, a number or a boolean');
  });
  return [...new Set(values)];
}

/** Whether a case was made of a row: then its file is that of its template. */
export const fileOfCase = ({ document, tellAt }: Located, suitePath: string): string =>
  tellAt === undefined ? document.path : suitePath;
