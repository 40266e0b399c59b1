import { builder } from '../builder.ts';
import { costOfPage, pageArguments } from '../connection.ts';
import { definitionPage, definitionRow } from '../definition-rows.ts';
import { TestTypeConnectionType, TestTypeType } from '../objects/test-type.ts';
import { selectTestTypes } from '../read/shared-definition-views.ts';

builder.queryFields((t) => ({
  testType: t.field({
    type: TestTypeType,
    nullable: true,
    authScopes: { readAll: true },
    args: { id: t.arg({ type: 'UUID', required: true, description: 'Its id.' }) },
    description: 'One test type; null when there is none with this id.',
    resolve: async (_root, { id }, context) => await definitionRow(context, selectTestTypes, id),
  }),
  testTypes: t.field({
    type: TestTypeConnectionType,
    authScopes: { readAll: true },
    args: pageArguments(),
    complexity: costOfPage,
    description: 'The test types of the tenant by name.',
    resolve: async (_root, page, context) => await definitionPage(context, 'testTypes', page, selectTestTypes),
  }),
}));
