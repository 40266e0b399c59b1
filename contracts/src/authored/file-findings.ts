import { pathProblem } from '../definitions/repository-path.ts';
import { type Finding, warning } from '../parse/finding.ts';
import type { Path } from '../parse/path-text.ts';
import { rangeProblem } from './cell-range.ts';

type Raw = Record<string, unknown>;

/** Which options say something about which kind of file. */
const optionsOf: Readonly<Record<string, readonly string[]>> = {
  excel: ['sheet', 'range'],
  powerpoint: ['pages'],
  pdf: ['pages'],
};

/** The rules of one file input beyond the types of its keys. */
export function fileFindings(raw: Raw, base: Path): Finding[] {
  return [...identityFindings(raw, base), ...urlFindings(raw, base), ...optionFindings(raw, base)];
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

function urlFindings(raw: Raw, base: Path): Finding[] {
  const url = typeof raw.url === 'string' ? URL.parse(raw.url) : null;
  if (url === null) return [];
  const path = [...base, 'url'];
  if (url.username !== '' || url.password !== '')
    return [{ path, code: 'invalid_format', message: '`url` must not contain a user name or password' }];
  if (url.protocol === 'http:')
    return [warning(path, 'invalid_format', 'plain http works only where the operator allows it', 'Use https.')];
  const special = url.port === '' ? (isPrivate(url.hostname) ? 'a private address' : undefined) : 'a port of its own';
  // Not refused: an operator may have allowed the origin, which no file can know.
  return special === undefined
    ? []
    : [warning(path, 'invalid_format', `\`url\` has ${special}, which works only where the operator allows it`)];
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
