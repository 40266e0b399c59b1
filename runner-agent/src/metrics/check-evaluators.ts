import { askForVerdict } from '../judge/llm-judge.ts';
import { compareMeaning } from '../judge/similarity.ts';
import { type Evaluator, modelOf } from './evaluator.ts';
import type { MetricSubject } from './metric-subject.ts';

const common = {
  kind: 'check',
  scale: { min: 0, max: 1 },
  missingInput: (_metric: unknown, { groundTruth }: MetricSubject) =>
    groundTruth === null || groundTruth.trim() === '' ? 'ground_truth' : undefined,
} as const;

const onlyBeginnings = 'Only the beginnings were compared: the texts are longer than the model takes';

/** The checks of `expected_behavior` that may also be listed as metrics; the expected answer is the case's `ground_truth`. */
export const checkEvaluators: ReadonlyMap<string, Evaluator> = new Map<string, Evaluator>([
  [
    'semantic_similarity',
    {
      ...common,
      asks: 'embedding',
      begin: () => async (attempt) => {
        const { models, signal, subject } = attempt;
        const texts = [subject.response, subject.groundTruth ?? ''] as const;
        const compared = await compareMeaning({ models, model: modelOf(attempt), texts, signal });
        if (!compared.ok) return compared;
        const { similarity: raw, isCut } = compared.value;
        return { ok: true, value: { raw, reasoning: isCut ? onlyBeginnings : null, verdict: null } };
      },
    },
  ],
  [
    'llm_judge',
    {
      ...common,
      asks: 'chat',
      shows: (_metric, { response, groundTruth }) => [
        { title: 'Expected answer', text: groundTruth ?? '' },
        { title: 'Answer of the agent', text: response },
      ],
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
