import type { CheckResult } from '@proofmark/contracts/case-outcome';
import { builder } from '../builder.ts';

export const CheckResultType = builder.objectRef<CheckResult>('CheckResult').implement({
  description: 'The verdict of one check about one test run.',
  fields: (t) => ({
    index: t.exposeInt('checkIndex', { description: 'Position of the check in the case, from 0.' }),
    type: t.exposeString('checkType', {
      description: 'Which kind of check: contains_phrases, semantic_similarity, llm_judge.',
    }),
    status: t.exposeString('status', { description: 'pass, fail, or error when the check itself could not be made.' }),
    passed: t.exposeBoolean('passed', { description: 'Whether it passed; an error is not a pass.' }),
    details: t.field({
      type: 'JSON',
      description: 'Why: phrases found and missing, similarity, or the reasoning.',
      resolve: ({ details }) => details,
    }),
    error: t.exposeString('error', { nullable: true, description: 'Why the check could not be made.' }),
  }),
});
