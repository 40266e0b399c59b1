import { z } from 'zod';

const TextPart = z.object({ type: z.string(), text: z.string().default('') });
const Content = z
  .union([z.string(), z.array(TextPart), z.null()])
  .optional()
  .transform((content) => (Array.isArray(content) ? content.map(({ text }) => text).join('\n') : (content ?? '')));

const Message = z.looseObject({ role: z.string(), content: Content });

/** The part of an OpenAI chat completion request that scripts look at; the rest is kept as it came. */
export const ChatRequest = z.looseObject({
  model: z.string(),
  messages: z.array(Message).min(1),
  stream: z.boolean().default(false),
  stream_options: z.looseObject({ include_usage: z.boolean().default(false) }).optional(),
});
export type ChatRequest = z.infer<typeof ChatRequest>;

/** All instructions, in order, as one text. */
export function systemText({ messages }: ChatRequest): string {
  return messages
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map(({ content }) => content)
    .join('\n');
}

/** What the user said last; empty when the user said nothing. */
export function lastUserText({ messages }: ChatRequest): string {
  return messages.findLast(({ role }) => role === 'user')?.content ?? '';
}

/** Whether the request brings the results of tool calls, so that the model is expected to speak now. */
export function bringsToolResults({ messages }: ChatRequest): boolean {
  return messages.at(-1)?.role === 'tool';
}
