import type { SemanticSimilarityCheck } from '@proofmark/contracts/checks';
import type { CaseContext } from '../case/case-state.ts';
import type { CheckVerdict } from './check-verdict.ts';
import { cosineSimilarity, reachesThreshold } from './cosine-similarity.ts';
import { measuringCall } from './measuring-call.ts';

/** Compares the meaning of response and expected answer by their embeddings. An empty response scores 0 without a call. */
export async function measureSimilarity(
  check: SemanticSimilarityCheck,
  response: string,
  context: CaseContext,
): Promise<CheckVerdict> {
  const { threshold } = check;
  if (response === '') return scored(0, threshold);
  const model = context.work.instrument.embedding;
  if (model === null) return unmeasured(threshold, 'No embedding model is configured for the suite');
  const tried = await measuringCall(context, (signal) =>
    context.ports.models.embed(model, [response, check.expected_answer], signal),
  );
  if (!tried.ok) return unmeasured(threshold, tried.failure.message);
  const [a, b] = tried.value.vectors;
  const score = a && b ? cosineSimilarity(a, b) : undefined;
  return score === undefined
    ? unmeasured(threshold, 'The two embeddings cannot be compared')
    : scored(score, threshold);
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
