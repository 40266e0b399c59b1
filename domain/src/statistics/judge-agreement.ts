import type { JudgeAgreement, JudgeCounts } from '@proofmark/contracts/judge-measurement';

/** What people said of one answer, and what the judge said; null where it did not decide. */
export interface Decision {
  label: 'passed' | 'failed';
  decision: 'passed' | 'failed' | null;
}

/** How often the judge and people decided alike; answers without a decision count nowhere. */
export function countDecisions(decisions: readonly Decision[]): JudgeCounts {
  const count = (label: string, decision: string): number =>
    decisions.filter((one) => one.label === label && one.decision === decision).length;
  return {
    truePasses: count('passed', 'passed'),
    falseFails: count('passed', 'failed'),
    trueFails: count('failed', 'failed'),
    falsePasses: count('failed', 'passed'),
  };
}

/** A judge that agrees less than this beyond chance decides nothing alone. */
export const LEAST_KAPPA = 0.6;

export function judgeAgreement({ truePasses, falseFails, trueFails, falsePasses }: JudgeCounts): JudgeAgreement {
  const passes = truePasses + falseFails;
  const fails = trueFails + falsePasses;
  const all = passes + fails;
  const agreement = share(truePasses + trueFails, all);
  return {
    tpr: share(truePasses, passes),
    tnr: share(trueFails, fails),
    kappa: agreement === null ? null : kappaOf(agreement, { passes, judged: truePasses + falsePasses, all }),
    agreement,
    majorityAgreement: share(Math.max(passes, fails), all),
  };
}

/**
 * The pass rate behind the one that a judge reports, both from 0 to 1 (Rogan and Gladen). Null when the judge is no better
 * than chance, because then its decisions say nothing about the truth.
 */
export function correctedPassRate(observed: number, { tpr, tnr }: Pick<JudgeAgreement, 'tpr' | 'tnr'>): number | null {
  if (tpr === null || tnr === null || tpr + tnr <= 1) return null;
  return Math.min(1, Math.max(0, (observed + tnr - 1) / (tpr + tnr - 1)));
}

const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

/** `passes` of people and `judged` passes of the judge, of `all`. */
function kappaOf(agreement: number, { passes, judged, all }: { passes: number; judged: number; all: number }) {
  const byChance = (passes * judged + (all - passes) * (all - judged)) / all ** 2;
  return byChance === 1 ? null : (agreement - byChance) / (1 - byChance);
}
