import type { ScriptedReply } from '@proofmark/contracts/agent-file';
import { finalFailure } from '../retry/call-failure.ts';
import type { Conversation, ConversationContext } from './agent-driver.ts';

/** An agent made of data: per turn the first reply whose `contains` occurs in the user's text (absent: always). */
export function openScripted(replies: readonly ScriptedReply[], { tools }: ConversationContext): Conversation {
  return {
    async turn(userText, signal) {
      const reply = replies.find(({ contains }) => contains === undefined || userText.includes(contains));
      if (!reply) return { ok: false, failure: finalFailure('agent', 'No scripted reply matches the message') };
      for (const [index, { name, args }] of reply.tool_calls.entries()) {
        const called = await tools.call({ id: `call_${index + 1}`, name, args, argsError: null }, signal);
        if (!called.ok) return called;
      }
      if (reply.error !== undefined) return { ok: false, failure: finalFailure('agent', reply.error) };
      return { ok: true, value: { text: reply.reply, ended: reply.ended, usage: null, model: null, flags: [] } };
    },
  };
}
