import { builder } from '../builder.ts';
import { callerOf, type GraphqlContext } from '../context.ts';
import { ComparisonType, type ComparisonView } from '../objects/comparison.ts';
import { SuiteRunType } from '../objects/suite-run.ts';
import { compareTogether } from '../read/compare-suite-runs.ts';
import type { SuiteRunView } from '../read/suite-run-view.ts';
import { visibleRun } from '../visible-runs.ts';

interface RunComparison {
  comparisons: ComparisonView[];
  onlyBase: SuiteRunView[];
  onlyHead: SuiteRunView[];
}

const RunComparisonType = builder.objectRef<RunComparison>('RunComparison').implement({
  description: 'Two runs, suite by suite and cell by cell.',
  fields: (t) => ({
    comparisons: t.field({
      type: [ComparisonType],
      description: 'Suites and cells that both runs have. The cells of a suite are judged together.',
      resolve: ({ comparisons }) => comparisons,
    }),
    onlyBase: t.field({
      type: [SuiteRunType],
      description: 'What only the base has.',
      resolve: ({ onlyBase }) => onlyBase,
    }),
    onlyHead: t.field({
      type: [SuiteRunType],
      description: 'What only the head has.',
      resolve: ({ onlyHead }) => onlyHead,
    }),
  }),
});

builder.queryField('compare', (t) =>
  t.field({
    type: RunComparisonType,
    nullable: true,
    authScopes: { read: true },
    complexity: 1000,
    args: {
      base: t.arg({ type: 'UUID', required: true, description: 'The run to compare with.' }),
      head: t.arg({ type: 'UUID', required: true, description: 'The run that is judged.' }),
    },
    description:
      'Any two runs side by side, as far as their suite runs have ended; null when one does not exist. What each cell says against its own baseline is the `verdict` of its `base` and `head`.',
    resolve: async (_root, { base, head }, context) => {
      const runs = await Promise.all([visibleRun(context, base), visibleRun(context, head)]);
      if (runs.includes(null)) return null;
      const [before, after] = await Promise.all([judgedOf(base, context), judgedOf(head, context)]);
      return await compareCells(before, after, context);
    },
  }),
);

/** The side of each suite and cell that the run is about. */
async function judgedOf(runId: string, { loaders }: GraphqlContext): Promise<SuiteRunView[]> {
  const all = await loaders.suiteRunsOf.load(runId);
  return all.filter(
    ({ variant, purpose, completedAt }) => variant !== 'baseline' && purpose === 'first' && completedAt !== null,
  );
}

const cellOf = ({ suiteId, cellKey }: SuiteRunView): string => JSON.stringify([suiteId, cellKey]);

async function compareCells(
  before: SuiteRunView[],
  after: SuiteRunView[],
  context: GraphqlContext,
): Promise<RunComparison> {
  const byCell = new Map(before.map((suiteRun) => [cellOf(suiteRun), suiteRun]));
  const pairs = after.flatMap((head) => {
    const base = byCell.get(cellOf(head));
    return base === undefined ? [] : [{ base, head }];
  });
  const comparisons: ComparisonView[] = [];
  const { tenantId } = callerOf(context);
  for (const ofSuite of Map.groupBy(pairs, ({ head }) => head.suiteId).values()) {
    const ids = ofSuite.map(({ base, head }) => ({ baseId: base.id, headId: head.id }));
    const verdicts = await compareTogether(context.ports.database, tenantId, ids);
    for (const [index, pair] of ofSuite.entries()) {
      const verdict = verdicts[index];
      if (verdict !== undefined) comparisons.push({ ...pair, verdict });
    }
  }
  const paired = new Set(pairs.flatMap(({ base, head }) => [base, head]));
  const alone = (suiteRuns: SuiteRunView[]) => suiteRuns.filter((suiteRun) => !paired.has(suiteRun));
  return { comparisons, onlyBase: alone(before), onlyHead: alone(after) };
}
