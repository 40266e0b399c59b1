import { cosineSimilarity } from '../checks/cosine-similarity.ts';
import { askForVerdict } from '../checks/llm-judge.ts';
import { badAnswer } from '../models/bad-answer.ts';
import type { Evaluator } from './evaluator.ts';
import { modelOf } from './evaluator.ts';
import type { MetricSubject } from './metric-subject.ts';

const common = {
  kind: 'check',
  scale: { min: 0, max: 1 },
  missingInput: (_metric: unknown, { groundTruth }: MetricSubject) =>
    groundTruth === null || groundTruth.trim() === '' ? 'ground_truth' : undefined,
} as const;

/** The checks of `expected_behavior` that may also be listed as metrics; the expected answer is the case's `ground_truth`. */
export const checkEvaluators: ReadonlyMap<string, Evaluator> = new Map<string, Evaluator>([
  [
    'semantic_similarity',
    {
      ...common,
      asks: 'embedding',
      begin: () => async (attempt) => {
        const { response, groundTruth } = attempt.subject;
        const answered = await attempt.models.embed(modelOf(attempt), [response, groundTruth ?? ''], attempt.signal);
        if (!answered.ok) return answered;
        const [a, b] = answered.value.vectors;
        const raw = a && b ? cosineSimilarity(a, b) : undefined;
        return raw === undefined
          ? badAnswer('The two embeddings cannot be compared')
          : { ok: true, value: { raw, reasoning: null, verdict: null } };
      },
    },
  ],
  [
    'llm_judge',
    {
      ...common,
      asks: 'chat',
      begin: () => async (attempt) => {
        const { metric, subject, models, random, signal } = attempt;
        const criteria = metric.custom_prompt ?? metric.criteria;
        const check = {
          type: 'llm_judge' as const,
          expected_answer: subject.groundTruth ?? '',
          ...(criteria ? { criteria } : {}),
        };
        const { response } = subject;
        const judged = await askForVerdict({ check, response, models, model: modelOf(attempt), random, signal });
        if (!judged.ok) return judged;
        const { passed, reasoning } = judged.value;
        return { ok: true, value: { raw: Number(passed), reasoning, verdict: passed } };
      },
    },
  ],
]);
