import { builder } from '../builder.ts';
import { callerOf } from '../context.ts';
import { TestCaseType } from '../objects/test-case.ts';
import { readTestCase } from '../read/test-case-view.ts';

builder.queryField('testCase', (t) =>
  t.field({
    type: TestCaseType,
    nullable: true,
    authScopes: { readAll: true },
    args: { id: t.arg({ type: 'UUID', required: true, description: 'Id of the case.' }) },
    description: 'One case; null when there is none with this id.',
    resolve: async (_root, { id }, context) => await readTestCase(context.ports.database, callerOf(context), id),
  }),
);
