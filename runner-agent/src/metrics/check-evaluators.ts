import { cosineSimilarity } from '../checks/cosine-similarity.ts';
import { freshMarker } from '../checks/fresh-marker.ts';
import { parseJudgeAnswer } from '../checks/judge-parse.ts';
import { judgeRequest } from '../checks/judge-prompt.ts';
import { unusable } from '../judge/ask-structured.ts';
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
          ? unusable('The two embeddings cannot be compared')
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
        const expected = subject.groundTruth ?? '';
        const criteria = metric.custom_prompt ?? metric.criteria;
        const check = { type: 'llm_judge' as const, expected_answer: expected, ...(criteria ? { criteria } : {}) };
        const marker = freshMarker([subject.response, expected], random);
        const answered = await models.chat(modelOf(attempt), judgeRequest(check, subject.response, marker), signal);
        if (!answered.ok) return answered;
        const verdict = answered.value.flags.includes('cut_by_model') ? null : parseJudgeAnswer(answered.value.text);
        return verdict === null
          ? unusable('The judge gave no usable verdict')
          : { ok: true, value: { raw: Number(verdict.passed), reasoning: verdict.reasoning, verdict: verdict.passed } };
      },
    },
  ],
]);
