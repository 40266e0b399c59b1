import { builder } from '../builder.ts';
import { callerOf } from '../context.ts';
import { passRateOf } from '../counters.ts';
import { clampSize, costOfHistory, historyArguments } from '../history-arguments.ts';
import { VerdictWordType } from '../objects/verdict-word.ts';
import { type PassRatePoint, readPassRates } from '../read/pass-rate-history.ts';
import { readSuite } from '../read/suite-view.ts';

const PassRatePointType = builder.objectRef<PassRatePoint>('PassRatePoint').implement({
  description: 'One ended suite run as a point of a curve.',
  fields: (t) => ({
    suiteRunId: t.expose('suiteRunId', { type: 'UUID', description: 'The suite run.' }),
    cellKey: t.exposeString('cellKey', { description: 'Its matrix values as one text; empty without a matrix.' }),
    runId: t.expose('runId', { type: 'UUID', description: 'Its run.' }),
    headSha: t.exposeString('headSha', { nullable: true, description: 'The commit.' }),
    agentHash: t.exposeString('agentHash', { description: 'The version of the agent.' }),
    isBase: t.exposeBoolean('isBase', { description: 'Whether others are compared with it.' }),
    passRate: t.float({
      nullable: true,
      description: '0 to 100 percent; null when nothing was executed.',
      resolve: passRateOf,
    }),
    verdict: t.field({
      type: VerdictWordType,
      nullable: true,
      description: 'The verdict in one word; null while it is open.',
      resolve: ({ verdict }) => verdict,
    }),
    costUsd: t.exposeFloat('costUsd', { nullable: true, description: 'What it cost, as far as prices are known.' }),
    completedAt: t.expose('completedAt', { type: 'DateTime', description: 'When it ended.' }),
  }),
});

builder.queryField('passRateHistory', (t) =>
  t.field({
    type: [PassRatePointType],
    nullable: true,
    authScopes: { readAll: true },
    args: {
      suiteId: t.arg({ type: 'UUID', required: true, description: 'The suite.' }),
      ...historyArguments(),
    },
    complexity: costOfHistory,
    description:
      'How the pass rate of a suite developed, oldest first, all cells of its matrix in one list; null when there is no such suite.',
    resolve: async (_root, { suiteId, cellKey, onlyBase, first }, context) => {
      const caller = callerOf(context);
      if ((await readSuite(context.ports.database, caller, suiteId)) === null) return null;
      return await readPassRates(context.ports.database, {
        tenantId: caller.tenantId,
        suiteId,
        cellKey: cellKey ?? null,
        onlyBase: onlyBase ?? false,
        size: clampSize(first),
      });
    },
  }),
);
