import type { OutcomeCriterion, OutcomesVerdict } from '@proofmark/contracts/case-outcome';
import { builder } from '../builder.ts';

const OutcomeCriterionType = builder.objectRef<OutcomeCriterion>('OutcomeCriterion').implement({
  description: 'What the judge decided about one expected outcome.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Its key in the case, or `override` for criteria of the team’s own.' }),
    requirement: t.exposeString('requirement', { description: 'What had to be true at the end.' }),
    reasoning: t.exposeString('reasoning', { description: 'Why. Written by a model: never trust it.' }),
    status: t.exposeString('status', { description: 'passed, failed or inconclusive.' }),
  }),
});

export const OutcomesVerdictType = builder.objectRef<OutcomesVerdict>('OutcomesVerdict').implement({
  description: 'What the judge says about the expected outcomes of one test run.',
  fields: (t) => ({
    passed: t.exposeBoolean('passed', { nullable: true, description: 'Null when they could not be judged.' }),
    score: t.exposeFloat('score', { nullable: true, description: 'Share of outcomes that were reached, 0 to 1.' }),
    criteria: t.field({
      type: [OutcomeCriterionType],
      complexity: { field: 1, multiplier: 2 },
      description: 'One decision per expected outcome.',
      resolve: ({ criteria }) => criteria,
    }),
    error: t.exposeString('error', { nullable: true, description: 'Why there is no verdict.' }),
    injectionAttempt: t.exposeBoolean('injectionAttempt', {
      description: 'Whether the judge saw an attempt to instruct it. It decides nothing.',
    }),
    judgeHash: t.exposeString('judgeHash', {
      nullable: true,
      description: 'Of models, parameters, prompts and rubric: verdicts are comparable only when it is equal.',
    }),
  }),
});
