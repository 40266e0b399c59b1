import { normalQuantile } from './continuous-distributions.ts';

/** How certain the plan should be; the defaults are the ones of the printed planning line. */
export type Certainty = { readonly alpha?: number; readonly power?: number };

/** What a suite is like: its number of cases and the mean of p(1 − p) over them. */
export type SuiteNoise = { readonly cases: number; readonly withinVariance: number };

const oneSidedZ = ({ alpha = 0.05, power = 0.8 }: Certainty) => normalQuantile(1 - alpha) + normalQuantile(power);

/** Whole trials; the slack keeps rounding from asking for one more. */
const roundedUp = (exact: number) => Math.max(1, Math.ceil(exact - 1e-12));

/** Mean of p̃(1 − p̃) with p̃ = (k + ½)/(n + 1) over the base history of cases (Jeffreys 1946); null without cases. */
export function meanWithinVariance(
  history: readonly { readonly passed: number; readonly scored: number }[],
): number | null {
  if (history.length === 0) return null;
  const variances = history.map(({ passed, scored }) => {
    const rate = (passed + 0.5) / (scored + 1);
    return rate * (1 - rate);
  });
  return variances.reduce((sum, variance) => sum + variance, 0) / history.length;
}

/** Repetitions that both arms need to detect a drop (a fraction), r = 2·Z²·v/(m·δ²). Normal approximation, one-sided (Fleiss 1981). */
export function repetitionsPerArm(plan: SuiteNoise & { readonly drop: number } & Certainty): {
  readonly exact: number;
  readonly repetitions: number;
} {
  const z = oneSidedZ(plan);
  const exact = (2 * z * z * plan.withinVariance) / (plan.cases * plan.drop * plan.drop);
  return { exact, repetitions: roundedUp(exact) };
}

/** Head repetitions against `baseTrials` of history, r = 1/(m·δ²/(Z²·v) − 1/n_b) (Fleiss 1981, unequal arms); null when no number is enough. */
export function repetitionsAgainstHistory(
  plan: SuiteNoise & { readonly drop: number; readonly baseTrials: number } & Certainty,
): { readonly exact: number; readonly repetitions: number } | null {
  const z = oneSidedZ(plan);
  const precision = (plan.cases * plan.drop * plan.drop) / (z * z * plan.withinVariance);
  const left = precision - 1 / plan.baseTrials;
  if (!(left > 0)) return null;
  return { exact: 1 / left, repetitions: roundedUp(1 / left) };
}

/** The smallest drop (a fraction) that these trials can see, δ = Z·sqrt(v·(1/r + 1/n_b)/m) (Bloom 1995, minimum detectable effect). */
export function smallestDetectableDrop(
  plan: SuiteNoise & { readonly repetitions: number; readonly baseTrials: number } & Certainty,
): number {
  const trials = 1 / plan.repetitions + 1 / plan.baseTrials;
  return oneSidedZ(plan) * Math.sqrt((plan.withinVariance * trials) / plan.cases);
}

/** Within-case variance of one arm and its trials per case. */
export type ArmNoise = { readonly variance: number; readonly trials: number };

/** Cases a new suite needs, (Φ⁻¹(1−α/2)+Φ⁻¹(power))²·(ω² + σ_A²/K_A + σ_B²/K_B)/δ², unrounded (Miller 2024, arXiv 2411.00640). */
export function casesForNewSuite(
  plan: {
    readonly differenceVariance: number;
    readonly base: ArmNoise;
    readonly head: ArmNoise;
    readonly drop: number;
  } & Certainty,
): number {
  const { alpha = 0.05, power = 0.8, base, head, drop } = plan;
  const z = normalQuantile(1 - alpha / 2) + normalQuantile(power);
  const variance = plan.differenceVariance + base.variance / base.trials + head.variance / head.trials;
  return (z * z * variance) / (drop * drop);
}
