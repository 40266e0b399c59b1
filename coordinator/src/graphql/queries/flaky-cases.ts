import { builder } from '../builder.ts';
import { callerOf } from '../context.ts';
import { clampSize } from '../history-arguments.ts';
import { type FlakyCaseView, readFlakyCases } from '../read/case-history.ts';

const FlakyCaseType = builder.objectRef<FlakyCaseView>('FlakyCase').implement({
  description: 'A case that passes and fails by itself on the base branch, measured and never declared by hand.',
  fields: (t) => ({
    testCaseId: t.expose('testCaseId', { type: 'UUID', description: 'The case.' }),
    caseName: t.exposeString('caseName', { description: 'Its name.' }),
    suiteId: t.expose('suiteId', { type: 'UUID', description: 'Its suite.' }),
    suiteName: t.exposeString('suiteName', { description: 'Name of the suite.' }),
    cellKey: t.exposeString('cellKey', { description: 'The matrix values with which it is flaky.' }),
    passed: t.exposeInt('passed', { description: 'How many of its newest trials on the base branch passed.' }),
    scored: t.exposeInt('scored', { description: 'How many trials these are, 10 to 20.' }),
    flakiness: t.exposeFloat('flakiness', { description: '1 for a coin.' }),
  }),
});

builder.queryField('flakyCases', (t) =>
  t.field({
    type: [FlakyCaseType],
    authScopes: { readAll: true },
    args: {
      suiteId: t.arg({ type: 'UUID', description: 'Only those of this suite.' }),
      first: t.arg.int({ defaultValue: 50, description: 'How many at most, up to 500.' }),
    },
    complexity: 100,
    description: 'The cases that are in quarantine, the shakiest first.',
    resolve: async (_root, { suiteId, first }, context) => {
      const { tenantId, repositoryId } = callerOf(context);
      const question = { tenantId, repositoryId, suiteId: suiteId ?? null, size: clampSize(first) };
      return await readFlakyCases(context.ports.database, question);
    },
  }),
);
