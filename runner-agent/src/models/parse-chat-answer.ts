import type { TokenUsage } from '@proofmark/contracts/case-outcome';
import { cutModel } from '@proofmark/domain/kept-text';
import { z } from 'zod';
import { badAnswer } from './bad-answer.ts';
import type { AnswerFlag, CallResult, ChatAnswer, RequestedCall, WeighedToken } from './model-port.ts';

/** A part of an answer. Some models put their thoughts beside the text, in parts of another type. */
const Part = z.object({ type: z.string(), text: z.unknown().optional() });
export const Content = z.union([z.string(), z.array(Part).transform(textOf)]);

function textOf(parts: readonly z.infer<typeof Part>[]): string {
  return parts.map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : '')).join('');
}

const Call = z.object({
  id: z.string().nullish(),
  type: z.literal('function').nullish(),
  function: z.object({ name: z.string(), arguments: z.string().nullish() }),
});
const Choice = z.object({
  finish_reason: z.string().nullish(),
  message: z.object({
    content: Content.nullish(),
    refusal: z.string().nullish(),
    tool_calls: z.array(Call).nullish(),
  }),
  logprobs: z.unknown().optional(),
});
/** Compiled, as usage is: every answer of a model is read by them. */
const Completion = z.compile(
  z.object({
    model: z.string().nullish(),
    choices: z.array(Choice).min(1),
    usage: z.unknown().optional(),
  }),
);
type Choice = z.infer<typeof Choice>;

const count = z.int().min(0).max(1e9);
const Usage = z.compile(
  z.object({
    prompt_tokens: count,
    completion_tokens: count,
    prompt_tokens_details: z.object({ cached_tokens: count.nullish() }).nullish(),
  }),
);
export const ErrorBody = z.object({
  error: z.union([z.string(), z.object({ message: z.string() }).transform(({ message }) => message)]),
});

/** The answer in our words, or why it is none: servers send errors, HTML and empty choices with status 200. */
export function parseChatAnswer(body: unknown): CallResult<ChatAnswer> {
  // A failed parse costs more than the whole rest, so it is only tried where there may be an error.
  const failed = typeof body === 'object' && body !== null && 'error' in body ? ErrorBody.safeParse(body) : undefined;
  if (failed?.success) return badAnswer(`The provider answered with an error: ${failed.data.error}`);
  const parsed = Completion.safeParse(body);
  if (!parsed.success) return badAnswer(unexpectedShape(parsed.error));
  const [choice] = parsed.data.choices;
  if (!choice) return badAnswer('The provider answered without a choice');
  const usage = readUsage(parsed.data.usage);
  const read = readChoice(choice);
  if (!read.ok) return read;
  const { model, flags: cut } = cutModel(parsed.data.model);
  const flags = [...read.value.flags, ...(usage === 'invalid' ? (['usage_invalid'] as const) : []), ...cut];
  return { ok: true, value: { ...read.value, flags, usage: usage === 'invalid' ? null : usage, model } };
}

/** Token counts of an answer; null when there are none, `invalid` when they are nonsense. */
function readUsage(usage: unknown): TokenUsage | null | 'invalid' {
  if (usage === undefined || usage === null) return null;
  const parsed = Usage.safeParse(usage);
  if (!parsed.success) return 'invalid';
  const cachedTokens = parsed.data.prompt_tokens_details?.cached_tokens;
  return {
    promptTokens: parsed.data.prompt_tokens,
    completionTokens: parsed.data.completion_tokens,
    ...(cachedTokens ? { cachedTokens } : {}),
  };
}

function readChoice({
  finish_reason: finish,
  message,
  logprobs,
}: Choice): CallResult<Pick<ChatAnswer, 'text' | 'calls' | 'flags' | 'tokens'>> {
  if (!finish) return badAnswer('The provider broke the answer off: it has no finish_reason');
  if (!wholeAnswers.has(finish)) return badAnswer(`The provider ended the answer with finish_reason "${finish}"`);
  const calls = (message.tool_calls ?? []).map(toRequestedCall);
  const { content } = message;
  // Thoughts may have used up all tokens before the first word.
  const text = content || message.refusal || (finish === 'length' ? '' : content);
  if (typeof text !== 'string' && calls.length === 0) return badAnswer('The provider answered without content');
  const tokens = weighedTokens(logprobs);
  return {
    ok: true,
    value: { text: text ?? '', calls, flags: flagsOf(finish, message.refusal), ...(tokens && { tokens }) },
  };
}

const LogProbability = z.object({ token: z.string(), logprob: z.number().max(0) });
const LogProbabilities = z.object({
  content: z.array(LogProbability.extend({ top_logprobs: z.array(LogProbability).default([]) })),
});

/** The tokens of an answer with their rivals; undefined where the model does not tell. */
function weighedTokens(logprobs: unknown): WeighedToken[] | undefined {
  if (logprobs === undefined || logprobs === null) return undefined;
  return LogProbabilities.safeParse(logprobs).data?.content.map(({ token, top_logprobs }) => ({
    token,
    alternatives: top_logprobs.map((one) => ({ token: one.token, logProbability: one.logprob })),
  }));
}

const wholeAnswers: ReadonlySet<string> = new Set(['stop', 'length', 'tool_calls', 'function_call']);

function toRequestedCall(call: z.infer<typeof Call>): RequestedCall {
  return { id: call.id ?? '', name: call.function.name, arguments: call.function.arguments ?? '' };
}

function flagsOf(finish: string, refusal: string | null | undefined): AnswerFlag[] {
  return [...(finish === 'length' ? (['cut_by_model'] as const) : []), ...(refusal ? (['refusal'] as const) : [])];
}

/** That an answer is none of ours, and where. */
export function unexpectedShape(error: z.ZodError): string {
  const [issue] = error.issues;
  const where = issue ? `${issue.path.join('.') || 'root'}: ${issue.message}` : 'unknown';
  return `The provider's answer has an unexpected shape (${where})`;
}
