import type { LlmJudgeCheck } from '@proofmark/contracts/checks';
import type { Metric } from '@proofmark/contracts/metrics';
import { askForVerdict, judgedBlocks } from '../judge/llm-judge.ts';
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
      shows: (metric, subject) => judgedBlocks(checkOf(metric, subject), judgedIn(subject)),
      begin: () => async (attempt) => {
        const { metric, subject, models, random, signal } = attempt;
        const asked = { check: checkOf(metric, subject), judged: judgedIn(subject), models, model: modelOf(attempt) };
        const judged = await askForVerdict({ ...asked, random, signal });
        if (!judged.ok) return judged;
        const { passed, reasoning } = judged.value;
        return { ok: true, value: { raw: Number(passed), reasoning, verdict: passed } };
      },
    },
  ],
]);

/** The metric as the check of `expected_behavior` that it is. */
function checkOf({ custom_prompt, criteria }: Metric, { groundTruth }: MetricSubject): LlmJudgeCheck {
  const own = custom_prompt ?? criteria;
  return { type: 'llm_judge', expected_answer: groundTruth ?? '', ...(own ? { criteria: own } : {}) };
}

const judgedIn = ({ query: question, response, files, groundTruth, calls }: MetricSubject) => ({
  ...{ question, response, files, groundTruth, calls },
});
