import type { ResolvedVariables } from '@proofmark/contracts/variables';
import { builder } from '../builder.ts';

export const ResolvedVariablesType = builder.objectRef<ResolvedVariables>('ResolvedVariables').implement({
  description: 'The variables as they were used, written once before anything was executed.',
  fields: (t) => ({
    values: t.field({ type: 'JSON', description: 'Name to value.', resolve: ({ values }) => values }),
    sources: t.field({
      type: 'JSON',
      description: 'Name to the level that the value came from: run, suite, test, ai_configuration, agent or type.',
      resolve: ({ sources }) => sources,
    }),
  }),
});
