import type { JsonValue } from '@proofmark/contracts/canonical-json';
import { compilePattern } from '@proofmark/contracts/pattern';

/**
 * Equal after NFC, lower case, trimming and folding white space, `_` and `-` to one space. Two numbers are equal within
 * 1e-9 relative; thousands separators do not count and `%` divides by 100.
 */
function fuzzyEqual(expected: string, actual: string): boolean {
  const x = readNumber(expected);
  const y = readNumber(actual);
  // As texts -5 and 5 would be equal: the sign is a dash, and dashes are folded away.
  if (x !== undefined && y !== undefined) return Math.abs(x - y) <= 1e-9 * Math.max(Math.abs(x), Math.abs(y));
  return foldText(expected) === foldText(actual);
}

function foldText(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
    .trim();
}

function readNumber(text: string): number | undefined {
  const compact = text.trim().replace(/(?<=\d)[,_\s\u00a0\u202f](?=\d{3}(?!\d))/g, '');
  const match = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)\s*(%?)$/i.exec(compact);
  if (!match) return undefined;
  return Number(match[1]) / (match[2] === '%' ? 100 : 1);
}

type JsonObject = { [key: string]: JsonValue };
type Matcher = (operand: JsonValue, actual: JsonValue) => boolean;

const matchers: ReadonlyMap<string, Matcher> = new Map<string, Matcher>([
  ['$any', () => true],
  ['$literal', (operand, actual) => literallyEqual(operand, actual)],
  ['$fuzzy', (operand, actual) => isScalar(operand) && isScalar(actual) && fuzzyEqual(String(operand), String(actual))],
  ['$range', (operand, actual) => typeof actual === 'number' && Array.isArray(operand) && isWithin(actual, operand)],
  ['$in', (operand, actual) => Array.isArray(operand) && operand.some((option) => matchValue(option, actual))],
  ['$contains', contains],
  ['$regex', matchesPattern],
]);

/**
 * Whether `actual` is what `expected` describes: objects as deep subsets by own keys, lists element by element, numbers by
 * value, everything else strictly; an object with one `$` key is a matcher. An absent key never matches a literal.
 */
export function matchValue(expected: JsonValue, actual: JsonValue): boolean {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return false;
    return expected.every((part, index) => matchValue(part, actual[index] ?? null));
  }
  if (typeof expected !== 'object' || expected === null) return expected === actual;
  const matcher = matcherOf(expected);
  if (matcher) return matcher.test(matcher.operand, actual);
  return isObject(actual) && differingKeys(expected, actual).length === 0;
}

/** The keys of `expected` whose value in `actual` is not the described one, absent keys included. */
export function differingKeys(expected: JsonObject, actual: JsonObject): string[] {
  return Object.entries(expected)
    .filter(([key, part]) => {
      const isAbsent = !Object.hasOwn(actual, key);
      if (wantsAbsent(part)) return !isAbsent;
      return isAbsent || !matchValue(part, actual[key] ?? null);
    })
    .map(([key]) => key);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function matcherOf(expected: JsonObject): { test: Matcher; operand: JsonValue } | undefined {
  const [key, ...others] = Object.keys(expected);
  if (key === undefined || others.length > 0) return undefined;
  const test = matchers.get(key);
  return test && { test, operand: expected[key] ?? null };
}

function wantsAbsent(expected: JsonValue): boolean {
  return isObject(expected) && Object.keys(expected).length === 1 && expected.$absent === true;
}

function literallyEqual(expected: JsonValue, actual: JsonValue): boolean {
  if (Array.isArray(expected)) {
    return (
      Array.isArray(actual) &&
      actual.length === expected.length &&
      expected.every((part, i) => literallyEqual(part, actual[i] ?? null))
    );
  }
  if (!isObject(expected)) return expected === actual;
  return (
    isObject(actual) &&
    Object.entries(expected).every(
      ([key, part]) => Object.hasOwn(actual, key) && literallyEqual(part, actual[key] ?? null),
    )
  );
}

function isScalar(value: JsonValue): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

function isWithin(actual: number, [low, high]: readonly JsonValue[]): boolean {
  return (typeof low !== 'number' || actual >= low) && (typeof high !== 'number' || actual <= high);
}

function contains(operand: JsonValue, actual: JsonValue): boolean {
  if (Array.isArray(actual)) return actual.some((part) => matchValue(operand, part));
  return typeof actual === 'string' && typeof operand === 'string' && actual.includes(operand);
}

function matchesPattern(operand: JsonValue, actual: JsonValue): boolean {
  if (typeof operand !== 'string' || typeof actual !== 'string') return false;
  const compiled = compilePattern(operand);
  return compiled.ok && compiled.pattern.matches(actual);
}
