import type { DefinitionSource } from '../definitions/loaded.ts';
import { pathProblem } from '../definitions/repository-path.ts';
import type { FileInput } from '../definitions/test-case.ts';
import { type Finding, type Path, warning } from '../parse/finding.ts';

type Raw = Record<string, unknown>;

/** Which options say something about which kind of file. */
const optionsOf: Readonly<Record<string, readonly string[]>> = {
  excel: ['sheet', 'range'],
  powerpoint: ['pages'],
  pdf: ['pages'],
};

/** What the operator of this process lists; or left to whoever fetches, where this process cannot know it. */
export type AllowedOrigins = NonNullable<DefinitionSource['allowedOrigins']>;

/** The rules of one file input beyond the types of its keys. */
export function fileFindings(raw: Raw, base: Path, allowed: AllowedOrigins = new Set()): Finding[] {
  return [...identityFindings(raw, base), ...urlFindings(raw, base, allowed), ...optionFindings(raw, base)];
}

function identityFindings(raw: Raw, base: Path): Finding[] {
  const { path, url } = raw;
  if (path !== undefined && url !== undefined) {
    return [{ path: base, code: 'exclusive', message: '`path` and `url` exclude each other: write exactly one' }];
  }
  if (path === undefined && url === undefined) {
    return [{ path: base, code: 'required', message: 'a file needs a `path` or a `url`' }];
  }
  const problem = typeof path === 'string' && path !== '' ? pathProblem(path) : undefined;
  return problem === undefined
    ? []
    : [{ path: [...base, 'path'], code: 'invalid_format', message: `\`path\` ${problem}` }];
}

function urlFindings(raw: Raw, base: Path, allowed: AllowedOrigins): Finding[] {
  const url = typeof raw.url === 'string' ? URL.parse(raw.url) : null;
  if (url === null) return [];
  const path = [...base, 'url'];
  if (url.username !== '' || url.password !== '')
    return [{ path, code: 'invalid_format', message: '`url` must not contain a user name or password' }];
  const special = specialty(url);
  if (special === undefined || (allowed !== 'left to runners' && allowed.has(url.origin))) return [];
  const message = `\`url\` has ${special}, which works only where the operator lists its origin in PROOFMARK_URL_ALLOW`;
  const hint = 'Use a public https address.';
  if (allowed === 'left to runners') return [warning(path, 'invalid_format', message, hint)];
  return [{ path, code: 'invalid_format', message, hint }];
}

/** What no address of a public file has. */
function specialty({ protocol, port, hostname }: URL): string | undefined {
  if (protocol === 'http:') return 'no https';
  if (port !== '') return 'a port of its own';
  return isPrivate(hostname) ? 'a private address' : undefined;
}

/** Hosts that no public file has. The reader of URLs has written every spelling of an IPv4 address as four numbers. */
function isPrivate(hostname: string): boolean {
  const host = hostname.replace(/\.+$/, '');
  if (host === 'localhost' || host.endsWith('.localhost') || !/[.:]/.test(host)) return true;
  if (host.startsWith('[')) return !/^\[[23]/.test(host);
  return /^(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))(?:\.\d+)+$/.test(
    host,
  );
}

function optionFindings(raw: Raw, base: Path): Finding[] {
  const findings: Finding[] = [];
  const range = typeof raw.range === 'string' && raw.range !== '' ? rangeProblem(raw.range) : undefined;
  if (range !== undefined)
    findings.push({ path: [...base, 'range'], code: range.code, message: `\`range\` ${range.message}` });
  const { type } = raw;
  for (const option of ['pages', 'sheet', 'range']) {
    if (raw[option] === undefined || typeof type !== 'string' || optionsOf[type]?.includes(option) === true) continue;
    findings.push(warning([...base, option], 'invalid_value', `\`${option}\` has no effect on a file of type ${type}`));
  }
  return findings;
}

const MAX_CELLS = 100_000;
const LAST_COLUMN = 16_384;
const LAST_ROW = 1_048_576;

const cellForm = /^([A-Z]{1,3})([1-9][0-9]{0,6})$/;

/** Why `A1:E100` style text is no range that can be read, or undefined. */
function rangeProblem(range: string): { code: 'invalid_format' | 'out_of_range'; message: string } | undefined {
  const cells = range.split(':').map(readCell);
  const [first, last = first] = cells;
  if (cells.length > 2 || first === undefined || last === undefined) {
    return { code: 'invalid_format', message: 'must look like A1:E100' };
  }
  if (last.column > LAST_COLUMN || last.row > LAST_ROW || first.column > LAST_COLUMN || first.row > LAST_ROW) {
    return { code: 'out_of_range', message: 'is beyond the last cell XFD1048576' };
  }
  if (last.column < first.column || last.row < first.row)
    return { code: 'invalid_format', message: 'must name the upper left cell first' };
  const size = (last.column - first.column + 1) * (last.row - first.row + 1);
  return size > MAX_CELLS ? { code: 'out_of_range', message: `has ${size} cells, limit ${MAX_CELLS}` } : undefined;
}

function readCell(text: string): { column: number; row: number } | undefined {
  const match = cellForm.exec(text);
  if (match === null) return undefined;
  const [, letters = '', row = ''] = match;
  const column = Array.from(letters).reduce((value, letter) => value * 26 + letter.charCodeAt(0) - 64, 0);
  return { column, row: Number(row) };
}

/** Downloads are kept unless the file says otherwise. */
export const normaliseFile = (file: FileInput): FileInput =>
  file.url === undefined || file.cache !== undefined ? file : { ...file, cache: true };
