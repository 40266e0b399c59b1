import type { ToolDefinition } from '@proofmark/contracts/agent-file';
import type { JsonValue } from '@proofmark/contracts/canonical-json';
import type { ToolCall } from '@proofmark/contracts/case-outcome';
import type { LeafCheck, OwnCheck } from '@proofmark/contracts/checks';
import { compileJsonSchema } from '@proofmark/contracts/json-schema';
import { compilePattern } from '@proofmark/contracts/pattern';
import { compareNumbers, editDistance } from '@proofmark/domain/lexical/equality';
import { readResponsePath, valueAtPath } from '@proofmark/domain/lexical/response-path';
import { isTooDeep } from '../models/json-depth.ts';
import { type CheckVerdict, checkError, quoted, verdict } from './check-verdict.ts';
import { jsonInText } from './json-in-text.ts';
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
  const matched: string[] = [];
  const missing: string[] = [];
  for (const phrase of phrases) (text.includes(fold(phrase)) ? matched : missing).push(phrase);
  return { passed: missing.length === 0, matched, missing };
}

type CheckOf<Type extends LeafCheck['type']> = Extract<LeafCheck, { type: Type }>;

function checkPhrases({ phrases, case_sensitive }: CheckOf<'contains_phrases'>, response: string): CheckVerdict {
  const { passed, matched, missing } = containsPhrases(response, phrases, case_sensitive);
  return { status: passed ? 'pass' : 'fail', details: { matchedPhrases: matched, missingPhrases: missing } };
}

/** Fails when one of the phrases occurs; `matchedPhrases` names those. */
function checkAbsence({ phrases, case_sensitive }: CheckOf<'not_contains'>, response: string): CheckVerdict {
  const { matched } = containsPhrases(response, phrases, case_sensitive);
  return { status: matched.length === 0 ? 'pass' : 'fail', details: { matchedPhrases: matched } };
}

function checkEqual({ value, case_sensitive }: CheckOf<'equals'>, response: string): CheckVerdict {
  const isEqual = fold(response.trim(), case_sensitive) === fold(value.trim(), case_sensitive);
  return verdict(isEqual, `The response is not ${quoted(value)}`);
}

function checkStart({ value, case_sensitive }: CheckOf<'starts_with'>, response: string): CheckVerdict {
  const startsWith = fold(response.trimStart(), case_sensitive).startsWith(fold(value, case_sensitive));
  return verdict(startsWith, `The response begins with ${quoted(response.trimStart().slice(0, value.length))}`);
}

function checkEnd({ value, case_sensitive }: CheckOf<'ends_with'>, response: string): CheckVerdict {
  const text = response.trimEnd();
  const endsWith = fold(text, case_sensitive).endsWith(fold(value, case_sensitive));
  return verdict(endsWith, `The response ends with ${quoted(text.slice(-value.length))}`);
}

function checkOneOf({ values, case_sensitive }: CheckOf<'one_of'>, response: string): CheckVerdict {
  const text = fold(response.trim(), case_sensitive);
  const isOne = values.some((value) => fold(value.trim(), case_sensitive) === text);
  return verdict(isOne, `The response is ${quoted(response.trim())}, none of ${values.map(quoted).join(', ')}`);
}

function checkDistance({ value, max_distance }: CheckOf<'levenshtein'>, response: string): CheckVerdict {
  const isNear = editDistance(response, value, max_distance) !== undefined;
  return verdict(isNear, `The response differs from ${quoted(value)} by more than ${max_distance} characters`);
}

function checkNumber(check: CheckOf<'number'>, response: string): CheckVerdict {
  const { value, tolerance, relative_tolerance, path } = check;
  const part = path === undefined ? { ok: true as const, text: response } : readResponsePath(response, path);
  if (!part.ok) return verdict(false, part.reason);
  const options = { absoluteTolerance: tolerance, relativeTolerance: relative_tolerance };
  const compared = compareNumbers(part.text, String(value), options);
  if (!compared.ok) return verdict(false, `${quoted(part.text.trim())} is not a number`);
  return verdict(compared.isEqual, `${compared.response} is not near enough to ${value}`);
}

function checkContainedJson({ schema }: CheckOf<'contains_json'>, response: string): CheckVerdict {
  const compiled = schema && compileJsonSchema(schema);
  if (compiled && !compiled.ok) return checkError(compiled.message);
  const found = jsonInText(response);
  if (found.length === 0) return verdict(false, 'The response holds no JSON');
  return verdict(!compiled || found.some(compiled.accepts), 'No JSON in the response fits the schema');
}

/** Every call is of a tool that the agent has, with arguments that its schema accepts. */
function checkToolCalls(
  { tool }: CheckOf<'valid_tool_calls'>,
  { calls, tools }: Pick<AnswerFacts, 'calls' | 'tools'>,
): CheckVerdict {
  if (tools.length === 0) return checkError('The agent declares no tools that a call could be compared with');
  const problems: string[] = [];
  for (const call of calls.filter(({ name }) => tool === undefined || name === tool)) {
    const declared = tools.find(({ name }) => name === call.name);
    const compiled = declared && compileJsonSchema(declared.parameters);
    if (compiled && !compiled.ok) return checkError(`The schema of ${call.name} cannot be used: ${compiled.message}`);
    const problem = compiled ? problemOfCall(call, compiled.accepts) : 'is no tool of the agent';
    if (problem !== undefined) problems.push(`${call.name}: ${problem}`);
  }
  return verdict(problems.length === 0, problems.join('; '));
}

function problemOfCall({ args, argsError }: ToolCall, accepts: (value: unknown) => boolean): string | undefined {
  if (argsError !== null) return argsError;
  return accepts(args) ? undefined : `its schema does not accept ${quoted(JSON.stringify(args))}`;
}

function checkPattern({ pattern, case_sensitive }: CheckOf<'regex'>, response: string): CheckVerdict {
  const compiled = compilePattern(pattern, { ignoreCase: !case_sensitive });
  if (!compiled.ok) return checkError(compiled.message);
  return verdict(compiled.pattern.isIn(response), `The pattern ${quoted(pattern)} does not occur in the response`);
}

function checkLength(
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

function checkJson(response: string): CheckVerdict {
  return verdict(readJson(response) !== undefined, notJson);
}

function checkJsonSchema({ schema }: CheckOf<'json_schema'>, response: string): CheckVerdict {
  const compiled = compileJsonSchema(schema);
  if (!compiled.ok) return checkError(compiled.message);
  const json = readJson(response);
  if (!json) return verdict(false, notJson);
  return verdict(compiled.accepts(json.value), 'The response does not fit the schema');
}

function checkJsonPath({ path, expected }: CheckOf<'json_path'>, response: string): CheckVerdict {
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

function checkLatency({ max_ms }: CheckOf<'latency'>, latencyMs: number | null): CheckVerdict {
  if (latencyMs === null) return checkError('The time of the answer is not known');
  return verdict(latencyMs <= max_ms, `The agent took ${Math.round(latencyMs)} ms`);
}

/** An unknown cost is an error: a provider that reports no usage must not pass for free. */
function checkCost({ max_usd }: CheckOf<'cost'>, costUsd: number | null): CheckVerdict {
  if (costUsd === null) return checkError('The cost is not known: usage or price is missing');
  return verdict(costUsd <= max_usd, `The agent cost ${costUsd.toFixed(6)} USD`);
}

function checkToolCount(
  { tool, min = 0, max = Number.POSITIVE_INFINITY }: CheckOf<'tool_count'>,
  calls: readonly { name: string }[],
): CheckVerdict {
  const count = calls.filter(({ name }) => tool === undefined || name === tool).length;
  return verdict(count >= min && count <= max, `${tool ?? 'Tools'} called ${count} times`);
}

/** What of a test run checks without a model look at. */
export interface AnswerFacts {
  response: string;
  latencyMs: number | null;
  costUsd: number | null;
  calls: readonly ToolCall[];
  /** What the agent declares. */
  tools: readonly ToolDefinition[];
}

type Judged = Exclude<LeafCheck['type'], 'semantic_similarity' | 'llm_judge' | OwnCheck['type']>;

/** Every check that asks nobody, by its type. */
const plainChecks: { [Type in Judged]: (check: CheckOf<Type>, evidence: AnswerFacts) => CheckVerdict } = {
  contains_phrases: (check, { response }) => checkPhrases(check, response),
  not_contains: (check, { response }) => checkAbsence(check, response),
  equals: (check, { response }) => checkEqual(check, response),
  starts_with: (check, { response }) => checkStart(check, response),
  ends_with: (check, { response }) => checkEnd(check, response),
  one_of: (check, { response }) => checkOneOf(check, response),
  regex: (check, { response }) => checkPattern(check, response),
  is_json: (_, { response }) => checkJson(response),
  json_schema: (check, { response }) => checkJsonSchema(check, response),
  json_path: (check, { response }) => checkJsonPath(check, response),
  contains_json: (check, { response }) => checkContainedJson(check, response),
  number: (check, { response }) => checkNumber(check, response),
  levenshtein: (check, { response }) => checkDistance(check, response),
  length: (check, { response }) => checkLength(check, response),
  latency: (check, { latencyMs }) => checkLatency(check, latencyMs),
  cost: (check, { costUsd }) => checkCost(check, costUsd),
  tool_count: (check, { calls }) => checkToolCount(check, calls),
  valid_tool_calls: (check, evidence) => checkToolCalls(check, evidence),
};

/** What a check says that asks nobody. */
export function judgePlainly(check: CheckOf<Judged>, evidence: AnswerFacts): CheckVerdict {
  // The table has the function of each type under that type, which the compiler cannot follow.
  const judge = plainChecks[check.type] as (check: CheckOf<Judged>, evidence: AnswerFacts) => CheckVerdict;
  return judge(check, evidence);
}
