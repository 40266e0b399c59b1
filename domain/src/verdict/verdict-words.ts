import type {
  CaseComparison,
  Confirmation,
  EarlyStop,
  JudgedAgain,
  Phrase,
  Planning,
  TrialCounts,
  UnmeasuredMetric,
} from '@proofmark/contracts/verdict';
import { changedOverall, isOnlyCases } from '../plan/comparability-key.ts';
import {
  formatLimit,
  formatPoints,
  formatPrice,
  formatProbability,
  formatRate,
  formatShare,
  plural,
} from '../text/format-numbers.ts';
import { mostNames, nameList } from '../text/phrase.ts';
import type { BaseWords } from './base-words.ts';
import { scored } from './count-trials.ts';
import type { GateResult } from './gate.ts';
import { evidenceAdvice, settlingAdvice } from './planning-words.ts';

/** The two texts that a verdict prints: the title of its check, and the first paragraph below it. */
export interface VerdictWords {
  title: string;
  paragraph: Phrase;
}

export function regressedSuite(gate: GateResult, compared: readonly CaseComparison[], base: BaseWords): VerdictWords {
  return {
    title: `Regressed: ${rateChange(gate)} (${formatPoints(gate.diff * 100)})`,
    paragraph: [
      [
        `${plural(compared.length, 'case')}, ${trialsPerCase(compared, base)}.`,
        `Without a real change a drop this large shows up in ${formatShare(gate.midp)} of comparisons (mid-p ${formatProbability(gate.midp)}).`,
        ...(gate.ciHi < 0 ? [`95% interval ${interval(gate)} points.`] : []),
      ].join(' '),
    ],
  };
}

export function regressedCases(gate: GateResult, broken: readonly CaseComparison[]): VerdictWords {
  const counts = broken
    .slice(0, mostNames)
    .flatMap((one): Phrase => [{ code: one.caseName }, ` ${share(one.head)}, was ${share(one.base)}. `]);
  const more = broken.length > mostNames ? `And ${broken.length - mostNames} more. ` : '';
  const suite = `Suite as a whole: ${formatRate(gate.basePassRate * 100)} → ${formatRate(gate.headPassRate * 100)}.`;
  return { title: `Regressed: ${plural(broken.length, 'case')} broke`, paragraph: [...counts, `${more}${suite}`] };
}

/** An error text and how often it came. */
export interface CommonError {
  text: string;
  count: number;
}

export function regressedByErrors(
  { head, base }: { head: TrialCounts; base: TrialCounts },
  names: BaseWords,
  mostCommon: CommonError | null,
): VerdictWords {
  const common: Phrase =
    mostCommon === null ? [] : [' Most common: ', { code: mostCommon.text }, ` (${mostCommon.count}).`];
  const status = mostCommon === null ? null : httpStatus(mostCommon.text);
  const why = status === null ? '' : ` (${status})`;
  return {
    title: `Regressed: no answer in ${head.errored} of ${plural(head.planned, 'test run')}${why}`,
    paragraph: [
      `${names.subject} failed to answer in ${base.errored} of ${base.planned}.`,
      ...common,
      ...(head.passed + head.failed === 0 ? [' Nothing was judged.'] : []),
    ],
  };
}

/** The run was stopped by what pairs of trials said, before the gate as a whole could. */
export function regressedEarly(gate: GateResult, budget: number): VerdictWords {
  return {
    title: `Regressed: ${rateChange(gate)} (${formatPoints(gate.diff * 100)})`,
    paragraph: [
      `Side by side, the head failed where the base passed so much more often than the other way round that chance does it in at most ${percent(budget)} of runs.`,
    ],
  };
}

export function suspected(gate: GateResult, planning: Planning | null, canAsk: boolean): VerdictWords {
  return {
    title: `Possible regression: ${formatPoints(gate.diff * 100)}, not proven`,
    paragraph: [
      `A drop like this appears by chance in ${formatShare(gate.midp)} of comparisons.`,
      ...settlingAdvice(planning, canAsk),
    ],
  };
}

/** How a suspicion was settled. */
export function confirmationSentence({ isConfirmed, firstDiffPoints, firstMidp, midp }: Confirmation): string {
  const first = ` First look ${formatPoints(firstDiffPoints)} (mid-p ${formatProbability(firstMidp)});`;
  if (midp === null) return `${first} a fresh rerun of all cases gave too few results to tell.`;
  const settled = isConfirmed ? 'confirmed it' : 'did not confirm it';
  return `${first} a fresh rerun of all cases ${settled} (mid-p ${formatProbability(midp)}).`;
}

/** How much of the plan was not needed. */
export function earlySentence({ rule, round, rounds, eValue, spentUsd, plannedUsd }: EarlyStop): string {
  const why = rule === 'e_value' && eValue !== null ? ` (E = ${formatEvidence(eValue)})` : '';
  const certain = rule === 'curtailment' ? ': nothing that was left could change the verdict' : '';
  return ` Decided after round ${round} of ${rounds}${why}${certain}${spending(spentUsd, plannedUsd)}.`;
}

/** Nothing for agents that cost nothing, or whose price is not known. */
function spending(spentUsd: number | null, plannedUsd: number | null): string {
  if (spentUsd === null || plannedUsd === null) return '';
  const spent = formatPrice(spentUsd);
  return /[1-9]/.test(spent) ? `, ${spent} of ${formatPrice(plannedUsd)} planned` : '';
}

export function improved(gate: GateResult): VerdictWords {
  return {
    title: `Improved: ${rateChange(gate)} (${formatPoints(gate.diff * 100)})`,
    paragraph: [`Chance would do this in ${formatShare(gate.midpImprove)} of comparisons.`],
  };
}

export function unchanged(gate: GateResult, alertPoints: number): VerdictWords {
  return {
    title: `No regression beyond ${alertPoints} points`,
    paragraph: [
      `${formatRate(gate.basePassRate * 100)} → ${formatRate(gate.headPassRate * 100)}; the 95% interval ${interval(gate, '+')} points rules out a drop of ${alertPoints} points.`,
    ],
  };
}

export function inconclusive(gate: GateResult, planning: Planning | null): VerdictWords {
  const possible = Math.max(0, -gate.ciLo * 100).toFixed(1);
  return {
    title: 'Not enough evidence',
    paragraph: [
      `Nothing suspicious, but a drop of up to ${possible} points is still possible.${evidenceAdvice(planning)}`,
    ],
  };
}

export function insufficient(
  counts: { compared: number; planned: number; minCoveragePercent: number },
  missing: readonly string[],
): VerdictWords {
  return {
    title: `Not compared: results for ${counts.compared} of ${plural(counts.planned, 'case')}`,
    paragraph: [
      `${counts.minCoveragePercent}% are needed.${missing.length > 0 ? ` Missing: ${missing.join(', ')}.` : ''}`,
    ],
  };
}

/** The base has no case of the head: nobody has run it yet, or every case is new. */
export function noBaseline(
  { passed, cases, removed, isTyped }: { passed: number; cases: number; removed: number; isTyped: boolean },
  base: BaseWords,
): VerdictWords {
  const next = `A run on ${base.branch} makes one: merge this, or push the suite there and run this again.`;
  if (removed === 0)
    return { title: `No baseline yet: ${passed}/${cases} passed`, paragraph: isTyped ? waysToCompare : [next] };
  const before = removed === 1 ? 'the one case' : `the ${removed} cases`;
  return {
    title: `No baseline: the case set changed, ${passed}/${cases} passed`,
    paragraph: [`None of ${before} of ${base.name} is left, all ${plural(cases, 'case')} are new. ${next}`],
  };
}

/** There is no base, and the suite ran before. */
export function sinceBefore({ passed, cases }: { passed: number; cases: number }, dropPoints: number): VerdictWords {
  const points = Math.abs(dropPoints).toFixed(1);
  const change = points === '0.0' ? 'as in' : `${dropPoints > 0 ? 'fell' : 'rose'} by ${points} points since`;
  return {
    title: `Pass rate ${change} the run before: ${passed}/${cases} passed`,
    paragraph: [
      'There is no baseline: only the pass rate was compared, with the last completed run of the same cases.',
    ],
  };
}

/** What whoever types a run types next. */
const waysToCompare: Phrase = [
  'Nothing was compared. Compare with a branch: ',
  { code: 'npx proofmark run --compare main' },
  '. With the run before: ',
  { code: 'npx proofmark run --compare last' },
  '.',
];

/** The base has cases of the same names, but none of them can be compared. `wasExecuted`: it ran beside the head. */
export function notComparable(
  changed: readonly CaseComparison[],
  base: BaseWords,
  { wasExecuted, judgedAgain }: { wasExecuted: boolean; judgedAgain: JudgedAgain | null | undefined },
): VerdictWords {
  const isCases = isOnlyCases(changed);
  const what = isCases ? 'every case' : changedOverall(changed);
  const why = wasExecuted ? ` since ${base.name} ran` : whyNoBase(base, judgedAgain ?? null);
  const sentence = `${what.slice(0, 1).toUpperCase()}${what.slice(1)} changed${why}.`;
  return {
    title: isCases ? 'No baseline: every case changed' : 'No baseline: the measuring setup changed',
    paragraph: [`${sentence} A run on ${base.branch} with the new ${isCases ? 'cases' : 'setup'} makes a base.`],
  };
}

/** The base is not asked, and what it said before could not take the place of an answer. */
function whyNoBase({ name }: BaseWords, judgedAgain: JudgedAgain | null): string {
  if (judgedAgain === null || judgedAgain.answers > 0) return ` and ${name} cannot be executed`;
  const stored =
    judgedAgain.unjudged > 0 ? 'were not judged again in time' : 'are not kept whole, so they cannot be judged again';
  return `, ${name} cannot be executed, and its stored answers ${stored}`;
}

/** Only a number, and who gave it where a model did, may stand in a title: the rest of an error is text of others. */
function httpStatus(error: string): string | null {
  const [, host, given] = /\bprovider at ([a-z0-9.:-]{1,40}) answered ([45]\d\d)\b/i.exec(error) ?? [];
  if (host !== undefined) return `HTTP ${given} from ${host}`;
  const status = /\b(?:HTTP |status (?:code )?)?([45]\d\d)\b/i.exec(error)?.[1];
  return status === undefined ? null : `HTTP ${status}`;
}

export function nothingScored(
  head: TrialCounts,
  skipped: { cases: number; reasons: readonly string[] },
  missing: readonly string[],
  mostCommon: CommonError | null,
): VerdictWords {
  if (head.planned === 0) {
    const why = skipped.reasons.length === 0 ? '' : ` (${skipped.reasons.join(', ')})`;
    return {
      title: 'No case was executed',
      paragraph: [`${plural(skipped.cases, 'case')} selected, ${skipped.cases} skipped${why}.`],
    };
  }
  const errors = head.errored + head.invalid;
  const status = mostCommon === null ? null : httpStatus(mostCommon.text);
  const what = status ?? 'errors';
  const common: Phrase =
    mostCommon === null ? [] : ['Most common: ', { code: mostCommon.text }, ` (${mostCommon.count}). `];
  return {
    title: `No verdict: ${what} in ${status === null ? errors : (mostCommon?.count ?? errors)} of ${plural(head.planned, 'test run')}`,
    paragraph: [`${missing.join(', ')}. `, ...common, 'Nothing was judged.'],
  };
}

/** `2 of 3 metrics not measured`: those that were measured in too few cases; `not measured enough` where one was in some. */
export function unmeasuredTitle({ metrics, of }: { metrics: readonly UnmeasuredMetric[]; of: number }): string {
  const missing = metrics.filter(({ isEnough }) => !isEnough);
  const enough = missing.every(({ measured }) => measured === 0) ? '' : ' enough';
  return `${missing.length} of ${plural(of, 'metric')} not measured${enough}`;
}

/** What the gate would have said of the metrics that there are is not enough. */
export function notMeasured(
  unmeasured: { metrics: readonly UnmeasuredMetric[]; of: number },
  { title, paragraph }: VerdictWords,
  minCoveragePercent: number,
): VerdictWords {
  const missing = unmeasured.metrics.filter(({ isEnough }) => !isEnough).map(({ metric }) => metric);
  const needed = `: ${minCoveragePercent}% of the cases are needed. What was measured says: ${title}. `;
  return {
    title: `No verdict: ${unmeasuredTitle(unmeasured)}`,
    paragraph: ['Too little was measured by ', ...nameList(missing), needed, ...paragraph],
  };
}

/** `0/3`, or `n/a` for a side that has no trial. */
export function share(counts: TrialCounts | null): string {
  return counts === null || scored(counts) === 0 ? 'n/a' : `${counts.passed}/${scored(counts)}`;
}

function rateChange(gate: GateResult): string {
  return `pass rate ${formatRate(gate.basePassRate * 100)} → ${formatRate(gate.headPassRate * 100)}`;
}

/** A setting as it was chosen: `1%`, `0.02%`. */
const percent = (share: number): string => `${Number((share * 100).toPrecision(2))}%`;

/** One decimal; evidence beyond a million is all the same. */
function formatEvidence(eValue: number): string {
  return eValue >= 1e6 ? '>1000000' : eValue.toFixed(1);
}

function trialsPerCase(compared: readonly CaseComparison[], { name }: BaseWords): string {
  const [headMin, headMax] = extremes(compared.map((one) => (one.head === null ? 0 : scored(one.head))));
  const [baseMin, baseMax] = extremes(compared.map((one) => (one.base === null ? 0 : scored(one.base))));
  const head = headMin === headMax ? plural(headMin, 'repetition') : `${headMin} to ${headMax} repetitions`;
  const base = baseMin === baseMax ? `${baseMin}` : `${baseMin} to ${baseMax}`;
  return `${head} each, against ${base} on ${name}`;
}

function extremes(values: readonly number[]): [number, number] {
  // Not spread into arguments: a suite may have more cases than a call may have arguments.
  return [
    values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY),
    values.reduce((most, value) => Math.max(most, value), 0),
  ];
}

function interval(gate: GateResult, plus = ''): string {
  const high = formatLimit(gate.ciHi * 100);
  return `${formatLimit(gate.ciLo * 100)} to ${gate.ciHi > 0 ? plus : ''}${high}`;
}
