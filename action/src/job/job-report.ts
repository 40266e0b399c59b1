import type { AnsweredReport } from '@proofmark/client/run';
import type { VerdictWord } from '@proofmark/contracts/gate';
import type { Conclusion, Verdict } from '@proofmark/contracts/verdict';
import type { CheckOutput } from '@proofmark/domain/check-output';
import { type Outcome, outcomes } from '@proofmark/domain/run-report';
import { z } from 'zod';
import type { OutputValues } from './job.ts';

/** The parts of a verdict that become outputs. */
type ComparedVerdict = Pick<Verdict, 'basePassRate' | 'headPassRate' | 'flagged'> & {
  alert: Pick<Verdict['alert'], 'newlyFailing'>;
  unmeasured?: readonly { isEnough: boolean }[] | undefined;
  /** Null: the case has no results on that side. */
  cases: readonly { base: object | null; head: object | null; notComparable: boolean }[];
};

/** What a job says about a run that has ended, whoever executed it. */
export interface JobSummary {
  outcome: Outcome;
  conclusion: Conclusion | null;
  verdictWord: VerdictWord | null;
  headline: string;
  /** For the summary of the job. */
  markdown: string;
  /** For its log. */
  text: string;
  annotations: CheckOutput['annotations'];
  passRate: number | null;
  verdicts: readonly ComparedVerdict[];
  erroredCount: number;
  suitesTotal: number;
  suitesAffected: number;
  costUsd: number | null;
}

const KnownOutcome = z.enum(outcomes);

/** The report of a run that a coordinator executed. An outcome that a later version added is an error to us. */
export function fromCoordinator({ feedback, ...run }: AnsweredReport): JobSummary {
  return {
    outcome: KnownOutcome.safeParse(feedback.outcome).data ?? 'error',
    conclusion: run.conclusion,
    verdictWord: run.verdictWord,
    headline: feedback.headline,
    markdown: feedback.markdown,
    text: feedback.text,
    annotations: feedback.annotations,
    passRate: run.passRate,
    verdicts: run.suiteRuns.flatMap(({ verdict }) => verdict ?? []),
    erroredCount: run.erroredCases,
    suitesTotal: feedback.suitesTotal,
    suitesAffected: feedback.suitesAffected,
    costUsd: feedback.costUsd,
  };
}

/** The outputs that a report fills: only words of ours and numbers. */
export function outputsOf(report: JobSummary): Partial<OutputValues> {
  const compared = pool(report.verdicts);
  return {
    verdict: report.verdicts.length === 0 ? '' : (report.verdictWord ?? ''),
    outcome: report.outcome,
    conclusion: report.conclusion ?? '',
    'pass-rate': rate(compared.headPassRate ?? report.passRate),
    'baseline-pass-rate': rate(compared.basePassRate),
    delta: signed(compared.diffPoints),
    'regressed-count': String(report.verdicts.reduce((sum, verdict) => sum + brokenIn(verdict), 0)),
    'errored-count': String(report.erroredCount),
    'unmeasured-count': String(report.verdicts.flatMap(({ unmeasured = [] }) => unmeasured.filter(isMissing)).length),
    'suites-total': String(report.suitesTotal),
    'suites-affected': String(report.suitesAffected),
    'cost-usd': report.costUsd === null ? '' : decimalUsd(report.costUsd),
  };
}

interface Pooled {
  headPassRate: number | null;
  basePassRate: number | null;
  diffPoints: number | null;
}

/** Several suites and cells as one, every compared case with the same weight: three numbers that fit each other. */
function pool(verdicts: readonly ComparedVerdict[]): Pooled {
  const sides = verdicts.flatMap((verdict) => {
    const { basePassRate, headPassRate } = verdict;
    const weight = comparedCases(verdict);
    return basePassRate === null || headPassRate === null || weight === 0
      ? []
      : [{ basePassRate, headPassRate, weight }];
  });
  const total = sides.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return { headPassRate: null, basePassRate: null, diffPoints: null };
  const mean = (pick: (side: (typeof sides)[number]) => number) =>
    sides.reduce((sum, side) => sum + pick(side) * side.weight, 0) / total;
  const [headPassRate, basePassRate] = [mean((side) => side.headPassRate), mean((side) => side.basePassRate)];
  return { headPassRate, basePassRate, diffPoints: Number(rate(headPassRate)) - Number(rate(basePassRate)) };
}

function comparedCases({ cases }: ComparedVerdict): number {
  return cases.filter(({ base, head, notComparable }) => base !== null && head !== null && !notComparable).length;
}

const isMissing = ({ isEnough }: { isEnough: boolean }): boolean => !isEnough;

function brokenIn({ flagged, alert }: ComparedVerdict): number {
  return new Set([...flagged, ...alert.newlyFailing]).size;
}

/** Four decimals, and more where those would say nothing; never an exponent, which shells cannot add up. */
const decimalUsd = (usd: number): string => usd.toFixed(usd > 0 && usd < 0.01 ? 8 : 4);

const rate = (value: number | null): string => (value === null ? '' : value.toFixed(1));

function signed(points: number | null): string {
  if (points === null) return '';
  const text = points.toFixed(1);
  if (text === '-0.0') return '0.0';
  return points > 0 && text !== '0.0' ? `+${text}` : text;
}
