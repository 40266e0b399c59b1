import { builder } from './builder.ts';

const usual = 50;
const most = 500;

export function clampSize(first: number | null | undefined): number {
  return Math.max(0, Math.min(first ?? usual, most));
}

/** What bounds a curve. Curves have no pages: who needs more asks for the runs themselves. */
export const historyArguments = () =>
  builder.args((t) => ({
    cellKey: t.string({ description: 'Combination of matrix values.' }),
    onlyBase: t.boolean({ defaultValue: true, description: 'Only runs that others are compared with.' }),
    first: t.int({ defaultValue: usual, description: 'How many of the newest, up to 500.' }),
  }));
