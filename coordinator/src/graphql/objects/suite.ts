import { builder } from '../builder.ts';
import { costOfPage, pageArguments, readPage } from '../connection.ts';
import { callerOf } from '../context.ts';
import { listHistory } from '../read/suite-run-view.ts';
import type { SuiteView } from '../read/suite-view.ts';
import { SuiteRunConnectionType } from './suite-run.ts';

export const SuiteType = builder.objectRef<SuiteView>('Suite').implement({
  description: 'A suite as the base branch defines it; each run keeps what it was then.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'Its id.' }),
    name: t.exposeString('name', { description: 'Its name.' }),
    description: t.exposeString('description', { nullable: true, description: 'For people.' }),
    path: t.exposeString('path', { nullable: true, description: 'Its file, from the root of the repository.' }),
    agentName: t.exposeString('agentName', { description: 'Name of the agent.' }),
    isEnabled: t.exposeBoolean('isEnabled', { description: 'Whether it runs.' }),
    scheduleType: t.exposeString('scheduleType', { description: 'manual, hourly, daily or weekly.' }),
    alertThresholdPercent: t.exposeInt('alertThresholdPercent', {
      description: 'By how many percentage points the pass rate must drop for the alert.',
    }),
    caseCount: t.exposeInt('cases', { description: 'How many cases it has.' }),
    history: t.field({
      type: SuiteRunConnectionType,
      args: {
        ...pageArguments(),
        cellKey: t.arg.string({ description: 'Only this combination of matrix values.' }),
        onlyBase: t.arg.boolean({ defaultValue: false, description: 'Only those that others are compared with.' }),
      },
      complexity: costOfPage,
      description: 'Its ended suite runs, newest first: how pass rate, cost and verdict developed.',
      resolve: async ({ id }, { cellKey, onlyBase, ...page }, context) => {
        const question = {
          tenantId: callerOf(context).tenantId,
          suiteId: id,
          cellKey: cellKey ?? null,
          onlyBase: onlyBase ?? false,
        };
        return await readPage(
          context,
          `history ${id} ${cellKey ?? ''} ${onlyBase}`,
          page,
          async (request) => await listHistory(context.ports.database, question, request),
        );
      },
    }),
  }),
});

export const SuiteConnectionType = builder.connectionObject(
  { type: SuiteType, name: 'SuiteConnection', description: 'A page of suites.' },
  { name: 'SuiteEdge', description: 'A row of a page of suites.' },
);
