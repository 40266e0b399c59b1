import type { Caller } from '../../access/caller.ts';
import type { Database } from '../../database/connect.ts';
import type { Change } from '../../definitions/change.ts';
import { excludeTestCase, includeTestCase } from '../../definitions/change-members.ts';
import { builder } from '../builder.ts';
import { callerOf } from '../context.ts';
import { SuiteType } from '../objects/suite.ts';
import { InvalidDefinitionsType, NotAllowedType, NotFoundType } from '../objects/user-error.ts';
import { readSuite, type SuiteView } from '../read/suite-view.ts';
import { refusedChange } from '../refused-change.ts';
import { asMember, memberOf } from '../result-union.ts';

const IncludeInput = builder.inputType('IncludeTestCaseInput', {
  description: 'A case, and a suite that shall include it.',
  fields: (t) => ({
    suiteId: t.field({ type: 'UUID', required: true, description: 'The suite that includes it, not its home.' }),
    testCaseId: t.field({ type: 'UUID', required: true, description: 'The case, of the same repository.' }),
    sortOrder: t.int({ description: 'Its place in that suite; absent: where it is, else the last.' }),
  }),
});

const ExcludeInput = builder.inputType('ExcludeTestCaseInput', {
  description: 'A case, and a suite that shall include it no more.',
  fields: (t) => ({
    suiteId: t.field({ type: 'UUID', required: true, description: 'The suite that includes it.' }),
    testCaseId: t.field({ type: 'UUID', required: true, description: 'The case.' }),
  }),
});

interface Membership {
  name: 'includeTestCase' | 'excludeTestCase';
  description: string;
  change: (database: Database, caller: Caller, given: object) => Promise<Change>;
}

function defineMembership(
  { name, description, change }: Membership,
  input: typeof IncludeInput | typeof ExcludeInput,
): void {
  const typeName = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const success = builder.objectRef<{ view: SuiteView }>(`${typeName}Success`).implement({
    description: 'It is done.',
    fields: (t) => ({
      suite: t.field({ type: SuiteType, description: 'The suite as it is now.', resolve: ({ view }) => view }),
    }),
  });
  const result = builder.unionType(`${typeName}Result`, {
    description: 'What came of it.',
    types: [success, InvalidDefinitionsType, NotFoundType, NotAllowedType],
    resolveType: memberOf,
  });
  builder.mutationField(name, (t) =>
    t.field({
      type: result,
      authScopes: { write: true },
      args: { input: t.arg({ type: input, required: true, description: 'Which case and which suite.' }) },
      description,
      resolve: async (_root, given, context) => {
        const { database } = context.ports;
        const caller = callerOf(context);
        const changed = await change(database, caller, given.input);
        if (!changed.ok) return refusedChange(changed);
        const view = await readSuite(database, caller, given.input.suiteId);
        if (view === null) throw new Error('the suite vanished while it was changed');
        return asMember(`${typeName}Success`, { view });
      },
    }),
  );
}

defineMembership(
  {
    name: 'includeTestCase',
    description:
      'Makes a suite include a case whose home is another suite of its repository. It runs in both, with the values of each. What files say is as in the files again after their next import.',
    change: includeTestCase,
  },
  IncludeInput,
);
defineMembership(
  {
    name: 'excludeTestCase',
    description: 'Takes a case out of a suite that includes it. It stays in its home.',
    change: excludeTestCase,
  },
  ExcludeInput,
);
