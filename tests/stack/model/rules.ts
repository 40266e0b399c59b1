import { z } from 'zod';
import { bringsToolResults, type ChatRequest, lastUserText, systemText } from './chat-request.ts';

const texts = z.union([z.string(), z.array(z.string())]);

/** Every text given here must occur, whatever its case; an absent field matches all. */
export const Condition = z.strictObject({
  system: texts.optional(),
  user: texts.optional(),
  model: z.string().optional(),
});
export type Condition = z.infer<typeof Condition>;

/** One answer of the scripted model, as data. Tool calls come first, the reply once their results are in the conversation. */
export const Rule = z.strictObject({
  when: Condition.optional(),
  reply: z.string().optional(),
  toolCalls: z.array(z.strictObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()) })).optional(),
  finishReason: z.string().optional(),
  delayMs: z.number().optional(),
  /** Answers with this status and an OpenAI error body instead. */
  status: z.number().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  /** Never answers. */
  hangs: z.boolean().optional(),
});

/** A rule in test code may compute its reply. */
export type Rule = Omit<z.infer<typeof Rule>, 'reply'> & {
  reply?: string | ((request: ChatRequest) => string) | undefined;
};

export type ScriptedAnswer = { text: string; toolCalls: NonNullable<Rule['toolCalls']>; finishReason: string };

/** Whether the request has every text of the condition. */
export function matches({ system, user, model }: Condition, request: ChatRequest): boolean {
  return (
    contains(systemText(request), system) &&
    contains(lastUserText(request), user) &&
    (model === undefined || model === request.model)
  );
}

/** The first rule for this request; undefined when the script has none. */
export function findRule(rules: readonly Rule[], request: ChatRequest): Rule | undefined {
  return rules.find(({ when = {} }) => matches(when, request));
}

/** What the rule makes the model say or call. */
export function answerOf({ reply = '', toolCalls = [], finishReason }: Rule, request: ChatRequest): ScriptedAnswer {
  if (toolCalls.length > 0 && !bringsToolResults(request))
    return { text: '', toolCalls, finishReason: finishReason ?? 'tool_calls' };
  const text = typeof reply === 'string' ? reply : reply(request);
  return { text, toolCalls: [], finishReason: finishReason ?? 'stop' };
}

function contains(text: string, wanted: string | string[] = []): boolean {
  const lower = text.toLowerCase();
  return [wanted].flat().every((part) => lower.includes(part.toLowerCase()));
}
