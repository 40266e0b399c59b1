import { type Service, settledService } from '@proofmark/contracts/service-presets';
import type { CallResult } from '../models/model-port.ts';
import { finalFailure } from '../retry/call-failure.ts';
import type { Conversation, ConversationContext } from './agent-driver.ts';
import type { AgentReach } from './agent-reach.ts';
import { openService } from './mapped-service.ts';
import { openOpenAi } from './openai.ts';
import { openHttp, openProgram } from './own-agents.ts';
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
      return context.reach
        ? { ok: true, value: openBehindUrl(settledService(driver), context, context.reach) }
        : unreachable(driver.type);
    case 'command':
      return context.reach ? openProgram(driver, context, context.reach) : unreachable(driver.type);
    case 'module': {
      const program = { module: driver.file, export: driver.export, as: 'agent' as const };
      return context.reach ? openProgram(program, context, context.reach) : unreachable(driver.type);
    }
  }
}

const openBehindUrl = (service: Service, context: ConversationContext, reach: AgentReach): Conversation =>
  service.mapping ? openService(service, service.mapping, { context, reach }) : openHttp(service, context, reach);

function unreachable(type: string): CallResult<never> {
  return { ok: false, failure: finalFailure('agent', `Agents of the driver "${type}" cannot be reached from here`) };
}
