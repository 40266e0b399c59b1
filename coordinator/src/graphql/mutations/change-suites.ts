import { createSuite, deleteSuite, updateSuite } from '../../definitions/change-suites.ts';
import { callerOf } from '../context.ts';
import { defineMutations } from '../definition-mutations.ts';
import { CreateSuiteInputType, UpdateSuiteInputType } from '../inputs/suite-inputs.ts';
import { SuiteType } from '../objects/suite.ts';
import { readSuite, type SuiteView } from '../read/suite-view.ts';

defineMutations<SuiteView>(
  {
    name: 'Suite',
    noun: 'a suite',
    scope: 'write',
    deleted: 'Its cases are hidden with it; its runs stay readable.',
    shows: (t) => ({
      suite: t.field({ type: SuiteType, description: 'As it is now.', resolve: ({ view }) => view }),
    }),
    read: (context, id) => readSuite(context.ports.database, callerOf(context), id),
    remove: deleteSuite,
  },
  { input: CreateSuiteInputType, change: createSuite },
  { input: UpdateSuiteInputType, change: updateSuite },
);
