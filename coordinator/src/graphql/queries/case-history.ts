import { builder } from '../builder.ts';
import { callerOf } from '../context.ts';
import { clampSize, costOfHistory, historyArguments } from '../history-arguments.ts';
import { type CaseHistoryPoint, type FlakyCaseView, readCaseHistory, readFlakyCases } from '../read/case-history.ts';
import { readTestCase } from '../read/test-case-view.ts';

interface CaseHistory {
  points: CaseHistoryPoint[];
  flakiness: number | null;
  quarantined: FlakyCaseView | null;
}

const countOf = (outcomes: string, letters: string): number =>
  Array.from(outcomes).filter((letter) => letters.includes(letter)).length;

/** More passes than failures; null when nothing was scored. */
function isPassing({ outcomes }: CaseHistoryPoint): boolean | null {
  const [passed, failed] = [countOf(outcomes, 'p'), countOf(outcomes, 'f')];
  return passed + failed === 0 ? null : passed > failed;
}

/** The newest point at which the case changed sides; points come newest first. */
function lastChange(points: readonly CaseHistoryPoint[]): CaseHistoryPoint | null {
  const scored = points.filter((point) => isPassing(point) !== null);
  const before = scored.findIndex((point, index) => index > 0 && isPassing(point) !== isPassing(scored[0] ?? point));
  return before === -1 ? null : (scored[before - 1] ?? null);
}

const CaseHistoryPointType = builder.objectRef<CaseHistoryPoint>('CaseHistoryPoint').implement({
  description: 'What a case came to in one suite run.',
  fields: (t) => ({
    suiteRunId: t.expose('suiteRunId', { type: 'UUID', description: 'The suite run.' }),
    runId: t.expose('runId', { type: 'UUID', description: 'Its run.' }),
    cellKey: t.exposeString('cellKey', { description: 'The matrix values.' }),
    headSha: t.exposeString('headSha', { nullable: true, description: 'The commit.' }),
    isBase: t.exposeBoolean('isBase', { description: 'Whether it ran on the base branch.' }),
    agentHash: t.exposeString('agentHash', { description: 'The version of the agent.' }),
    caseHash: t.exposeString('caseHash', { description: 'The version of the case; another one is another question.' }),
    passed: t.int({ description: 'Repetitions that passed.', resolve: ({ outcomes }) => countOf(outcomes, 'p') }),
    failed: t.int({ description: 'Repetitions that failed.', resolve: ({ outcomes }) => countOf(outcomes, 'f') }),
    errored: t.int({
      description: 'Repetitions without a result.',
      resolve: ({ outcomes }) => countOf(outcomes, 'ei'),
    }),
    latencyMs: t.exposeFloat('latencyMs', { nullable: true, description: 'Mean time of the agent in milliseconds.' }),
    tokens: t.exposeFloat('tokens', { nullable: true, description: 'Mean of prompt and completion tokens together.' }),
    costUsd: t.exposeFloat('costUsd', { nullable: true, description: 'Mean cost of a repetition.' }),
    endedAt: t.expose('endedAt', { type: 'DateTime', description: 'When the last repetition ended.' }),
  }),
});

const CaseHistoryType = builder.objectRef<CaseHistory>('CaseHistory').implement({
  description: 'How a case ended over time.',
  fields: (t) => ({
    points: t.field({
      type: [CaseHistoryPointType],
      description: 'Suite runs, newest first.',
      resolve: ({ points }) => points,
    }),
    flakiness: t.exposeFloat('flakiness', {
      nullable: true,
      description: '0 for a case that always ends alike, 1 for a coin; null below ten trials on the base branch.',
    }),
    isQuarantined: t.boolean({
      description: 'Whether it is so flaky that it cannot fail a pull request alone.',
      resolve: ({ quarantined }) => quarantined !== null,
    }),
    lastChange: t.field({
      type: CaseHistoryPointType,
      nullable: true,
      description: 'The suite run with which it began to pass or fail as it does now; null when it never changed.',
      resolve: ({ points }) => lastChange(points),
    }),
  }),
});

builder.queryField('caseHistory', (t) =>
  t.field({
    type: CaseHistoryType,
    nullable: true,
    authScopes: { readAll: true },
    args: {
      testCaseId: t.arg({ type: 'UUID', required: true, description: 'The case.' }),
      ...historyArguments(),
    },
    complexity: costOfHistory,
    description: 'How a case ended over time; null when there is no such case.',
    resolve: async (_root, { testCaseId, cellKey, onlyBase, first }, context) => {
      const caller = callerOf(context);
      const { database } = context.ports;
      const testCase = await readTestCase(database, caller, testCaseId);
      if (testCase === null) return null;
      const { tenantId, repositoryId } = caller;
      const flaky = await readFlakyCases(database, { tenantId, repositoryId, suiteId: null, testCaseId, size: 1_000 });
      const points = await readCaseHistory(database, {
        tenantId,
        testCaseId,
        cellKey: cellKey ?? null,
        onlyBase: onlyBase ?? true,
        size: clampSize(first),
      });
      const quarantined = flaky.find((one) => cellKey == null || one.cellKey === cellKey) ?? null;
      return { points, flakiness: testCase.flakiness, quarantined };
    },
  }),
);
