import { plural } from '@proofmark/domain/format-numbers';
import { correctedPassRate, LEAST_KAPPA } from '@proofmark/domain/judge-calibration';
import type { JudgeMeasurement, LabelJudged } from '@proofmark/embedded/measure-judges';
import type { ShownStep } from './progress.ts';
import { paint, plain, type Terminal, table } from './terminal.ts';

/** Whether the judge agrees with people so little that its word alone should stop nobody. */
export const isWeak = ({ agreement: { kappa } }: JudgeMeasurement): boolean => kappa !== null && kappa < LEAST_KAPPA;

/** A judged answer as a step of the measurement; a decision against the label is news. */
export function labelStep({ answer, decision, error, line, done, total }: LabelJudged): ShownStep {
  const base = { done, total, costUsd: null };
  if (decision === null) {
    const why = plain(error ?? 'no decision');
    return { ...base, state: 'error', lines: `line ${line}: ${why}\n`, error: why, isNews: true };
  }
  const isEqual = decision === answer.label;
  const words = isEqual ? decision : `${decision}, people: ${answer.label}`;
  return { ...base, state: isEqual ? 'passed' : 'failed', lines: `line ${line}: ${words}\n`, isNews: false };
}

/** How far a judge can be trusted, in a few lines, and where people decided otherwise. */
export function calibrationText(
  { suite, path }: { suite: string; path: string },
  measurement: JudgeMeasurement,
  terminal: Terminal,
): string {
  const { counts, agreement, disagreements, unjudged, skipped, judgeHash } = measurement;
  const passes = counts.truePasses + counts.falseFails;
  const fails = counts.trueFails + counts.falsePasses;
  const rows = [
    ['labels', `${passes} passed, ${fails} failed${missing(unjudged.length, skipped)}`],
    ['TPR', `${percent(agreement.tpr)}  of the answers that people passed, the judge passed too`],
    ['TNR', `${percent(agreement.tnr)}  of the answers that people failed, the judge failed too`],
    ['agreement', `${percent(agreement.agreement)}  the majority label alone: ${percent(agreement.majorityAgreement)}`],
    ["Cohen's kappa", `${decimals(agreement.kappa)}  ${kappaWords(measurement, terminal)}`],
    ['pass rates', correctionWords(measurement)],
    ['judge', judgeHash?.slice(0, 12) ?? 'not asked'],
  ];
  const different = disagreements.map(differenceLines).join('');
  const list =
    different === '' ? '' : `  The judge decided otherwise in ${plural(disagreements.length, 'case')}:\n${different}`;
  return `${plain(suite)}  ${plain(path)}\n${table(rows, '  ')}${list}`;
}

function missing(unjudged: number, skipped: number): string {
  const parts = [...(unjudged > 0 ? [`${unjudged} not judged`] : []), ...(skipped > 0 ? [`${skipped} not asked`] : [])];
  return parts.map((part) => `, ${part}`).join('');
}

function kappaWords(measurement: JudgeMeasurement, terminal: Terminal): string {
  if (measurement.agreement.kappa === null) return 'too little was judged';
  return isWeak(measurement)
    ? paint(terminal, 'red', `below ${LEAST_KAPPA}: this judge should not decide alone`)
    : paint(terminal, 'green', `at least ${LEAST_KAPPA}`);
}

/** What stands behind the pass rates of this judge. */
function correctionWords({ agreement }: JudgeMeasurement): string {
  const corrected = [0.5, 0.8, 1].map((observed) => [observed, correctedPassRate(observed, agreement)] as const);
  if (corrected.some(([, rate]) => rate === null)) return 'say nothing: the judge is no better than chance';
  return corrected.map(([observed, rate]) => `${percent(observed)} means ${percent(rate)}`).join(', ');
}

const differenceLines = ({ line, answer, decision, reasoning }: LabelJudged): string =>
  `    line ${line}: people ${answer.label}, the judge ${decision}: ${short(answer.criterion)}\n      ${short(reasoning)}\n`;

const longest = 160;
const short = (text: string): string => {
  const shown = plain(text);
  return shown.length <= longest ? shown : `${shown.slice(0, longest - 1)}…`;
};

const percent = (share: number | null): string => (share === null ? '-' : `${(share * 100).toFixed(1)}%`);
const decimals = (value: number | null): string => (value === null ? '-' : value.toFixed(2));
