import type { CallResult } from '../models/model-port.ts';
import { finalFailure } from '../retry/call-failure.ts';
import type { Conversation, ConversationContext } from './agent-driver.ts';
import { openService } from './mapped-service.ts';
import { openOpenAi } from './openai.ts';
import { openCommand, openHttp } from './own-agents.ts';
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
      if (!context.reach) return unreachable(driver.type);
      return {
        ok: true,
        value: driver.mapping
          ? openService(driver.url, driver.mapping, { context, reach: context.reach })
          : openHttp(driver.url, context, context.reach),
      };
    case 'command':
      return context.reach ? openCommand(driver.command, context, context.reach) : unreachable(driver.type);
  }
}

function unreachable(type: string): CallResult<never> {
  return { ok: false, failure: finalFailure('agent', `Agents of the driver "${type}" cannot be reached from here`) };
}
