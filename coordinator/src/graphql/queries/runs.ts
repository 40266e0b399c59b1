import { builder } from '../builder.ts';
import { costOfPage, pageArguments, readPage } from '../connection.ts';
import { callerOf } from '../context.ts';
import { RunConnectionType } from '../objects/run.ts';
import { RunStatusType } from '../objects/run-status.ts';
import { listRuns } from '../read/read-runs.ts';
import { boundsOf } from '../visible-runs.ts';

const Filter = builder.inputType('RunFilter', {
  description: 'Which runs; what is absent allows all.',
  fields: (t) => ({
    status: t.field({ type: RunStatusType, description: 'Where they stand.' }),
    repository: t.string({ description: 'Owner and name.' }),
    pullRequest: t.int({ description: 'Number of the pull request.' }),
    headSha: t.string({ description: 'The commit that was run.' }),
    isBase: t.boolean({ description: 'Whether others are compared with them.' }),
    createdAfter: t.field({ type: 'DateTime', description: 'Accepted later than this.' }),
    createdBefore: t.field({ type: 'DateTime', description: 'Accepted earlier than this.' }),
  }),
});

builder.queryField('runs', (t) =>
  t.field({
    type: RunConnectionType,
    authScopes: { read: true },
    args: { ...pageArguments(), filter: t.arg({ type: Filter, description: 'Which runs.' }) },
    complexity: costOfPage,
    description: 'The runs of the tenant, newest first.',
    resolve: async (_root, { filter, ...page }, context) => {
      const caller = callerOf(context);
      return await readPage(
        context,
        'runs',
        page,
        async (request) =>
          await listRuns(context.ports.database, caller.tenantId, { ...filter, ...boundsOf(caller) }, request),
      );
    },
  }),
);
