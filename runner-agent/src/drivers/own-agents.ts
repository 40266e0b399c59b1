import { randomUUID } from 'node:crypto';
import type { CallResult } from '../models/model-port.ts';
import type { Conversation, ConversationContext } from './agent-driver.ts';
import type { AgentReach } from './agent-reach.ts';
import { speakProtocol } from './speak-protocol.ts';

/** An agent behind a URL: one POST per message, so the runner needs no inbound connection. */
export function openHttp(url: string, context: ConversationContext, reach: AgentReach): Conversation {
  const line = {
    exchange: (message: unknown, signal: AbortSignal) => reach.post(url, message, signal),
    close: async () => undefined,
  };
  return speakProtocol(line, context, randomUUID());
}

/** An agent that is a program: one process per conversation. */
export function openCommand(
  command: readonly string[],
  context: ConversationContext,
  reach: AgentReach,
): CallResult<Conversation> {
  const started = reach.start(command);
  if (!started.ok) return started;
  const program = started.value;
  const line = {
    exchange: (message: unknown, signal: AbortSignal) => program.exchange(message, signal),
    close: () => program.stop(),
  };
  return { ok: true, value: speakProtocol(line, context, randomUUID()) };
}
