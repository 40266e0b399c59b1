import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { Instrument } from '@proofmark/contracts/case-work';
import type { SemanticSimilarityCheck } from '@proofmark/contracts/checks';
import { truncateResponse } from '@proofmark/domain/kept-text';
import type { CheckVerdict } from '../checks/check-verdict.ts';
import { badAnswer } from '../models/bad-answer.ts';
import type { CallResult, ModelPort } from '../models/model-port.ts';
import { type MeasuringContext, measuringCall } from './ask-structured.ts';

/** The cosine of two vectors in [-1, 1]; 0 when one of them is zero, undefined when their lengths differ or a part is not finite. */
export function cosineSimilarity(a: readonly number[], b: readonly number[]): number | undefined {
  if (a.length !== b.length || a.length === 0) return undefined;
  let [dot, squareA, squareB] = [0, 0, 0];
  for (const [index, x] of a.entries()) {
    const y = b[index] ?? Number.NaN;
    dot += x * y;
    squareA += x * x;
    squareB += y * y;
  }
  if (!Number.isFinite(dot) || !Number.isFinite(squareA) || !Number.isFinite(squareB)) return undefined;
  if (squareA === 0 || squareB === 0) return 0;
  // Rounding may leave the range by a hair, and a score of 1.0000000000000002 is not one.
  return Math.min(1, Math.max(-1, dot / (Math.sqrt(squareA) * Math.sqrt(squareB))));
}

/** A score a rounding error below the threshold still passes. */
export function reachesThreshold(score: number, threshold: number): boolean {
  return score >= threshold - 1e-9;
}

/** Characters that embedding models of 8,191 tokens take: of most texts, and of every text whatever its script. */
const usualCharacters = 24_000;
const surelyTaken = 6_000;

interface ComparedMeaning {
  similarity: number;
  /** Only the beginning of a text was compared, because models take no more. */
  isCut: boolean;
}

interface MeaningQuestion {
  models: ModelPort;
  model: ModelSettings;
  texts: readonly [string, string];
  signal: AbortSignal;
}

/** One try of comparing what two texts mean. A text that the provider finds too long is sent again with less of it. */
export async function compareMeaning(question: MeaningQuestion): Promise<CallResult<ComparedMeaning>> {
  const compared = await compareCut(question, usualCharacters);
  const isTooLong = question.texts.some((text) => text.length > surelyTaken);
  if (compared.ok || !isTooLong || isLasting(compared.failure)) return compared;
  return await compareCut(question, surelyTaken);
}

/** What another length of the text would not change. */
const isLasting = ({ retryable, isRefusal, isNotAsked, isAnswer }: Failure): boolean =>
  retryable || isRefusal === true || isNotAsked === true || isAnswer === true;

type Failure = Extract<CallResult<never>, { ok: false }>['failure'];

async function compareCut(
  { models, model, texts, signal }: MeaningQuestion,
  most: number,
): Promise<CallResult<ComparedMeaning>> {
  const sent = texts.map((text) => truncateResponse(text, most));
  const answered = await models.embed(
    model,
    sent.map(({ text }) => text),
    signal,
  );
  if (!answered.ok) return answered;
  const [a, b] = answered.value.vectors;
  const similarity = a && b ? cosineSimilarity(a, b) : undefined;
  if (similarity === undefined) return badAnswer('The two embeddings cannot be compared');
  return { ok: true, value: { similarity, isCut: sent.some(({ isTruncated }) => isTruncated) } };
}

/** Compares the meaning of response and expected answer by their embeddings. An empty response scores 0 without a call. */
export async function measureSimilarity(
  check: SemanticSimilarityCheck,
  response: string,
  context: MeasuringContext & { work: { instrument: Pick<Instrument, 'embedding'> } },
): Promise<CheckVerdict> {
  const { threshold } = check;
  if (response.trim() === '') return scored(0, threshold);
  const model = context.work.instrument.embedding;
  if (model === null) return unmeasured(threshold, 'No embedding model is configured for the suite');
  const { models } = context;
  const texts = [response, check.expected_answer] as const;
  const tried = await measuringCall(context, (signal) => compareMeaning({ models, model, texts, signal }));
  if (!tried.ok) return unmeasured(threshold, tried.failure.message);
  const { similarity, isCut } = tried.value;
  const compared = scored(similarity, threshold);
  return isCut ? { ...compared, details: { ...compared.details, truncated: true } } : compared;
}

function scored(similarityScore: number, threshold: number): CheckVerdict {
  return {
    status: reachesThreshold(similarityScore, threshold) ? 'pass' : 'fail',
    details: { similarityScore, threshold },
  };
}

function unmeasured(threshold: number, error: string): CheckVerdict {
  return { status: 'error', details: { similarityScore: null, threshold }, error };
}
