import type { TestRunRow } from './test-run-row.ts';

/** What test runs have used, as far as it is known. */
export interface Spending {
  usd: number;
  tokens: number;
}

/** Null: as much as it takes. */
export type Budget = { readonly [Kind in keyof Spending]: number | null };

export const isOver = (spent: Spending, { usd, tokens }: Budget): boolean =>
  (usd !== null && spent.usd >= usd) || (tokens !== null && spent.tokens >= tokens);

/** The sum over these test runs; those without a known price or count are nothing. */
export function spentOn(rows: readonly Pick<TestRunRow, 'measured' | 'spentUsd'>[]): Spending {
  const spent: Spending = { usd: 0, tokens: 0 };
  for (const { measured, spentUsd } of rows) {
    spent.usd += spentUsd ?? 0;
    spent.tokens += measured?.tokens ?? 0;
  }
  return spent;
}
