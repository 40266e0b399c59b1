import { builder } from '../builder.ts';
import { costOfPage, pageArguments, readPage } from '../connection.ts';
import { callerOf } from '../context.ts';
import { SuiteConnectionType } from '../objects/suite.ts';
import { listSuites } from '../read/suite-view.ts';

builder.queryField('suites', (t) =>
  t.field({
    type: SuiteConnectionType,
    authScopes: { readAll: true },
    args: pageArguments(),
    complexity: costOfPage,
    description: 'The suites of the tenant by name.',
    resolve: async (_root, page, context) => {
      const scope = callerOf(context);
      return await readPage(
        context,
        'suites',
        page,
        async (request) => await listSuites(context.ports.database, scope, request),
      );
    },
  }),
);
