import { builder } from '../builder.ts';
import { callerOf, type GraphqlContext } from '../context.ts';
import { VerdictType } from '../objects/verdict.ts';
import { compareSuiteRuns } from '../read/compare-suite-runs.ts';
import { visibleRun } from '../visible-runs.ts';

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
      const haveEnded = (await isEnded(ids.baseId, context)) && (await isEnded(ids.headId, context));
      return haveEnded ? await compareSuiteRuns(context.ports.database, callerOf(context).tenantId, ids) : null;
    },
  }),
);

async function isEnded(id: string, context: GraphqlContext): Promise<boolean> {
  const suiteRun = await context.loaders.suiteRun.load(id);
  return suiteRun !== null && suiteRun.completedAt !== null && (await visibleRun(context, suiteRun.runId)) !== null;
}
