import { randomUUID } from 'node:crypto';
import type { JsonValue } from '@proofmark/contracts/canonical-json';
import { parseJson } from '@proofmark/contracts/parse-json';
import type { Service } from '@proofmark/contracts/service-presets';
import { isTooDeep } from '../models/json-depth.ts';
import type { CallResult } from '../models/model-port.ts';
import { finalFailure } from '../retry/call-failure.ts';
import type { Conversation, ConversationContext } from './agent-driver.ts';
import type { AgentReach, Program, ServiceReply } from './agent-reach.ts';
import { fillRequest } from './service-request.ts';
import { speakProtocol } from './speak-protocol.ts';

/** An agent behind a URL: one POST per message, so the runner needs no inbound connection. */
export function openHttp(service: Service, context: ConversationContext, reach: AgentReach): Conversation {
  const conversationId = randomUUID();
  const roots = { conversation_id: conversationId, variables: context.work.resolvedVariables.values as JsonValue };
  const line = {
    async exchange(message: unknown, signal: AbortSignal): Promise<CallResult<unknown>> {
      const wanted = { place: '', body: message as JsonValue, method: 'POST' as const, isTurn: true }; // put together from JSON
      const request = fillRequest(service, wanted, roots);
      if (!request.ok) return request;
      const replied = await reach.call(request.value, signal);
      return replied.ok ? readJsonReply(replied.value) : replied;
    },
    close: async () => undefined,
  };
  return speakProtocol(line, context, conversationId);
}

/** The answer of a service as JSON. */
export function readJsonReply({ text, contentType }: ServiceReply): CallResult<JsonValue> {
  if (isTooDeep(text)) return refused('The answer is nested too deeply');
  const value = parseJson(text);
  // JSON.parse gives JSON.
  if (value !== undefined) return { ok: true, value: value as JsonValue };
  const isJson = /^application\/(?:[\w.-]+\+)?json\b/i.test(contentType);
  return refused(
    isJson
      ? 'The answer is not JSON, although it says so'
      : `The answer is ${contentType || 'of no type'} instead of JSON`,
  );
}

const refused = (message: string): CallResult<never> => ({ ok: false, failure: finalFailure('agent', message) });

/** An agent that is a program: one process per conversation. */
export function openProgram(agent: Program, context: ConversationContext, reach: AgentReach): CallResult<Conversation> {
  const started = reach.start(agent);
  if (!started.ok) return started;
  const program = started.value;
  const line = {
    exchange: (message: unknown, signal: AbortSignal) => program.exchange(message, signal),
    close: () => program.stop(),
  };
  return { ok: true, value: speakProtocol(line, context, randomUUID()) };
}
