import type { JsonValue } from '@proofmark/contracts/canonical-json';
import type { TokenUsage } from '@proofmark/contracts/case-outcome';
import type { ServiceMapping } from '@proofmark/contracts/service';
import { cutModel } from '@proofmark/domain/kept-text';
import { z } from 'zod';
import type { CallResult } from '../models/model-port.ts';
import { finalFailure } from '../retry/call-failure.ts';
import type { AgentTurn } from './agent-driver.ts';
import { type ReportedCall, ReportedUsage } from './agent-protocol.ts';
import { findInAnswer, valueIn } from './find-in-answer.ts';
import { parseArguments } from './parse-tool-arguments.ts';

export interface ServiceAnswer {
  turn: AgentTurn;
  /** Calls of tools that the service made. */
  calls: ReportedCall[];
}

const mostCalls = 200;
const ToolName = z.string().min(1);
const Cost = z.number().min(0).max(1e6);

/** What the answer of a service says, read where the mapping points to. Without a text it is no answer. */
export function readServiceAnswer(mapping: ServiceMapping, answer: JsonValue): CallResult<ServiceAnswer> {
  const told = errorIn(mapping.error, answer);
  if (told !== undefined) return refused(`The service failed: ${told}`);
  const text = readText(mapping, answer);
  if (!text.ok) return text;
  const calls = readCalls(mapping, answer);
  if (!calls.ok) return calls;
  const usage = readUsage(mapping, answer);
  const named = valueIn(mapping.model, answer);
  const { model, flags } = cutModel(typeof named === 'string' ? named : null);
  const cost = Cost.safeParse(valueIn(mapping.cost_usd, answer));
  const turn = {
    text: text.value,
    ended: valueIn(mapping.ended, answer) === true,
    usage: usage === 'invalid' ? null : usage,
    ...(cost.success && { costUsd: cost.data }),
    model,
    flags: [...(usage === 'invalid' ? ['usage_invalid'] : []), ...flags],
  };
  return { ok: true, value: { turn, calls: calls.value } };
}

/** What an answer says went wrong, although its status is good. */
function errorIn(path: string | undefined, answer: JsonValue): string | undefined {
  const error = valueIn(path, answer);
  if (error === undefined || error === null || error === false || error === '') return undefined;
  return typeof error === 'string' ? error : JSON.stringify(error);
}

/** The first path that holds a text; several texts at one path are joined. A list without a text is an empty answer. */
function readText({ response = [], join = '\n' }: ServiceMapping, answer: JsonValue): CallResult<string> {
  const paths = typeof response === 'string' ? [response] : response;
  let isEmpty = false;
  for (const path of paths) {
    const { values, isMany } = findInAnswer(path, answer);
    const texts = values.filter((value) => typeof value === 'string');
    if (texts.length > 0) return { ok: true, value: texts.join(join) };
    isEmpty ||= isMany;
  }
  if (isEmpty) return { ok: true, value: '' };
  return refused(`The service's answer has no text at ${paths.join(' or ')}`);
}

/** A service that called nothing may leave the list out. */
function readCalls({ tool_calls: mapped }: ServiceMapping, answer: JsonValue): CallResult<ReportedCall[]> {
  if (!mapped) return { ok: true, value: [] };
  const listed = listAt(mapped.path, answer);
  if (listed === undefined) return refused(`The service's answer has no list at ${mapped.path}`);
  const results = resultsOf(mapped, answer);
  const calls: ReportedCall[] = [];
  for (const [index, call] of listed.slice(0, mostCalls).entries()) {
    const name = ToolName.safeParse(valueIn(mapped.name, call));
    if (!name.success) return refused(`Call ${index + 1} at ${mapped.path} has no name at ${mapped.name}`);
    const id = idAt(mapped.id, call);
    const result = valueIn(mapped.result, call) ?? results.get(id) ?? null;
    calls.push({ id, name: name.data, args: argumentsAt(mapped.args, call), result });
  }
  return { ok: true, value: calls };
}

/** The entries at a path; none where nothing is, undefined where something else is. */
function listAt(path: string, answer: JsonValue): JsonValue[] | undefined {
  const { values, isMany } = findInAnswer(path, answer);
  if (isMany) return values;
  const [value = null] = values;
  if (value === null) return [];
  return Array.isArray(value) ? value : undefined;
}

function resultsOf({ results }: NonNullable<ServiceMapping['tool_calls']>, answer: JsonValue): Map<string, JsonValue> {
  if (!results) return new Map();
  const entries = (listAt(results.path, answer) ?? []).flatMap((entry): [string, JsonValue][] => {
    const id = idAt(results.id, entry);
    return id === '' ? [] : [[id, valueIn(results.result, entry) ?? null]];
  });
  return new Map(entries);
}

const idAt = (path: string | undefined, entry: JsonValue): string => {
  const id = valueIn(path, entry);
  return typeof id === 'string' || typeof id === 'number' ? String(id) : '';
};

/** Some write arguments as data, some as JSON in a text. */
function argumentsAt(path: string, call: JsonValue): JsonValue {
  const args = valueIn(path, call) ?? {};
  return typeof args === 'string' ? parseArguments(args).args : args;
}

function readUsage({ usage: mapped }: ServiceMapping, answer: JsonValue): TokenUsage | null | 'invalid' {
  if (!mapped) return null;
  const tokens = {
    prompt_tokens: valueIn(mapped.prompt_tokens, answer),
    completion_tokens: valueIn(mapped.completion_tokens, answer),
  };
  if (tokens.prompt_tokens === undefined && tokens.completion_tokens === undefined) return null;
  const usage = ReportedUsage.safeParse(tokens);
  if (!usage.success) return 'invalid';
  return { promptTokens: usage.data.prompt_tokens, completionTokens: usage.data.completion_tokens };
}

const refused = (message: string): { ok: false; failure: ReturnType<typeof finalFailure> } => ({
  ok: false,
  failure: finalFailure('agent', message),
});
