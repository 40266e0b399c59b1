import { builder } from '../builder.ts';
import { callerOf } from '../context.ts';
import { endedSuiteRun } from '../ended-suite-run.ts';
import { VerdictType } from '../objects/verdict.ts';
import { compareSuiteRuns } from '../read/compare-suite-runs.ts';

builder.queryField('compareSuiteRuns', (t) =>
  t.field({
    type: VerdictType,
    nullable: true,
    authScopes: { read: true },
    complexity: 200,
    args: {
      baseId: t.arg({ type: 'UUID', required: true, description: 'The suite run to compare with.' }),
      headId: t.arg({ type: 'UUID', required: true, description: 'The suite run that is judged.' }),
    },
    description: 'What the gate would say of any two ended suite runs; null when one does not exist or has not ended.',
    resolve: async (_root, ids, context) => {
      const sides = await Promise.all([endedSuiteRun(ids.baseId, context), endedSuiteRun(ids.headId, context)]);
      if (sides.includes(null)) return null;
      return await compareSuiteRuns(context.ports.database, callerOf(context).tenantId, ids);
    },
  }),
);
