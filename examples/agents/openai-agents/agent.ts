import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents';
import { z } from 'zod';

interface Asked {
  messages: { role: 'user' | 'assistant'; content: string }[];
  callTool: (name: string, args: unknown) => Promise<unknown>;
}

/** An agent of the OpenAI Agents SDK. Its tools answer from the mocks of the suite. */
export default async function agent({ messages, callTool }: Asked): Promise<string> {
  const findOrder = tool({
    name: 'find_order',
    description: 'Where an order is',
    parameters: z.object({ id: z.string() }),
    execute: async (args) => JSON.stringify(await callTool('find_order', args)),
  });
  const desk = new Agent({
    name: 'Order desk',
    instructions: 'You are an order desk.',
    model: 'gpt-4o',
    tools: [findOrder],
  });
  const modelProvider = new OpenAIProvider({
    ...(process.env.OPENAI_BASE_URL === undefined ? {} : { baseURL: process.env.OPENAI_BASE_URL }),
    useResponses: false,
  });
  const runner = new Runner({ modelProvider, tracingDisabled: true });
  const asked = messages.map(({ role, content }) => `${role}: ${content}`).join('\n');
  const { finalOutput } = await runner.run(desk, asked);
  return finalOutput ?? '';
}
