import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { z } from 'zod';
import { badAnswer } from '../models/bad-answer.ts';
import type { CallResult, ChatAnswer, ChatRequest, ModelPort } from '../models/model-port.ts';
import { parseWholeJson } from './whole-json.ts';

export interface Question<Shape extends z.ZodType> {
  model: ModelSettings;
  request: ChatRequest;
  /** What a usable answer is. Unknown keys are refused by it. */
  shape: Shape;
  /** Who is asked, for error messages: "The judge". */
  who: string;
}

export interface StructuredAnswer<T> {
  value: T;
  /** Word for word. */
  text: string;
}

/** Providers that enforce a JSON schema, so that their whole message must be the object. */
const structuredProviders: ReadonlySet<string> = new Set(['openai', 'azure', 'azure_openai']);

/** Whether the provider makes the model keep to the schema of a request. */
export const enforcesSchema = ({ provider }: ModelSettings): boolean => structuredProviders.has(provider);

/**
 * One try of asking a model for a JSON object. The whole message counts, never a part of it; an answer that was cut,
 * refused, holds tool calls or does not fit is unusable, which is a failed try that may be repeated.
 */
export async function askStructured<Shape extends z.ZodType>(
  models: ModelPort,
  { model, request, shape, who }: Question<Shape>,
  signal: AbortSignal,
): Promise<CallResult<StructuredAnswer<z.output<Shape>>>> {
  const answered = await models.chat(model, request, signal);
  if (!answered.ok) return answered;
  const problem = answerProblem(answered.value);
  if (problem !== undefined) return badAnswer(`${who} ${problem}`);
  const { text } = answered.value;
  const parsed = shape.safeParse(parseWholeJson(text, { allowsFence: !enforcesSchema(model) }));
  return parsed.success ? { ok: true, value: { value: parsed.data, text } } : badAnswer(`${who} gave no usable answer`);
}

/** Why an answer cannot be the whole of what was asked for; undefined when it can. */
export function answerProblem({ flags, calls }: ChatAnswer): string | undefined {
  if (flags.includes('cut_by_model')) return 'ran out of tokens before its answer was whole';
  if (flags.includes('refusal')) return 'refused to answer';
  return calls.length > 0 ? 'called a tool instead of answering' : undefined;
}
