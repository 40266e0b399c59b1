import { leastOfEach } from '@proofmark/contracts/calibration';
import type {
  JudgeAgreement,
  JudgeCalibration,
  JudgeCounts,
  MeasuredJudge,
} from '@proofmark/contracts/judge-measurement';
import type { Phrase } from '@proofmark/contracts/verdict';
import { formatRate } from '../text/format-numbers.ts';

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

/** What labelled answers say about the judge, and about the pass rate in percent that it has reported. */
export function judgeCalibration(measured: MeasuredJudge, headPassRate: number | null): JudgeCalibration {
  const { counts } = measured;
  const agreement = judgeAgreement(counts);
  const passes = counts.truePasses + counts.falseFails;
  const fails = counts.trueFails + counts.falsePasses;
  const isMeasured = Math.min(passes, fails) >= leastOfEach;
  const corrected = headPassRate === null || !isMeasured ? null : correctedPassRate(headPassRate / 100, agreement);
  return {
    ...measured,
    ...agreement,
    isMeasured,
    isWeak: isMeasured && agreement.kappa !== null && agreement.kappa < LEAST_KAPPA,
    correctedPassRate: corrected === null ? null : corrected * 100,
  };
}

const stops = {
  interrupted: 'interrupted',
  budget: 'the budget was spent',
  no_answer: 'the judge did not answer before either',
} as const;

interface Incomplete {
  labels: number;
  /** Answers that nobody asked about, because of `stop`. */
  skipped: number;
  stop: keyof typeof stops;
  /** Answers about which the judge did not decide, and why it did not about the first of them. */
  unjudged: number;
  firstError: string | null;
}

/** Why there is no decision about some of the labelled answers; null when there is one about each. */
export function whyIncomplete({ labels, skipped, stop, unjudged, firstError }: Incomplete): string | null {
  const parts = [
    ...(skipped > 0 ? [`${skipped} of ${labels} labelled answers not asked about: ${stops[stop]}`] : []),
    ...(unjudged > 0
      ? [`${unjudged} of ${labels} labelled answers without a decision: ${firstError ?? 'unknown'}`]
      : []),
  ];
  return parts.length === 0 ? null : parts.join('; ');
}

/** How far the judge can be trusted, what that means for the pass rate of the head, and what to do about a weak one. */
export function judgeLines(judge: JudgeCalibration, headPassRate: number | null): Phrase[] {
  const { path, isMeasured, isWeak, problem } = judge;
  if (!isMeasured) {
    const why: Phrase = problem === null ? [] : [': ', { code: problem }];
    return [
      ['The judge was not measured with ', { code: path }, ...why, '. How far it agrees with people is not known.'],
    ];
  }
  const figures: Phrase = [
    `Judge ${judge.judgeHash.slice(0, 12)} on ${decided(judge)} of `,
    { code: path },
    `: TPR ${percent(judge.tpr)}, TNR ${percent(judge.tnr)}, kappa ${kappaText(judge)}; agreement ${percent(judge.agreement)}, the majority label alone ${percent(judge.majorityAgreement)}.${correction(judge, headPassRate)}`,
  ];
  return isWeak ? [figures, weakness] : [figures];
}

const weakness: Phrase = [
  `Kappa below ${LEAST_KAPPA}: this judge should not decide alone, so the check is neutral whatever the verdict. `,
  { code: 'proofmark calibrate' },
  ' lists the answers that people judged otherwise: sharpen their criteria, or take another judge.',
];

/** What the title of a verdict gets where the judge should not decide alone. */
export const weakTitle = (judge: JudgeCalibration): string => `judge too weak (kappa ${kappaText(judge)})`;

function decided({ counts, labels }: JudgeCalibration): string {
  const { truePasses, falseFails, trueFails, falsePasses } = counts;
  const done = truePasses + falseFails + trueFails + falsePasses;
  return done === labels ? `${labels} labelled answers` : `${done} of ${labels} labelled answers`;
}

function correction({ correctedPassRate: rate }: JudgeCalibration, headPassRate: number | null): string {
  if (headPassRate === null) return '';
  if (rate === null) return ' It is no better than chance: its pass rate says nothing about the true one.';
  return ` The pass rate ${formatRate(headPassRate)}, corrected by TPR and TNR, is ${formatRate(rate)}.`;
}

const percent = (share: number | null): string => formatRate(share === null ? null : share * 100);
const kappaText = ({ kappa }: JudgeCalibration): string => (kappa === null ? 'n/a' : kappa.toFixed(2));
