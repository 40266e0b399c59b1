import { builder } from '../builder.ts';
import { costOfPage, pageArguments, readPage } from '../connection.ts';
import { callerOf } from '../context.ts';
import { SuiteConnectionType } from '../objects/suite.ts';
import { listSuites } from '../read/suite-view.ts';

const Filter = builder.inputType('SuiteFilter', {
  description: 'Which suites; what is absent allows all.',
  fields: (t) => ({
    agentId: t.field({ type: 'UUID', description: 'Those of this agent.' }),
    repositoryId: t.field({ type: 'UUID', description: 'Those of this repository.' }),
    name: t.string({ description: 'Those of this name.' }),
    isEnabled: t.boolean({ description: 'Whether they run.' }),
  }),
});

builder.queryField('suites', (t) =>
  t.field({
    type: SuiteConnectionType,
    authScopes: { readAll: true },
    args: { ...pageArguments(), filter: t.arg({ type: Filter, description: 'Which suites.' }) },
    complexity: costOfPage,
    description: 'The suites of the tenant by name.',
    resolve: async (_root, { filter, ...page }, context) => {
      const { tenantId, repositoryId } = callerOf(context);
      const scope = { tenantId, repositoryId, filter: filter ?? {} };
      return await readPage(
        context,
        'suites',
        page,
        async (request) => await listSuites(context.ports.database, scope, request),
      );
    },
  }),
);
