import { didYouMean } from '../definitions/near-match.ts';
import { compilePattern } from '../definitions/pattern.ts';
import type { Finding, Path } from '../parse/finding.ts';
import { isMapping } from '../parse/schema-plan.ts';

type OperandRule = (operand: unknown, path: Path) => Finding[];

/** What may stand behind each matcher. */
const matchers: ReadonlyMap<string, OperandRule> = new Map<string, OperandRule>([
  ['$any', (operand, path) => mustBe(operand === true, 'invalid_value', '`$any` must be true', path)],
  ['$absent', (operand, path) => mustBe(operand === true, 'invalid_value', '`$absent` must be true', path)],
  ['$regex', patternFindings],
  [
    '$fuzzy',
    (operand, path) => mustBe(isScalar(operand), 'invalid_type', '`$fuzzy` must be a string or a number', path),
  ],
  ['$range', rangeFindings],
  ['$in', listFindings],
  ['$contains', (operand, path) => matcherFindings(operand, path)],
  ['$literal', () => []],
]);

/**
 * Matchers inside parameters: names, patterns and ranges must be usable before a run depends on them. A misspelt one
 * would be compared as data, and the expectation would never hold; in a `when`, the canned answer would never be given.
 */
export function matcherFindings(value: unknown, path: Path): Finding[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => matcherFindings(item, [...path, index]));
  if (!isMapping(value)) return [];
  const keys = Object.keys(value);
  return keys.flatMap((key) => {
    const here = [...path, key];
    if (!key.startsWith('$')) return matcherFindings(value[key], here);
    const rule = matchers.get(key);
    if (rule === undefined) return [unknownMatcher(key, here)];
    return keys.length > 1 ? [notAlone(key, here)] : rule(value[key], here);
  });
}

/** Parameters by name; a matcher stands in place of one of their values, never of all of them. */
export function parameterFindings(parameters: unknown, path: Path): Finding[] {
  if (!isMapping(parameters)) return [];
  return Object.entries(parameters).flatMap(([name, value]) => {
    const here = [...path, name];
    if (!matchers.has(name)) return name.startsWith('$') ? [unknownMatcher(name, here)] : matcherFindings(value, here);
    const message = `\`${name}\` stands in place of the value of a parameter: write \`name: { ${name}: … }\``;
    return [{ path: here, code: 'invalid_value', message, at: 'key' }];
  });
}

const unknownMatcher = (key: string, path: Path): Finding => ({
  path,
  code: 'unknown_field',
  message: `unknown matcher \`${key}\`${didYouMean(key, matchers.keys())}`,
  hint: `Matchers are ${[...matchers.keys()].join(', ')}. Data whose keys start with \`$\` goes into \`{ $literal: … }\`.`,
  at: 'key',
});

const notAlone = (key: string, path: Path): Finding => ({
  path,
  code: 'exclusive',
  message: `\`${key}\` is a matcher: no other key may stand beside it`,
  hint: 'Data whose keys start with `$` goes into `{ $literal: … }`.',
  at: 'key',
});

const isScalar = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number';

const mustBe = (isRight: boolean, code: Finding['code'], message: string, path: Path): Finding[] =>
  isRight ? [] : [{ path, code, message }];

function patternFindings(value: unknown, path: Path): Finding[] {
  if (typeof value !== 'string') return [{ path, code: 'invalid_type', message: '`$regex` must be a string' }];
  const compiled = compilePattern(value);
  return compiled.ok ? [] : [{ path, code: 'invalid_format', message: compiled.message }];
}

function rangeFindings(value: unknown, path: Path): Finding[] {
  const isBound = (bound: unknown): boolean => bound === null || typeof bound === 'number';
  const [low, high]: unknown[] = Array.isArray(value) ? value : [];
  if (!Array.isArray(value) || value.length !== 2 || !isBound(low) || !isBound(high)) {
    return [{ path, code: 'invalid_type', message: '`$range` must be a list of two numbers, null for no bound' }];
  }
  const isReversed = typeof low === 'number' && typeof high === 'number' && low > high;
  return isReversed ? [{ path, code: 'out_of_range', message: '`$range` must name the lower bound first' }] : [];
}

function listFindings(value: unknown, path: Path): Finding[] {
  if (!Array.isArray(value)) return [{ path, code: 'invalid_type', message: '`$in` must be a list of values' }];
  if (value.length === 0) return [{ path, code: 'too_short', message: '`$in` must have at least one value' }];
  return matcherFindings(value, path);
}
