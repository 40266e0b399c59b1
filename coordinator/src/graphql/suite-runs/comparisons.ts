import type { Verdict } from '@proofmark/contracts/verdict';
import { builder } from '../builder.ts';
import { callerOf, type GraphqlContext } from '../context.ts';
import { visibleRun } from '../runs/read-runs.ts';
import { CaseDifferenceType, differencesOf, isDifferent, sortCases } from './case-differences.ts';
import { compareGroups } from './compare-suite-runs.ts';
import { type SuiteRunView, suiteRunsOf } from './read-suite-runs.ts';
import { endedSuiteRun, SuiteRunType } from './suite-runs.ts';
import { emptyMeasures, MeasureType, VerdictType, wholeVerdict } from './verdicts.ts';

interface Pair {
  base: SuiteRunView;
  head: SuiteRunView;
}

/** Two suite runs held side by side. */
interface ComparisonView extends Pair {
  verdict: Verdict;
}

const mostCases = 200;
const sizeOf = (first: number | null | undefined): number => Math.max(0, Math.min(first ?? 50, mostCases));

const ComparisonType = builder.objectRef<ComparisonView>('Comparison').implement({
  description: 'Two suite runs held side by side, as the gate sees them.',
  fields: (t) => ({
    base: t.field({ type: SuiteRunType, description: 'What is compared with.', resolve: ({ base }) => base }),
    head: t.field({ type: SuiteRunType, description: 'The suite run that is judged.', resolve: ({ head }) => head }),
    verdict: t.field({
      type: VerdictType,
      description: 'What the gate says.',
      resolve: ({ verdict }) => wholeVerdict(verdict),
    }),
    latencyMs: t.field({
      type: MeasureType,
      description: 'How long the agent took, in milliseconds.',
      resolve: ({ verdict }) => (verdict.measures ?? emptyMeasures).latencyMs,
    }),
    tokens: t.field({
      type: MeasureType,
      description: 'Prompt and completion tokens together.',
      resolve: ({ verdict }) => (verdict.measures ?? emptyMeasures).tokens,
    }),
    costUsd: t.field({
      type: MeasureType,
      description: 'What a test run cost.',
      resolve: ({ verdict }) => (verdict.measures ?? emptyMeasures).costUsd,
    }),
    cases: t.field({
      type: [CaseDifferenceType],
      args: {
        first: t.arg.int({ defaultValue: 50, description: 'How many at most, up to 200.' }),
        onlyDifferent: t.arg.boolean({
          defaultValue: false,
          description: 'Leave out cases whose pass rate is the same on both sides.',
        }),
      },
      complexity: ({ first }) => ({ field: sizeOf(first), multiplier: sizeOf(first) }),
      description: 'The cases. Those that are least likely to have fallen by chance come first.',
      resolve: ({ base, head, verdict }, { first, onlyDifferent }) => {
        const shown = sortCases(verdict.cases)
          .filter((one) => onlyDifferent !== true || isDifferent(one))
          .slice(0, sizeOf(first));
        return differencesOf(shown, { baseId: base.id, headId: head.id, flagged: verdict.flagged });
      },
    }),
  }),
});

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
      base: t.arg({ type: 'UUID', required: true, description: 'The run or suite run to compare with.' }),
      head: t.arg({ type: 'UUID', required: true, description: 'The run or suite run that is judged.' }),
    },
    description:
      'Any two runs side by side, cell by cell, as far as their suite runs have ended; or any two suite runs: of two commits, two cells of a matrix or two agents. Null when one does not exist. What each cell says against its own baseline is the `verdict` of its `base` and `head`.',
    resolve: async (_root, { base, head }, context) => {
      const runs = await Promise.all([visibleRun(context, base), visibleRun(context, head)]);
      if (!runs.includes(null)) {
        const [before, after] = await Promise.all([judgedOf(base, context), judgedOf(head, context)]);
        return await compareCells(before, after, context);
      }
      const pair = await endedPair(base, head, context);
      return pair && { comparisons: await compareAll([[pair]], context), onlyBase: [], onlyHead: [] };
    },
  }),
);

async function endedPair(baseId: string, headId: string, context: GraphqlContext): Promise<Pair | null> {
  const [base, head] = await Promise.all([endedSuiteRun(baseId, context), endedSuiteRun(headId, context)]);
  return base === null || head === null ? null : { base, head };
}

/** The comparisons of all pairs; those of one group are looked at together. */
async function compareAll(groups: readonly Pair[][], context: GraphqlContext): Promise<ComparisonView[]> {
  const ids = groups.map((pairs) => pairs.map(({ base, head }) => ({ baseId: base.id, headId: head.id })));
  const verdicts = await compareGroups(context.ports.database, callerOf(context).tenantId, ids);
  return groups.flatMap((pairs, group) =>
    pairs.flatMap((pair, index) => {
      const verdict = verdicts[group]?.[index];
      return verdict === undefined ? [] : [{ ...pair, verdict }];
    }),
  );
}

builder.queryField('compareSuiteRuns', (t) =>
  t.field({
    type: VerdictType,
    nullable: true,
    authScopes: { read: true },
    complexity: 200,
    deprecationReason: 'Ask compare with the ids of the two suite runs for its comparisons and their verdict.',
    args: {
      baseId: t.arg({ type: 'UUID', required: true, description: 'The suite run to compare with.' }),
      headId: t.arg({ type: 'UUID', required: true, description: 'The suite run that is judged.' }),
    },
    description: 'What the gate would say of any two ended suite runs; null when one does not exist or has not ended.',
    resolve: async (_root, { baseId, headId }, context) => {
      const pair = await endedPair(baseId, headId, context);
      const [compared] = pair === null ? [] : await compareAll([[pair]], context);
      return compared === undefined ? null : wholeVerdict(compared.verdict);
    },
  }),
);

builder.queryField('comparison', (t) =>
  t.field({
    type: ComparisonType,
    nullable: true,
    authScopes: { read: true },
    complexity: 200,
    deprecationReason: 'Ask compare with the ids of the two suite runs.',
    args: {
      baseSuiteRunId: t.arg({ type: 'UUID', required: true, description: 'The suite run to compare with.' }),
      headSuiteRunId: t.arg({ type: 'UUID', required: true, description: 'The suite run that is judged.' }),
    },
    description:
      'Any two ended suite runs side by side: of two commits, two cells of a matrix or two agents. Null when one does not exist or has not ended.',
    resolve: async (_root, { baseSuiteRunId, headSuiteRunId }, context) => {
      const pair = await endedPair(baseSuiteRunId, headSuiteRunId, context);
      return pair && ((await compareAll([[pair]], context))[0] ?? null);
    },
  }),
);

/** The side of each suite and cell that the run is about. */
async function judgedOf(runId: string, context: GraphqlContext): Promise<SuiteRunView[]> {
  const all = await suiteRunsOf(context, runId);
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
  const comparisons = await compareAll([...Map.groupBy(pairs, ({ head }) => head.suiteId).values()], context);
  const paired = new Set(pairs.flatMap(({ base, head }) => [base, head]));
  const alone = (suiteRuns: SuiteRunView[]) => suiteRuns.filter((suiteRun) => !paired.has(suiteRun));
  return { comparisons, onlyBase: alone(before), onlyHead: alone(after) };
}
