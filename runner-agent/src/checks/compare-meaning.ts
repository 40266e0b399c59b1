import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import { truncateResponse } from '@proofmark/domain/truncate-response';
import { badAnswer } from '../models/bad-answer.ts';
import type { CallResult, ModelPort } from '../models/model-port.ts';
import { cosineSimilarity } from './cosine-similarity.ts';

/** Characters that embedding models of 8,191 tokens take: of most texts, and of every text whatever its script. */
const usualCharacters = 24_000;
const surelyTaken = 6_000;

export interface ComparedMeaning {
  similarity: number;
  /** Only the beginning of a text was compared, because models take no more. */
  isCut: boolean;
}

export interface MeaningQuestion {
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
