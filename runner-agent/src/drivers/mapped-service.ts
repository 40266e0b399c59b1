import { randomUUID } from 'node:crypto';
import type { ServiceMapping } from '@proofmark/contracts/agent-file';
import type { JsonValue } from '@proofmark/contracts/canonical-json';
import { z } from 'zod';
import type { CallResult } from '../models/model-port.ts';
import { finalFailure } from '../retry/call-failure.ts';
import type { AgentTurn, Attachments, Conversation, ConversationContext } from './agent-driver.ts';
import type { AgentReach } from './agent-reach.ts';
import { fillTemplate } from './fill-template.ts';
import { readServiceAnswer } from './read-service-answer.ts';
import { asSent } from './speak-protocol.ts';

interface Utterance {
  [key: string]: JsonValue;
  role: 'user' | 'assistant';
  content: string;
}

/** What goes on from turn to turn. */
interface Kept {
  conversationId: string;
  session: JsonValue;
  turn: number;
  history: readonly Utterance[];
}

const Answer = z.record(z.string(), z.json());

/** A service that exists already, asked and understood by a mapping. What it keeps of a conversation hangs on its session key. */
export function openService(
  url: string,
  mapping: ServiceMapping,
  { context, reach }: { context: ConversationContext; reach: AgentReach },
): Conversation {
  let kept: Kept = { conversationId: randomUUID(), session: null, turn: 0, history: [] };
  return {
    async turn(input, signal, attachments): Promise<CallResult<AgentTurn>> {
      const request = fillTemplate(mapping.request, rootsOf(context, kept, { input, attachments }));
      if (!request.ok) return refused(`driver.mapping.request: there is nothing at ${request.missing}`);
      const answered = await reach.post(url, request.value, signal);
      if (!answered.ok) return answered;
      const answer = Answer.safeParse(answered.value);
      if (!answer.success) return refused('The service answered no JSON object');
      const read = readServiceAnswer(mapping, answer.data);
      if (!read.ok) return read;
      const { turn, calls, session } = read.value;
      kept = {
        ...kept,
        session: session ?? kept.session,
        turn: kept.turn + 1,
        history: [...kept.history, ...said(input, turn)],
      };
      for (const call of calls) context.tools.report(call);
      return { ok: true, value: turn };
    },
    async close() {
      // The service keeps its sessions as long as it likes.
    },
  };
}

/** What a template may take up. */
function rootsOf(
  { work }: ConversationContext,
  { conversationId, session, turn, history }: Kept,
  { input, attachments }: { input: string; attachments: Attachments | undefined },
): Record<string, JsonValue> {
  const { agent, resolvedVariables, seed } = work;
  const tools = agent.tools as unknown as JsonValue; // read from a file of JSON or YAML
  const files = (attachments?.files ?? []).map(asSent) as unknown as JsonValue; // facts that are stored as JSON
  const variables = resolvedVariables.values as JsonValue;
  return {
    ...{ input, session, turn, conversation_id: conversationId, seed, variables, tools, files },
    ...{ instructions: agent.instructions, history: [...history] },
  };
}

const said = (input: string, { text }: AgentTurn): Utterance[] => [
  { role: 'user', content: input },
  { role: 'assistant', content: text },
];

const refused = (message: string): CallResult<never> => ({ ok: false, failure: finalFailure('agent', message) });
