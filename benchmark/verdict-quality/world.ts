/** A seeded generator of numbers in [0, 1): the same numbers on every machine (mulberry32). */
export function dice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** How likely a case passes, for a suite as teams have them: mostly safe cases, some shaky ones, a few that hardly ever pass. */
const mix = [
  { share: 0.6, rate: 0.99 },
  { share: 0.25, rate: 0.85 },
  { share: 0.1, rate: 0.5 },
  { share: 0.05, rate: 0.02 },
];

/** A suite of this mix: exact shares, so that luck is in the trials and not in the choice of cases. */
export function suiteOf(cases: number): number[] {
  return Array.from({ length: cases }, (_, index) => {
    let left = (index + 0.5) / cases;
    for (const { share, rate } of mix) {
      left -= share;
      if (left < 0) return rate;
    }
    return 0.99;
  });
}

/** What the pull request did to the agent. */
export type Change = 'nothing' | 'pass rate −10 points' | '10% of cases broken' | 'one stable case broken';

export function changedRates(rates: readonly number[], change: Change): number[] {
  switch (change) {
    case 'nothing':
      return [...rates];
    case 'pass rate −10 points':
      return fallEverywhere(rates, 0.1);
    case '10% of cases broken':
      return breakStable(rates, Math.round(rates.length * 0.1));
    case 'one stable case broken':
      return breakStable(rates, 1);
  }
}

/** Every case falls by the same amount, those that cannot fall so far to nothing, so that the mean falls by `drop`. */
export function fallEverywhere(rates: readonly number[], drop: number): number[] {
  const wanted = drop * rates.length;
  let low = 0;
  let high = 1;
  for (let step = 0; step < 50; step += 1) {
    const middle = (low + high) / 2;
    const lost = rates.reduce((sum, rate) => sum + Math.min(rate, middle), 0);
    if (lost < wanted) low = middle;
    else high = middle;
  }
  return rates.map((rate) => Math.max(0, rate - high));
}

/** The most stable cases break outright: those are the ones whose loss is nobody's noise. */
function breakStable(rates: readonly number[], count: number): number[] {
  const stable = rates.map((rate, index) => ({ rate, index })).toSorted((a, b) => b.rate - a.rate);
  const broken = new Set(stable.slice(0, count).map(({ index }) => index));
  return rates.map((rate, index) => (broken.has(index) ? 0 : rate));
}

export function passes(trials: number, rate: number, roll: () => number): number {
  let passed = 0;
  for (let trial = 0; trial < trials; trial += 1) passed += roll() < rate ? 1 : 0;
  return passed;
}
