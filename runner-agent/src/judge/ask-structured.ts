import { type ModelSettings, providerNamed } from '@proofmark/contracts/ai-configuration';
import type { CaseWork } from '@proofmark/contracts/case-work';
import type { z } from 'zod';
import { badAnswer, retryUnusable } from '../models/bad-answer.ts';
import { isTooDeep } from '../models/json-depth.ts';
import type { CallResult, ChatAnswer, ChatRequest, ModelPort } from '../models/model-port.ts';
import { type RetryPorts, type Tried, tryAgain } from '../retry/try-again.ts';

export interface Question<Shape extends z.ZodType> {
  model: ModelSettings;
  request: ChatRequest;
  /** What a usable answer is. Unknown keys are refused by it. */
  shape: Shape;
  /** Who is asked, for error messages: "The judge". */
  who: string;
}

interface StructuredAnswer<T> {
  value: T;
  /** Word for word. */
  text: string;
}

/** Whether the provider makes the model keep to the schema of a request. */
export const enforcesSchema = ({ provider }: ModelSettings): boolean =>
  providerNamed(provider)?.enforcesSchema === true;

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

const measuringTries = 2;

/** What a measuring call needs of a case, or of whoever measures without one. */
export interface MeasuringContext {
  work: Pick<CaseWork, 'limits'>;
  ports: RetryPorts & { models: ModelPort };
  signal: AbortSignal;
  deadlineAtMs: number;
}

/** A call of the measuring side (judge, embeddings): two tries, an unusable answer counting as a failed one. */
export function measuringCall<T>(
  { work, ports, signal, deadlineAtMs }: MeasuringContext,
  attempt: (signal: AbortSignal) => Promise<CallResult<T>>,
): Promise<Tried<T>> {
  return tryAgain(ports, {
    tries: measuringTries,
    timeoutMs: work.limits.agentTimeoutMs,
    signal,
    deadlineAtMs,
    attempt: async (trySignal) => retryUnusable(await attempt(trySignal)),
  });
}

/**
 * The JSON value that the whole text is, or undefined. With `allowsFence` also one fenced block at its end with no brace
 * and no other fence outside of it, so that an echoed forgery is never taken for the answer.
 */
export function parseWholeJson(text: string, { allowsFence = false } = {}): unknown {
  const json = (allowsFence ? fencedBlock(text) : undefined) ?? text;
  if (isTooDeep(json)) return undefined;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const fence = '```';

function fencedBlock(text: string): string | undefined {
  const whole = text.trimEnd();
  const start = whole.indexOf(fence);
  const end = whole.lastIndexOf(fence);
  const isAtEnd = end > start && end + fence.length === whole.length;
  if (!isAtEnd || whole.indexOf(fence, start + fence.length) !== end) return undefined;
  if (/[{}]/.test(whole.slice(0, start))) return undefined;
  const [, block] = /^(?:json)?[ \t]*\r?\n([\s\S]*)$/.exec(whole.slice(start + fence.length, end)) ?? [];
  return block;
}
