import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { CaseWork } from '@proofmark/contracts/case-work';
import type { z } from 'zod';
import { badAnswer, retryUnusable } from '../models/bad-answer.ts';
import type { CallResult, ChatAnswer, ChatPort, ChatRequest, ModelPort } from '../models/model-port.ts';
import { finalFailure } from '../retry/call-failure.ts';
import { type RetryPorts, type Tried, tryAgain } from '../retry/try-again.ts';
import { extractAnswer } from './extract-answer.ts';

export interface Question<Shape extends z.ZodType> {
  model: ModelSettings;
  request: ChatRequest;
  /** What a usable answer is. Keys that it does not know are ignored. */
  shape: Shape;
  /** Why a value of that shape is no usable answer all the same. */
  problemOf?: (value: z.output<Shape>) => string | undefined;
  /** What an answer without a word means; absent: it is unusable. */
  silence?: z.output<Shape>;
  /** Who is asked, for error messages: "The judge". */
  who: string;
}

export interface StructuredAnswer<T> extends Pick<ChatAnswer, 'tokens'> {
  value: T;
  /** Word for word. */
  text: string;
}

/**
 * One try of asking a model for a JSON object. An answer that cannot be used is sent back once with what is wrong with it;
 * one that was cut, refused or calls a tool is unusable, which is a failed try that may be repeated.
 */
export async function askStructured<Shape extends z.ZodType>(
  models: ChatPort,
  question: Question<Shape>,
  signal: AbortSignal,
): Promise<CallResult<StructuredAnswer<z.output<Shape>>>> {
  const first = await askForShape(models, question, { request: question.request, signal });
  if (first.kind !== 'unusable') return first.result;
  const second = await askForShape(models, question, { request: repair(question.request, first), signal });
  if (second.kind !== 'unusable') return second.result;
  const { failure } = badAnswer(`${question.who} gave no usable answer: ${second.problem}`);
  return { ok: false, failure: { ...failure, wasRepaired: true } };
}

type Heard<T> =
  | { kind: 'final'; result: CallResult<StructuredAnswer<T>> }
  /** Worth sending back. */
  | { kind: 'unusable'; text: string; problem: string };

async function askForShape<Shape extends z.ZodType>(
  models: ChatPort,
  { model, shape, problemOf, silence, who }: Question<Shape>,
  { request, signal }: { request: ChatRequest; signal: AbortSignal },
): Promise<Heard<z.output<Shape>>> {
  const answered = await models.chat(model, request, signal);
  if (!answered.ok) return { kind: 'final', result: answered };
  const problem = answerProblem(answered.value);
  if (problem !== undefined) return { kind: 'final', result: badAnswer(`${who} ${problem}`) };
  const { text, tokens } = answered.value;
  if (silence !== undefined && text.trim() === '')
    return { kind: 'final', result: { ok: true, value: { value: silence, text } } };
  const read = extractAnswer(text, shape, shownIn(request));
  const unusable = read.ok ? problemOf?.(read.value) : read.problem;
  if (unusable !== undefined) return { kind: 'unusable', text, problem: unusable };
  if (!read.ok) throw new Error('An answer without a value has a problem');
  return { kind: 'final', result: { ok: true, value: { value: read.value, text, ...(tokens && { tokens }) } } };
}

/** What others have written of what the model reads. */
const shownIn = ({ messages }: ChatRequest): string[] =>
  messages.flatMap((message) => (message.role === 'user' ? [message.content] : []));

const quotedCharacters = 4_000;

/** The same question with the answer and what is wrong with it. */
function repair(request: ChatRequest, { text, problem }: { text: string; problem: string }): ChatRequest {
  const asked =
    'Your answer cannot be used: ' +
    `${problem}. Answer again with one JSON object and nothing else, in the form that was described: ` +
    `${JSON.stringify(request.schema?.schema ?? {})}`;
  // Some servers want both sides to speak in turn, and no empty message.
  const content = text.slice(0, quotedCharacters).toWellFormed().trim() || '(no text)';
  return {
    ...request,
    messages: [...request.messages, { role: 'assistant', content }, { role: 'user', content: asked }],
  };
}

/** The verdict hangs on something that the model was not shown: asking again changes nothing. */
export function leftOpen(reason: string): CallResult<never> {
  return { ok: false, failure: finalFailure('agent', `inconclusive: ${reason || 'what decides was left out'}`) };
}

/** Why an answer cannot be the whole of what was asked for; undefined when it can. */
function answerProblem({ flags, calls }: ChatAnswer): string | undefined {
  if (flags.includes('cut_by_model')) return 'ran out of tokens before its answer was whole';
  if (flags.includes('refusal')) return 'refused to answer';
  return calls.length > 0 ? 'called a tool instead of answering' : undefined;
}

const measuringTries = 2;

/** What a measuring call needs of a case, or of whoever measures without one. */
export interface MeasuringContext {
  work: Pick<CaseWork, 'limits'>;
  ports: RetryPorts;
  models: ModelPort;
  signal: AbortSignal;
  deadlineAtMs: number;
}

/** A call of the measuring side (judge, embeddings): two tries. Sending an unusable answer back was its second try. */
export function measuringCall<T>(
  { work, ports, signal, deadlineAtMs }: Omit<MeasuringContext, 'models'>,
  attempt: (signal: AbortSignal) => Promise<CallResult<T>>,
): Promise<Tried<T>> {
  return tryAgain(ports, {
    tries: measuringTries,
    timeoutMs: work.limits.agentTimeoutMs,
    signal,
    deadlineAtMs,
    attempt: async (trySignal) => {
      const answered = await attempt(trySignal);
      return !answered.ok && answered.failure.wasRepaired ? answered : retryUnusable(answered);
    },
  });
}
