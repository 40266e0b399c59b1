import { describeVariables } from '@proofmark/domain/describe-variables';
import { builder } from '../builder.ts';
import type { TestTypeView } from '../read/shared-definition-views.ts';
import { TestVariableType } from './test-variable.ts';

export const TestTypeType = builder.objectRef<TestTypeView>('TestType').implement({
  description: 'Which variables a kind of test has. The type agent-eval is built in and in no list.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'Its id.' }),
    name: t.exposeString('name', { description: 'What suites call it.' }),
    description: t.exposeString('description', { nullable: true, description: 'For people.' }),
    variablesSchema: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The variables as they were written: schemaVersion and variables; null: none.',
      resolve: ({ variablesSchema }) => variablesSchema,
    }),
    variables: t.field({
      type: [TestVariableType],
      description: 'The variables with what each may be now, AI configurations of the tenant included.',
      resolve: ({ variablesSchema, entityValues }) =>
        describeVariables({ type: variablesSchema, test: null, entityValues }),
    }),
    repositoryId: t.expose('repositoryId', {
      type: 'UUID',
      nullable: true,
      description: 'The repository whose files define it; null: it belongs to the whole tenant.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was stored first.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was changed last.' }),
  }),
});

export const TestTypeConnectionType = builder.connectionObject(
  { type: TestTypeType, name: 'TestTypeConnection', description: 'A page of test types.' },
  { name: 'TestTypeEdge', description: 'A row of a page of test types.' },
);
