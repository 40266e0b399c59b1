import { createShared, deleteShared, updateShared } from '../../definitions/change-shared.ts';
import { testTypes } from '../../definitions/shared-kinds.ts';
import { defineMutations } from '../definition-mutations.ts';
import { definitionRow } from '../definition-rows.ts';
import { CreateTestTypeInputType, UpdateTestTypeInputType } from '../inputs/test-type-inputs.ts';
import { TestTypeType } from '../objects/test-type.ts';
import { selectTestTypes, type TestTypeView } from '../read/shared-definition-views.ts';

defineMutations<TestTypeView>(
  {
    name: 'TestType',
    noun: 'a test type',
    scope: 'write',
    deleted: 'Suites that name it stay and refuse to run until they name another.',
    shows: (t) => ({
      testType: t.field({ type: TestTypeType, description: 'As it is now.', resolve: ({ view }) => view }),
    }),
    read: (context, id) => definitionRow(context, selectTestTypes, id),
    remove: (database, caller, id) => deleteShared(database, caller, testTypes, id),
  },
  {
    input: CreateTestTypeInputType,
    change: (database, caller, given) => createShared(database, caller, testTypes, given),
  },
  {
    input: UpdateTestTypeInputType,
    change: (database, caller, given) => updateShared(database, caller, testTypes, given),
  },
);
