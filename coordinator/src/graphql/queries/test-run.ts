import { builder } from '../builder.ts';
import { callerOf } from '../context.ts';
import { TestRunType } from '../objects/test-run.ts';
import { readTestRun } from '../read/test-run-view.ts';
import { visibleRun } from '../visible-runs.ts';

builder.queryField('testRun', (t) =>
  t.field({
    type: TestRunType,
    nullable: true,
    authScopes: { read: true },
    args: { id: t.arg({ type: 'UUID', required: true, description: 'Id of the test run.' }) },
    description: 'One test run; null when there is none with this id.',
    resolve: async (_root, { id }, context) => {
      const testRun = await readTestRun(context.ports.database, callerOf(context).tenantId, id);
      const suiteRun = testRun === null ? null : await context.loaders.suiteRun.load(testRun.suiteRunId);
      return suiteRun !== null && (await visibleRun(context, suiteRun.runId)) !== null ? testRun : null;
    },
  }),
);
