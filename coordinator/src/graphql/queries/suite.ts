import { builder } from '../builder.ts';
import { callerOf } from '../context.ts';
import { SuiteType } from '../objects/suite.ts';
import { readSuite } from '../read/suite-view.ts';

builder.queryField('suite', (t) =>
  t.field({
    type: SuiteType,
    nullable: true,
    authScopes: { readAll: true },
    args: { id: t.arg({ type: 'UUID', required: true, description: 'Id of the suite.' }) },
    description: 'One suite; null when there is none with this id.',
    resolve: async (_root, { id }, context) => await readSuite(context.ports.database, callerOf(context), id),
  }),
);
