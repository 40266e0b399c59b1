import { createTestCase, deleteTestCase, updateTestCase } from '../../definitions/change-test-cases.ts';
import { callerOf } from '../context.ts';
import { defineMutations } from '../definition-mutations.ts';
import { CreateTestCaseInputType, UpdateTestCaseInputType } from '../inputs/test-case-inputs.ts';
import { TestCaseType } from '../objects/test-case.ts';
import { readTestCase, type TestCaseView } from '../read/test-case-view.ts';

defineMutations<TestCaseView>(
  {
    name: 'TestCase',
    noun: 'a case',
    scope: 'write',
    deleted: 'It runs no more; its results stay readable.',
    shows: (t) => ({
      testCase: t.field({ type: TestCaseType, description: 'As it is now.', resolve: ({ view }) => view }),
    }),
    read: (context, id) => readTestCase(context.ports.database, callerOf(context), id),
    remove: deleteTestCase,
  },
  { input: CreateTestCaseInputType, change: createTestCase },
  { input: UpdateTestCaseInputType, change: updateTestCase },
);
