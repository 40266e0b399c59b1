import type { CaseComparison, Measures, Verdict } from '@proofmark/contracts/verdict';
import { builder } from '../builder.ts';
import { callerOf } from '../context.ts';
import { readAnswers } from '../read/compare-suite-runs.ts';
import type { SuiteRunView } from '../read/suite-run-view.ts';
import { CaseDifferenceType } from './case-difference.ts';
import { MeasureType } from './measure.ts';
import { SuiteRunType } from './suite-run.ts';
import { VerdictType } from './verdict.ts';

/** Two suite runs held side by side. */
export interface ComparisonView {
  base: SuiteRunView;
  head: SuiteRunView;
  verdict: Verdict;
}

const nothing = { base: null, head: null, diff: null };
const emptyMeasures: Measures = { latencyMs: nothing, tokens: nothing, costUsd: nothing };
const mostCases = 200;
const sizeOf = (first: number | null | undefined): number => Math.max(0, Math.min(first ?? 50, mostCases));

export const ComparisonType = builder.objectRef<ComparisonView>('Comparison').implement({
  description: 'Two suite runs held side by side, as the gate sees them.',
  fields: (t) => ({
    base: t.field({ type: SuiteRunType, description: 'What is compared with.', resolve: ({ base }) => base }),
    head: t.field({ type: SuiteRunType, description: 'What is judged.', resolve: ({ head }) => head }),
    verdict: t.field({ type: VerdictType, description: 'What the gate says.', resolve: ({ verdict }) => verdict }),
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
      description: 'The cases, those first of which chance explains least that they fell.',
      resolve: async ({ base, head, verdict }, { first, onlyDifferent }, context) => {
        const shown = sortCases(verdict.cases)
          .filter((one) => onlyDifferent !== true || isDifferent(one))
          .slice(0, sizeOf(first));
        const names = shown.map(({ caseName }) => caseName);
        const ids = { baseId: base.id, headId: head.id };
        const answers = await readAnswers(context.ports.database, callerOf(context).tenantId, ids, names);
        return shown.flatMap((comparison) => {
          const ofCase = answers.get(comparison.caseName);
          return ofCase === undefined ? [] : [{ comparison, answers: ofCase }];
        });
      },
    }),
  }),
});

function sortCases(cases: readonly CaseComparison[]): CaseComparison[] {
  return cases.toSorted((a, b) => (a.p ?? 2) - (b.p ?? 2));
}

function isDifferent({ base, head }: CaseComparison): boolean {
  if (base === null || head === null) return true;
  return base.passed * (head.passed + head.failed) !== head.passed * (base.passed + base.failed);
}
