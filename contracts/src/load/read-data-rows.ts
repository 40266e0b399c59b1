import { isSeq, Pair, type ParsedNode, Scalar, YAMLMap } from 'yaml';
import type { ProblemCode } from '../definitions/problem.ts';
import { composeDocument, describeSyntaxError, severalDocuments, tooDeep } from '../parse/compose-document.ts';
import type { Finding } from '../parse/finding.ts';
import { type CsvRow, csvRows, delimiterOf } from '../parse/read-csv.ts';
import { type Refuse, readTree } from '../parse/read-tree.ts';
import { isMapping } from '../parse/schema-plan.ts';
import { readSourceText, scalarProblem } from '../parse/source-text.ts';

/** What a file of rows may have at most. */
const mostBytes = 64_000_000;
/** The YAML reader is made for what people write, not for tables. */
const mostYamlBytes = 2_000_000;
const mostRows = 200_000;
const mostCell = 262_144;
const mostDepth = 64;

/** One row, and where it stands. */
export interface DataRow {
  line: number;
  values: Readonly<Record<string, unknown>>;
}

interface RowProblem {
  line: number;
  code: ProblemCode;
  message: string;
  hint?: string;
}

export interface DataRows {
  /** Those that could be read. */
  rows: DataRow[];
  /** Names of all columns, in the order in which they first appear. */
  columns: readonly string[];
  problems: RowProblem[];
}

/** The rows of a file, by its ending: CSV with a header, a JSON object on each line, or a list of them as JSON or YAML. */
export function readDataRows(path: string, content: string | Uint8Array): DataRows {
  const source = readSourceText(content, mostBytes);
  if (!source.ok) {
    const text = typeof content === 'string' ? content : '';
    const hint = source.code === 'limit' ? 'Keep fewer rows in it, or make several files of it.' : source.hint;
    return broken(lineAt(text, source.offset), source.code, source.message, hint);
  }
  const { text } = source;
  if (/\.csv$/i.test(path)) return readCsv(text);
  if (/\.(?:jsonl|ndjson)$/i.test(path)) return readJsonLines(text);
  return /\.json$/i.test(path) ? readJson(text) : readYaml(text);
}

const broken = (line: number, code: ProblemCode, message: string, hint?: string): DataRows => ({
  rows: [],
  columns: [],
  problems: [{ line, code, message, ...(hint === undefined ? {} : { hint }) }],
});

const tooMany = (line: number): RowProblem => ({
  line,
  code: 'limit',
  message: `more than ${mostRows} rows`,
  hint: 'Make several files of it.',
});

function readCsv(text: string): DataRows {
  const delimiter = delimiterOf(text);
  const problems: RowProblem[] = [];
  const rows: DataRow[] = [];
  let columns: readonly string[] | undefined;
  for (const row of csvRows(text, delimiter)) {
    if (columns === undefined) {
      columns = row.fields.map((field) => field.trim());
      problems.push(...writingProblems(row), ...headerProblems(columns, row.line));
      continue;
    }
    const wrong = rowProblem(row, columns, delimiter);
    if (wrong !== undefined) problems.push(wrong);
    else rows.push({ line: row.line, values: recordOf(columns, row.fields) });
    if (rows.length > mostRows) return { rows: [], columns, problems: [...problems, tooMany(row.line)] };
  }
  if (columns === undefined) return broken(1, 'required', 'the file is empty', 'Its first line names the columns.');
  return { rows, columns, problems };
}

const writingProblems = ({ fault }: CsvRow): RowProblem[] =>
  fault === undefined ? [] : [{ line: fault.line, code: 'parse_error', message: fault.message }];

function rowProblem(row: CsvRow, columns: readonly string[], delimiter: string): RowProblem | undefined {
  const { line, fields } = row;
  const [unclear] = writingProblems(row);
  if (unclear !== undefined) return unclear;
  if (fields.length !== columns.length) {
    const message = `the row has ${fields.length} cells, the header has ${columns.length} columns`;
    const mark = delimiter === '\t' ? 'a tab' : `\`${delimiter}\``;
    const hint = `Put a cell that contains ${mark} or a line break in double quotes.`;
    return { line, code: 'mismatch', message, hint };
  }
  const large = fields.findIndex((field) => field.length > mostCell);
  return large < 0 ? undefined : tooLarge(line, columns[large] ?? '');
}

function headerProblems(columns: readonly string[], line: number): RowProblem[] {
  const seen = new Set<string>();
  return columns.flatMap((column, index): RowProblem[] => {
    if (column === '') return [{ line, code: 'required', message: `column ${index + 1} has no name` }];
    if (seen.has(column)) return [{ line, code: 'duplicate', message: `two columns are called \`${shown(column)}\`` }];
    seen.add(column);
    return [];
  });
}

/** Also columns such as `__proto__` are only data. */
const recordOf = (columns: readonly string[], fields: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(columns.map((column, index) => [column, fields[index] ?? '']));

const tooLarge = (line: number, column: string): RowProblem => ({
  line,
  code: 'too_long',
  message: `the cell of column \`${shown(column)}\` has more than ${mostCell} characters`,
  hint: 'Give long texts to the agent as `files` of the case.',
});

const shown = (column: string): string => column.slice(0, 60);

function readJsonLines(text: string): DataRows {
  const found = collect();
  let line = 0;
  for (let at = 0; at <= text.length; ) {
    const end = text.indexOf('\n', at);
    const written = text.slice(at, end === -1 ? text.length : end);
    line += 1;
    at = end === -1 ? text.length + 1 : end + 1;
    if (written.trim() === '') continue;
    const parsed = parsedOrWhy(written);
    if (!parsed.ok) found.refuse({ line, code: 'parse_error', message: `the line is not JSON: ${parsed.reason}` });
    else if (!found.add(line, parsed.value)) return found.done();
  }
  return found.done();
}

/** Keeps what is a row, and the names of all columns. */
function collect() {
  const rows: DataRow[] = [];
  const problems: RowProblem[] = [];
  const columns = new Set<string>();
  return {
    refuse: (problem: RowProblem) => void problems.push(problem),
    /** False when there are too many. */
    add: (line: number, value: unknown): boolean => {
      if (!isMapping(value)) {
        problems.push({ line, code: 'invalid_type', message: 'a row must be an object: its keys are the columns' });
        return true;
      }
      const wrong = Object.entries(value).flatMap(([column, cell]) => cellProblem(line, column, cell) ?? []);
      if (wrong.length > 0) problems.push(...wrong);
      else rows.push({ line, values: value });
      for (const column of Object.keys(value)) columns.add(column);
      if (rows.length <= mostRows) return true;
      problems.push(tooMany(line));
      return false;
    },
    done: (): DataRows => ({ rows, columns: [...columns], problems }),
  };
}

/** What JSON can say and nothing behind it can keep: NUL, half a character, a number without all its digits, a pit. */
function cellProblem(line: number, column: string, cell: unknown): RowProblem | undefined {
  if (typeof cell === 'string' && cell.length > mostCell) return tooLarge(line, column);
  const found = valueProblem(cell, 0);
  return found && { line, ...found, message: `column \`${shown(column)}\` ${found.message}` };
}

function valueProblem(value: unknown, depth: number): Omit<RowProblem, 'line'> | undefined {
  if (value === null || typeof value === 'boolean') return undefined;
  if (typeof value !== 'object') return scalarProblem(value);
  if (depth === mostDepth) return { code: 'limit', message: 'is nested too deeply' };
  for (const inner of [...Object.values(value), ...(Array.isArray(value) ? [] : Object.keys(value))]) {
    const found = valueProblem(inner, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

type Parsed = { ok: true; value: unknown } | { ok: false; reason: string };

function parsedOrWhy(text: string): Parsed {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ok: false, reason: reason.replace(/, \.{0,3}".*$/s, '').slice(0, 200) };
  }
}

function readJson(text: string): DataRows {
  const parsed = parsedOrWhy(text);
  if (!parsed.ok) {
    const offset = Number(/position (\d+)/.exec(parsed.reason)?.[1] ?? 0);
    return broken(lineAt(text, offset), 'parse_error', `not valid JSON: ${parsed.reason}`);
  }
  if (!Array.isArray(parsed.value)) return notAList;
  const lines = linesOfItems(text);
  const found = collect();
  for (const [index, value] of parsed.value.entries()) if (!found.add(lines[index] ?? 1, value)) break;
  return found.done();
}

const notAList = broken(
  1,
  'invalid_type',
  'the file must be a list of rows, each an object whose keys are the columns',
);

/** A string, a bracket, a comma, a line end or another value, in text that is known to be JSON. */
const piece = /"(?:[^"\\]|\\.)*"|[[\]{},\n]|[^\s"[\]{},]+/g;

/** The lines on which the items of a list begin, in text that is known to be JSON. */
function linesOfItems(text: string): number[] {
  const lines: number[] = [];
  let line = 1;
  let depth = 0;
  // The first item stands behind the bracket, every other one behind a comma.
  let isItemNext = false;
  for (const [found] of text.matchAll(piece)) {
    if (found === '\n') {
      line += 1;
      continue;
    }
    if (depth === 1 && isItemNext && found !== ']') lines.push(line);
    depth += depthOf(found);
    isItemNext = depth === 1 && (found === ',' || (found === '[' && lines.length === 0));
  }
  return lines;
}

function depthOf(found: string): number {
  if (found === '[' || found === '{') return 1;
  return found === ']' || found === '}' ? -1 : 0;
}

function readYaml(text: string): DataRows {
  if (text.length > mostYamlBytes) {
    return broken(1, 'limit', `more than ${mostYamlBytes} characters of YAML`, 'Keep so many rows as CSV or JSONL.');
  }
  const problems: RowProblem[] = [];
  const refuse = (offset: number, { code, message, hint }: Finding): undefined => {
    problems.push({ line: lineAt(text, offset), code, message, ...(hint === undefined ? {} : { hint }) });
  };
  const list = rootOf(text, refuse);
  if (problems.length > 0) return { rows: [], columns: [], problems };
  if (!isSeq(list)) return notAList;
  // The reader of trees reads mappings: the list is given to it as the value of a key.
  const root = new YAMLMap();
  root.items.push(new Pair(new Scalar('rows'), list));
  const values = readTree(root, refuse)?.value.rows;
  if (!Array.isArray(values)) return { rows: [], columns: [], problems };
  const found = collect();
  let line = 1;
  let counted = 0;
  for (const [index, value] of values.entries()) {
    const offset = list.items[index]?.range?.[0] ?? counted;
    line += lineAt(text.slice(counted, offset), offset) - 1;
    counted = offset;
    if (!found.add(line, value)) break;
  }
  return found.done();
}

function rootOf(text: string, refuse: Refuse): ParsedNode | null {
  const composed = composeDocument(text);
  if (composed.kind !== 'document') {
    refuse(composed.offset, composed.kind === 'several' ? severalDocuments : tooDeep);
    return null;
  }
  for (const error of composed.document.errors.slice(0, 20)) refuse(error.pos[0], describeSyntaxError(error));
  return composed.document.contents;
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}
