import { builder } from '../builder.ts';
import { callerOf } from '../context.ts';
import { endedSuiteRun } from '../ended-suite-run.ts';
import { ComparisonType } from '../objects/comparison.ts';
import { compareSuiteRuns } from '../read/compare-suite-runs.ts';

builder.queryField('comparison', (t) =>
  t.field({
    type: ComparisonType,
    nullable: true,
    authScopes: { read: true },
    complexity: 200,
    args: {
      baseSuiteRunId: t.arg({ type: 'UUID', required: true, description: 'The suite run to compare with.' }),
      headSuiteRunId: t.arg({ type: 'UUID', required: true, description: 'The suite run that is judged.' }),
    },
    description:
      'Any two ended suite runs side by side: of two commits, two cells of a matrix or two agents. Null when one does not exist or has not ended.',
    resolve: async (_root, { baseSuiteRunId: baseId, headSuiteRunId: headId }, context) => {
      const [base, head] = await Promise.all([endedSuiteRun(baseId, context), endedSuiteRun(headId, context)]);
      if (base === null || head === null) return null;
      const { tenantId } = callerOf(context);
      return { base, head, verdict: await compareSuiteRuns(context.ports.database, tenantId, { baseId, headId }) };
    },
  }),
);
