import type { ProgressStep } from '@proofmark/contracts/case-outcome';
import { builder } from '../builder.ts';

export const ProgressStepType = builder.objectRef<ProgressStep>('ProgressStep').implement({
  description: 'A state that an attempt at a test run went through.',
  fields: (t) => ({
    state: t.exposeString('state', {
      description:
        'PENDING, PROCESSING_FILES, FILES_READY or FILES_FAILED, EXECUTING_AGENT, AGENT_COMPLETE or AGENT_FAILED, EVALUATING, COMPLETE or EVALUATION_FAILED.',
    }),
    atMs: t.exposeFloat('atMs', { description: 'When, in milliseconds since the attempt began.' }),
  }),
});
