import type { JsonValue } from '@proofmark/contracts/canonical-json';
import type { Check } from '@proofmark/contracts/checks';
import { compileJsonSchema } from '@proofmark/contracts/json-schema';
import { compilePattern } from '@proofmark/contracts/pattern';
import { valueAtPath } from '@proofmark/domain/lexical/response-path';
import { isTooDeep } from '../models/json-depth.ts';
import { type CheckVerdict, checkError, quoted, verdict } from './check-verdict.ts';
import { matchValue } from './match-value.ts';

interface PhraseSearch {
  passed: boolean;
  matched: string[];
  missing: string[];
}

/** Which phrases occur literally in the response; both in NFC, case ignored unless asked for, white space never folded. */
export function containsPhrases(response: string, phrases: readonly string[], caseSensitive = false): PhraseSearch {
  const fold = (text: string): string => (caseSensitive ? text.normalize('NFC') : text.normalize('NFC').toLowerCase());
  const text = fold(response);
  const found = Object.groupBy(phrases, (phrase) => (text.includes(fold(phrase)) ? 'matched' : 'missing'));
  const missing = found.missing ?? [];
  return { passed: missing.length === 0, matched: found.matched ?? [], missing };
}

type CheckOf<Type extends Check['type']> = Extract<Check, { type: Type }>;

export function checkPhrases({ phrases, case_sensitive }: CheckOf<'contains_phrases'>, response: string): CheckVerdict {
  const { passed, matched, missing } = containsPhrases(response, phrases, case_sensitive);
  return { status: passed ? 'pass' : 'fail', details: { matchedPhrases: matched, missingPhrases: missing } };
}

/** Fails when one of the phrases occurs; `matchedPhrases` names those. */
export function checkAbsence({ phrases, case_sensitive }: CheckOf<'not_contains'>, response: string): CheckVerdict {
  const { matched } = containsPhrases(response, phrases, case_sensitive);
  return { status: matched.length === 0 ? 'pass' : 'fail', details: { matchedPhrases: matched } };
}

export function checkEqual({ value, case_sensitive }: CheckOf<'equals'>, response: string): CheckVerdict {
  const isEqual = fold(response.trim(), case_sensitive) === fold(value.trim(), case_sensitive);
  return verdict(isEqual, `The response is not ${quoted(value)}`);
}

export function checkStart({ value, case_sensitive }: CheckOf<'starts_with'>, response: string): CheckVerdict {
  const startsWith = fold(response.trimStart(), case_sensitive).startsWith(fold(value, case_sensitive));
  return verdict(startsWith, `The response begins with ${quoted(response.trimStart().slice(0, value.length))}`);
}

export function checkPattern({ pattern, case_sensitive }: CheckOf<'regex'>, response: string): CheckVerdict {
  const compiled = compilePattern(pattern, { ignoreCase: !case_sensitive });
  if (!compiled.ok) return checkError(compiled.message);
  return verdict(compiled.pattern.isIn(response), `The pattern ${quoted(pattern)} does not occur in the response`);
}

export function checkLength(
  { min = 0, max = Number.POSITIVE_INFINITY, unit }: CheckOf<'length'>,
  response: string,
): CheckVerdict {
  const words = response.split(/\s+/).filter((word) => word !== '');
  const length = unit === 'words' ? words.length : Array.from(response).length;
  return verdict(length >= min && length <= max, `The response has ${length} ${unit}`);
}

function fold(text: string, caseSensitive: boolean): string {
  return caseSensitive ? text.normalize('NFC') : text.normalize('NFC').toLowerCase();
}

const notJson = 'The response is not JSON';

export function checkJson(response: string): CheckVerdict {
  return verdict(readJson(response) !== undefined, notJson);
}

export function checkJsonSchema({ schema }: CheckOf<'json_schema'>, response: string): CheckVerdict {
  const compiled = compileJsonSchema(schema);
  if (!compiled.ok) return checkError(compiled.message);
  const json = readJson(response);
  if (!json) return verdict(false, notJson);
  return verdict(compiled.accepts(json.value), 'The response does not fit the schema');
}

export function checkJsonPath({ path, expected }: CheckOf<'json_path'>, response: string): CheckVerdict {
  const json = readJson(response);
  if (!json) return verdict(false, notJson);
  const found = valueAtPath(json.value, path);
  if (found === undefined) return verdict(false, `The response has nothing at ${path}`);
  if (expected === undefined) return verdict(true, '');
  return verdict(matchValue(expected, found), `At ${path} the response has ${quoted(JSON.stringify(found))}`);
}

/** The whole response as JSON; a single fenced block around it is taken off. */
function readJson(response: string): { value: JsonValue } | undefined {
  const text = withoutFence(response.trim());
  if (isTooDeep(text)) return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    // A response that is not JSON is an answer to the check, not a fault.
    return undefined;
  }
}

const fence = '```';

/** By position and not by a pattern: an agent may answer with a million spaces before the end. */
function withoutFence(text: string): string {
  const start = text.indexOf('\n') + 1;
  const end = text.length - fence.length;
  if (!text.startsWith(fence) || !text.endsWith(fence) || start === 0 || start > end) return text;
  const language = text.slice(fence.length, start).trim();
  return language === '' || language === 'json' ? text.slice(start, end) : text;
}

export function checkLatency({ max_ms }: CheckOf<'latency'>, latencyMs: number | null): CheckVerdict {
  if (latencyMs === null) return checkError('The time of the answer is not known');
  return verdict(latencyMs <= max_ms, `The agent took ${Math.round(latencyMs)} ms`);
}

/** An unknown cost is an error: a provider that reports no usage must not pass for free. */
export function checkCost({ max_usd }: CheckOf<'cost'>, costUsd: number | null): CheckVerdict {
  if (costUsd === null) return checkError('The cost is not known: usage or price is missing');
  return verdict(costUsd <= max_usd, `The agent cost ${costUsd.toFixed(6)} USD`);
}

export function checkToolCount(
  { tool, min = 0, max = Number.POSITIVE_INFINITY }: CheckOf<'tool_count'>,
  calls: readonly { name: string }[],
): CheckVerdict {
  const count = calls.filter(({ name }) => tool === undefined || name === tool).length;
  return verdict(count >= min && count <= max, `${tool ?? 'Tools'} called ${count} times`);
}
