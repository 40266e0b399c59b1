import type { MeasureComparison, TrialSummary } from '@proofmark/contracts/verdict';
import { builder } from '../builder.ts';

const TrialSummaryType = builder.objectRef<TrialSummary>('TrialSummary').implement({
  description: 'One measure over test runs.',
  fields: (t) => ({
    mean: t.exposeFloat('mean', { description: 'Mean.' }),
    p50: t.exposeFloat('p50', { description: 'Median.' }),
    p95: t.exposeFloat('p95', { description: '95th percentile.' }),
  }),
});

export const MeasureType = builder.objectRef<MeasureComparison>('MeasureComparison').implement({
  description: 'Time, tokens or money on both sides of a comparison, over test runs whose value is known.',
  fields: (t) => ({
    base: t.field({
      type: TrialSummaryType,
      nullable: true,
      description: 'The base; null when nothing is known of it.',
      resolve: ({ base }) => base,
    }),
    head: t.field({
      type: TrialSummaryType,
      nullable: true,
      description: 'The head; null when nothing is known of it.',
      resolve: ({ head }) => head,
    }),
    diff: t.float({
      nullable: true,
      description: 'Head minus base, mean over cases of both sides; null below two of them.',
      resolve: ({ diff }) => diff?.mean ?? null,
    }),
    diffLo: t.float({
      nullable: true,
      description: 'Lower end of its 95 % interval.',
      resolve: ({ diff }) => diff?.lo ?? null,
    }),
    diffHi: t.float({
      nullable: true,
      description: 'Upper end of its 95 % interval.',
      resolve: ({ diff }) => diff?.hi ?? null,
    }),
  }),
});
