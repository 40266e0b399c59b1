/** What test runs have used, as far as it is known. */
export interface Spending {
  usd: number;
  tokens: number;
}

/** Null: as much as it takes. */
export type Budget = { readonly [Kind in keyof Spending]: number | null };

export const isOver = (spent: Spending, { usd, tokens }: Budget): boolean =>
  (usd !== null && spent.usd >= usd) || (tokens !== null && spent.tokens >= tokens);

export const nothingSpent: Spending = { usd: 0, tokens: 0 };

export const sumOf = (one: Spending, other: Spending): Spending => ({
  usd: one.usd + other.usd,
  tokens: one.tokens + other.tokens,
});
