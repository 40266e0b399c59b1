import { builder } from '../builder.ts';
import { SuiteRunType } from '../objects/suite-run.ts';
import { visibleRun } from '../visible-runs.ts';

builder.queryField('suiteRun', (t) =>
  t.field({
    type: SuiteRunType,
    nullable: true,
    authScopes: { read: true },
    args: { id: t.arg({ type: 'UUID', required: true, description: 'Id of the suite run.' }) },
    description: 'One suite run; null when there is none with this id.',
    resolve: async (_root, { id }, context) => {
      const suiteRun = await context.loaders.suiteRun.load(id);
      return suiteRun !== null && (await visibleRun(context, suiteRun.runId)) !== null ? suiteRun : null;
    },
  }),
);
