import type { Caller } from '../../access/caller.ts';
import type { Database } from '../../database/transactions.ts';
import type { Changed } from '../../definitions/change.ts';
import { excludeTestCase, includeTestCase } from '../../definitions/change-members.ts';
import { createSuite, deleteSuite, updateSuite } from '../../definitions/change-suites.ts';
import { builder, type InputFields } from '../builder.ts';
import { callerOf } from '../context.ts';
import { asMember, InvalidDefinitionsType, memberOf, NotAllowedType, NotFoundType } from '../user-errors.ts';
import { defineMutations, refusedMember } from './definitions.ts';
import { readVisibleSuite, type SuiteView } from './read-suites.ts';
import { SuiteType } from './suites.ts';

const optional = (t: InputFields) => ({
  description: t.string({ description: 'What it is for, in the words of its author.' }),
  testType: t.string({ description: 'Which variables its cases have; absent: agent-eval.' }),
  variables: t.field({ type: 'JSON', description: 'Values for all its cases, variable to value.' }),
  judge: t.field({ type: 'JSON', description: 'The model that judges: aiConfiguration, panel.' }),
  simulator: t.field({
    type: 'JSON',
    description: 'The model that plays users: aiConfiguration, temperature, firstSpeaker, review.',
  }),
  embedding: t.field({ type: 'JSON', description: 'The model of semantic_similarity: aiConfiguration.' }),
  evaluations: t.field({ type: 'JSON', description: 'Metrics of all cases: model, metrics.' }),
  mocks: t.field({ type: 'JSON', description: 'Canned answers of tools.' }),
  mockSettings: t.field({ type: 'JSON', description: 'How calls without a canned answer are treated.' }),
  repetitions: t.int({ description: 'How often every case runs, 1 to 100.' }),
  gate: t.field({ type: 'JSON', description: 'When a run is red.' }),
  matrix: t.field({
    type: 'JSON',
    description: 'Variables with several values each; include and exclude beside them.',
  }),
  scheduleType: t.string({ description: 'manual, hourly, daily or weekly.' }),
  scheduleTime: t.string({ description: 'Time of day of a daily or weekly suite, UTC, such as 02:00.' }),
  scheduleDayOfWeek: t.int({ description: 'Day of a weekly suite, 0 is Sunday.' }),
  scheduleCron: t.string({ description: 'A cron expression such as "30 2 * * 1-5", instead of scheduleType.' }),
  scheduleTimeZone: t.string({ description: 'Time zone of the schedule, such as Europe/Berlin; absent: UTC.' }),
  scheduleJitterMinutes: t.int({ description: 'Up to how many minutes later it may begin, 0 to 60.' }),
  alertOnRegression: t.boolean({ description: 'Whether a drop of the pass rate alerts.' }),
  alertThresholdPercent: t.int({ description: 'How many percentage points the pass rate may drop, 1 to 100.' }),
  pool: t.string({ description: 'The pool of runners that executes it; absent: that of its AI configurations.' }),
  isEnabled: t.boolean({ description: 'false keeps it from running.' }),
});

const CreateSuiteInputType = builder.inputType('CreateSuiteInput', {
  description: 'A suite, which gets its cases one by one.',
  fields: (t) => ({
    agentId: t.field({ type: 'UUID', required: true, description: 'The agent that is tested.' }),
    name: t.string({ required: true, description: 'Its name, unique for the agent.' }),
    ...optional(t),
  }),
});

const UpdateSuiteInputType = builder.inputType('UpdateSuiteInput', {
  description: 'What changes of the settings of a suite.',
  fields: (t) => ({
    id: t.field({ type: 'UUID', required: true, description: 'Id of the suite.' }),
    name: t.string({ description: 'Its name, unique for the agent.' }),
    ...optional(t),
  }),
});

defineMutations<SuiteView>(
  {
    name: 'Suite',
    noun: 'a suite',
    scope: 'write',
    deleted: 'Its cases are hidden with it; its runs stay readable.',
    shows: (t) => ({
      suite: t.field({ type: SuiteType, description: 'As it is now.', resolve: ({ view }) => view }),
    }),
    read: (context, id) => readVisibleSuite(context.ports.database, callerOf(context), id),
    remove: deleteSuite,
    table: 'agent_test_suites',
  },
  { input: CreateSuiteInputType, change: createSuite },
  { input: UpdateSuiteInputType, change: updateSuite },
);

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
    testCaseId: t.field({ type: 'UUID', required: true, description: 'Id of the case.' }),
  }),
});

interface Membership {
  name: 'includeTestCase' | 'excludeTestCase';
  description: string;
  change: (database: Database, caller: Caller, given: object) => Promise<Changed>;
}

function defineMembership(
  { name, description, change }: Membership,
  input: typeof IncludeInput | typeof ExcludeInput,
): void {
  const typeName = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const success = builder.objectRef<{ view: SuiteView }>(`${typeName}Success`).implement({
    description: 'The list of cases is changed and counts from the next run on.',
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
        if (!changed.ok) return refusedMember(changed);
        const view = await readVisibleSuite(database, caller, given.input.suiteId);
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
