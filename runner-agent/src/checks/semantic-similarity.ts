import type { SemanticSimilarityCheck } from '@proofmark/contracts/checks';
import type { CaseContext } from '../case/case-state.ts';
import type { CheckVerdict } from './check-verdict.ts';
import { compareMeaning } from './compare-meaning.ts';
import { reachesThreshold } from './cosine-similarity.ts';
import { measuringCall } from './measuring-call.ts';

/** Compares the meaning of response and expected answer by their embeddings. An empty response scores 0 without a call. */
export async function measureSimilarity(
  check: SemanticSimilarityCheck,
  response: string,
  context: CaseContext,
): Promise<CheckVerdict> {
  const { threshold } = check;
  if (response.trim() === '') return scored(0, threshold);
  const model = context.work.instrument.embedding;
  if (model === null) return unmeasured(threshold, 'No embedding model is configured for the suite');
  const { models } = context.ports;
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
