import { type Interval, wilson } from './wilson.ts';

export type DifferenceInterval = Interval & { readonly diff: number };

/** Outcomes of cases that ran once on each side. */
export type PairedTable = {
  readonly bothPassed: number;
  readonly baseOnly: number;
  readonly headOnly: number;
  readonly bothFailed: number;
};

type Margin = { readonly rate: number; readonly below: number; readonly above: number };

const root = (value: number) => Math.sqrt(Math.max(0, value));

function marginOf(passed: number, scored: number, confidence: number): Margin {
  const rate = scored === 0 ? 0 : passed / scored;
  const { lo, hi } = wilson({ passed, scored, confidence });
  return { rate, below: rate - lo, above: hi - rate };
}

function combine(first: Margin, second: Margin, phi: number): DifferenceInterval {
  const diff = first.rate - second.rate;
  const reach = (x: number, y: number) => root(x * x - 2 * phi * x * y + y * y);
  return {
    diff,
    lo: diff - reach(first.below, second.above),
    hi: diff + reach(first.above, second.below),
  };
}

/** Interval of first rate − second rate, independent samples (Newcombe 1998, Stat Med 17:873, method 10). */
export function newcombeUnpaired({
  first,
  second,
  confidence = 0.95,
}: {
  first: readonly [passed: number, scored: number];
  second: readonly [passed: number, scored: number];
  confidence?: number;
}): DifferenceInterval {
  return combine(marginOf(...first, confidence), marginOf(...second, confidence), 0);
}

/** The correlation of the paired outcomes with continuity correction; 0 when a margin is empty. */
function correlation({ bothPassed, baseOnly, headOnly, bothFailed }: PairedTable): number {
  const margins = (bothPassed + baseOnly) * (headOnly + bothFailed) * (bothPassed + headOnly) * (baseOnly + bothFailed);
  if (margins === 0) return 0;
  const half = (bothPassed + baseOnly + headOnly + bothFailed) / 2;
  const product = bothPassed * bothFailed - baseOnly * headOnly;
  const corrected = product > half ? product - half : Math.min(product, 0);
  return corrected / Math.sqrt(margins);
}

/** Interval of base rate − head rate, paired samples (Newcombe 1998, Stat Med 17:2635, method 10). */
export function newcombePaired(table: PairedTable, confidence = 0.95): DifferenceInterval & { readonly phi: number } {
  const { bothPassed, baseOnly, headOnly, bothFailed } = table;
  const cases = bothPassed + baseOnly + headOnly + bothFailed;
  const phi = correlation(table);
  const base = marginOf(bothPassed + baseOnly, cases, confidence);
  const head = marginOf(bothPassed + headOnly, cases, confidence);
  return { ...combine(base, head, phi), phi };
}
