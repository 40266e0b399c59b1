import { builder } from './builder.ts';

const usual = 50;
const most = 500;

export function clampSize(first: number | null | undefined): number {
  return Math.max(0, Math.min(first ?? usual, most));
}

/** What a curve costs: as much as it may have points, each of which is one row. */
export const costOfHistory = ({ first }: { first?: number | null | undefined }) => ({
  field: Math.max(1, clampSize(first)),
  multiplier: 1,
});

/** What bounds a curve. Curves have no pages: who needs more asks for the runs themselves. */
export const historyArguments = () =>
  builder.args((t) => ({
    cellKey: t.string({ description: 'Only this combination of matrix values; absent: all of them.' }),
    onlyBase: t.boolean({ defaultValue: true, description: 'Only runs that others are compared with.' }),
    first: t.int({ defaultValue: usual, description: 'How many of the newest, up to 500.' }),
  }));
