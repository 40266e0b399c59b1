import type { ServiceMapping } from '@proofmark/contracts/agent-file';
import type { JsonValue } from '@proofmark/contracts/canonical-json';
import type { TokenUsage } from '@proofmark/contracts/case-outcome';
import { cutModel } from '@proofmark/domain/cut-foreign-text';
import { z } from 'zod';
import type { CallResult } from '../models/model-port.ts';
import { finalFailure } from '../retry/call-failure.ts';
import type { AgentTurn } from './agent-driver.ts';
import { type ReportedCall, ReportedUsage } from './agent-protocol.ts';
import { readPath } from './fill-template.ts';

export interface ServiceAnswer {
  turn: AgentTurn;
  /** Calls of tools that the service made. */
  calls: ReportedCall[];
  /** Undefined when the answer names none. */
  session: JsonValue | undefined;
}

type Answer = Readonly<Record<string, JsonValue>>;

const mostCalls = 200;
const ToolName = z.string().min(1);

/** What the answer of a service says, read where the mapping points to. Without a text it is no answer. */
export function readServiceAnswer(mapping: ServiceMapping, answer: Answer): CallResult<ServiceAnswer> {
  const text = readPath(mapping.response, answer);
  if (!text.ok || typeof text.value !== 'string') {
    return refused(`The service's answer has no text at ${mapping.response}`);
  }
  const calls = readCalls(mapping, answer);
  if (!calls.ok) return calls;
  const usage = readUsage(mapping, answer);
  const named = valueAt(mapping.model, answer);
  const { model, flags } = cutModel(typeof named === 'string' ? named : null);
  const turn = {
    text: text.value,
    ended: valueAt(mapping.ended, answer) === true,
    usage: usage === 'invalid' ? null : usage,
    model,
    flags: [...(usage === 'invalid' ? ['usage_invalid'] : []), ...flags],
  };
  return { ok: true, value: { turn, calls: calls.value, session: valueAt(mapping.session, answer) } };
}

/** A service that called nothing may leave the list out. */
function readCalls({ tool_calls: mapped }: ServiceMapping, answer: Answer): CallResult<ReportedCall[]> {
  const listed = mapped && valueAt(mapped.path, answer);
  if (!mapped || listed === undefined || listed === null) return { ok: true, value: [] };
  if (!Array.isArray(listed)) return refused(`The service's answer has no list at ${mapped.path}`);
  const calls: ReportedCall[] = [];
  for (const [index, listedCall] of listed.slice(0, mostCalls).entries()) {
    const at = (path: string): JsonValue | undefined => valueAt(`call.${path}`, { call: listedCall });
    const name = ToolName.safeParse(at(mapped.name));
    if (!name.success) return refused(`Call ${index + 1} at ${mapped.path} has no name at ${mapped.name}`);
    calls.push({ id: '', name: name.data, args: at(mapped.args) ?? {}, result: at(mapped.result) ?? null });
  }
  return { ok: true, value: calls };
}

function readUsage({ usage: mapped }: ServiceMapping, answer: Answer): TokenUsage | null | 'invalid' {
  if (!mapped) return null;
  const tokens = {
    prompt_tokens: valueAt(mapped.prompt_tokens, answer),
    completion_tokens: valueAt(mapped.completion_tokens, answer),
  };
  if (tokens.prompt_tokens === undefined && tokens.completion_tokens === undefined) return null;
  const usage = ReportedUsage.safeParse(tokens);
  if (!usage.success) return 'invalid';
  return { promptTokens: usage.data.prompt_tokens, completionTokens: usage.data.completion_tokens };
}

function valueAt(path: string | undefined, answer: Answer): JsonValue | undefined {
  const found = path === undefined ? undefined : readPath(path, answer);
  return found?.ok ? found.value : undefined;
}

const refused = (message: string): CallResult<never> => ({ ok: false, failure: finalFailure('agent', message) });
