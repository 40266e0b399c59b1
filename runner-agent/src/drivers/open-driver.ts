import type { CallResult } from '../models/model-port.ts';
import { finalFailure } from '../retry/call-failure.ts';
import type { Conversation, ConversationContext } from './agent-driver.ts';
import { openOpenAi } from './openai.ts';
import { openScripted } from './scripted.ts';

/** A conversation with the agent of the case; each belongs to one test run and shares nothing with another. */
export function openDriver(context: ConversationContext): CallResult<Conversation> {
  const { driver } = context.work.agent;
  switch (driver.type) {
    case 'scripted':
      return { ok: true, value: openScripted(driver.replies, context) };
    case 'openai':
      return openOpenAi(context);
    case 'http':
    case 'command':
      return { ok: false, failure: finalFailure('agent', `The agent driver "${driver.type}" is not available yet`) };
  }
}
