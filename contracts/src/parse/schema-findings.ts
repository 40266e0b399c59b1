import type { z } from 'zod';
import { meantWord } from '../definitions/near-match.ts';
import { type ProblemCode, ProblemCode as ProblemCodeSchema } from '../definitions/problem.ts';
import type { Finding, Path } from './finding.ts';
import { isMapping, spelledKey } from './schema-plan.ts';

type Issue = z.core.$ZodIssue;

/** What a schema found wrong, in the words and paths of the person who wrote the value. `original` is before folding. */
export function schemaFindings(issues: readonly Issue[], original: unknown): Finding[] {
  const findings = issues.flatMap((issue) => issueFindings(issue, original));
  const seen = new Set<string>();
  return findings.filter((finding) => {
    const identity = JSON.stringify([finding.path, finding.code]);
    return seen.has(identity) ? false : seen.add(identity);
  });
}

function issueFindings(issue: Issue, original: unknown): Finding[] {
  // Unknown keys were reported with their near match when the keys were folded.
  if (issue.code === 'unrecognized_keys') return [];
  if (issue.code === 'invalid_union') return unionFindings(issue, original);
  const { path, found, value } = lookUp(original, issue.path);
  if (!found) return [{ path, code: 'required', message: `\`${String(path.at(-1) ?? '')}\` is missing`, at: 'key' }];
  return [{ path, ...describe(issue, value) }];
}

function unionFindings(issue: Issue & { code: 'invalid_union' }, original: unknown): Finding[] {
  const { path, found, value } = lookUp(original, issue.path);
  if (!found) return [{ path, code: 'required', message: `\`${String(path.at(-1) ?? '')}\` is missing`, at: 'key' }];
  if (issue.errors.length === 0) return [{ path, ...enumProblem(value, discriminatorValues(issue)) }];
  // The branch that was meant is the one whose faults lie deeper than the value itself.
  const meant = issue.errors.find((branch) => branch.every((nested) => nested.path.length > 0));
  if (meant !== undefined && meant.length > 0) {
    return meant.flatMap((nested) => issueFindings({ ...nested, path: [...issue.path, ...nested.path] }, original));
  }
  const atRoot = issue.errors.flat();
  const near = atRoot.find((nested) => nested.code !== 'invalid_type' && nested.path.length === 0);
  if (near !== undefined && typeof value === 'string') return issueFindings({ ...near, path: issue.path }, original);
  const kinds = atRoot.map((nested) => (nested.code === 'invalid_type' ? kindName(nested.expected) : ''));
  const wanted = [...new Set(kinds)].filter((kind) => kind !== '').join(' or ');
  const message = `must be ${wanted || 'of another type'}${quoteHint(wanted, value)}`;
  return [{ path, code: 'invalid_type', message }];
}

const discriminatorValues = (issue: Issue): unknown[] => {
  const { options } = issue as { options?: unknown };
  return Array.isArray(options) ? options : [];
};

type Description = Pick<Finding, 'code' | 'message' | 'hint'>;

function describe(issue: Issue, value: unknown): Description {
  if (issue.code === 'invalid_type') {
    return { code: 'invalid_type', message: `must be ${kindName(issue.expected)}${quoteHint(issue.expected, value)}` };
  }
  if (issue.code === 'too_small') return { code: sizeCode(issue.origin, 'small'), message: smallMessage(issue) };
  if (issue.code === 'too_big') return { code: sizeCode(issue.origin, 'big'), message: bigMessage(issue) };
  if (issue.code === 'invalid_value') return enumProblem(value, issue.values);
  if (issue.code === 'invalid_format') return { code: 'invalid_format', message: formatMessage(issue) };
  if (issue.code !== 'custom') return { code: 'invalid_value', message: issue.message };
  const { code, hint } = issue.params ?? {};
  return { code: customCode(code), message: issue.message, ...(typeof hint === 'string' ? { hint } : {}) };
}

const customCode = (code: unknown): ProblemCode => ProblemCodeSchema.safeParse(code).data ?? 'invalid_value';

const sizeCode = (origin: string, side: 'small' | 'big'): ProblemCode => {
  if (origin === 'string') return side === 'small' ? 'too_short' : 'too_long';
  if (origin === 'array' || origin === 'set') return side === 'small' ? 'too_short' : 'too_many';
  return 'out_of_range';
};

function smallMessage(issue: Issue & { code: 'too_small' }): string {
  if (issue.origin === 'string')
    return issue.minimum === 1 ? 'must not be empty' : `must have at least ${String(issue.minimum)} characters`;
  if (issue.origin === 'array')
    return issue.minimum === 1 ? 'must have at least one entry' : `must have at least ${String(issue.minimum)} entries`;
  return issue.inclusive === false
    ? `must be greater than ${String(issue.minimum)}`
    : `must be at least ${String(issue.minimum)}`;
}

function bigMessage(issue: Issue & { code: 'too_big' }): string {
  if (issue.origin === 'string') return `must have at most ${String(issue.maximum)} characters`;
  if (issue.origin === 'array') return `must have at most ${String(issue.maximum)} entries`;
  return issue.inclusive === false
    ? `must be less than ${String(issue.maximum)}`
    : `must be at most ${String(issue.maximum)}`;
}

function enumProblem(value: unknown, allowed: readonly unknown[]): Description {
  const names = allowed.map(String);
  const near = typeof value === 'string' ? meantWord(value, names) : undefined;
  const message = `must be one of ${names.join(', ')}`;
  return { code: 'invalid_enum', message: near === undefined ? message : `${message}; did you mean \`${near}\`?` };
}

/** A pattern's own words when its author gave some; the library's words name the regular expression. */
const formatMessage = ({ format, message }: Issue & { code: 'invalid_format' }): string => {
  if (format === 'url') return 'must be an absolute URL such as https://example.org/file';
  return message.startsWith('Invalid') ? `has the wrong form (${format})` : message;
};

const kindNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'a boolean (true or false)',
  array: 'a list',
  object: 'a mapping of keys',
  record: 'a mapping of keys',
};

const kindName = (expected: string): string => kindNames[expected] ?? `a ${expected}`;

const quoteHint = (wanted: string, value: unknown): string =>
  wanted.includes('string') && (typeof value === 'number' || typeof value === 'boolean') ? ', put it in quotes' : '';

interface LookUp {
  path: Path;
  found: boolean;
  value: unknown;
}

/** The value at a path of the folded tree, looked up in the original one, with the path as the file spells it. */
function lookUp(original: unknown, path: readonly PropertyKey[]): LookUp {
  return path.reduce<LookUp>(stepInto, { path: [], found: true, value: original });
}

function stepInto({ path, found, value }: LookUp, segment: PropertyKey): LookUp {
  if (Array.isArray(value) && typeof segment === 'number') {
    return { path: [...path, segment], found: found && segment < value.length, value: value[segment] };
  }
  const wanted = typeof segment === 'number' ? segment : String(segment);
  const key = found && isMapping(value) ? spelledKey(value, String(segment)) : undefined;
  if (key === undefined || !isMapping(value)) return { path: [...path, wanted], found: false, value: undefined };
  return { path: [...path, key], found: true, value: value[key] };
}
