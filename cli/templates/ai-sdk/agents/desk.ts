import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, stepCountIs, tool } from 'ai';
import { z } from 'zod';

interface Asked {
  messages: { role: 'user' | 'assistant'; content: string }[];
  callTool: (name: string, args: unknown) => Promise<unknown>;
}

/** An agent of the Vercel AI SDK. Its tools answer from the mocks of the suite. */
export default async function agent({ messages, callTool }: Asked) {
  const provider = createOpenAICompatible({
    name: 'shop',
    baseURL: process.env.OPENAI_BASE_URL ?? 'https://api.openai.com/v1',
    ...(process.env.OPENAI_API_KEY === undefined ? {} : { apiKey: process.env.OPENAI_API_KEY }),
  });
  const findOrder = tool({
    description: 'Where an order is',
    inputSchema: z.object({ id: z.string() }),
    execute: (args) => callTool('find_order', args),
  });
  const { text, totalUsage } = await generateText({
    model: provider('gpt-4o'),
    system: 'You are an order desk.',
    messages,
    tools: { find_order: findOrder },
    stopWhen: stepCountIs(5),
  });
  const usage = { prompt_tokens: totalUsage.inputTokens ?? 0, completion_tokens: totalUsage.outputTokens ?? 0 };
  return { output: text, usage };
}
