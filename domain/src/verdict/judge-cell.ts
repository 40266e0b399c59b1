import type {
  CaseComparison,
  Confirmation,
  PassK,
  TrialCounts,
  Verdict,
  VerdictSettings,
} from '@proofmark/contracts/verdict';
import type { AlertResult } from '../alert/alert-rule.ts';
import { meanOverCases, passAtK, passHatK } from '../statistics/repetitions.ts';
import { formatRate, plural } from '../text/format-numbers.ts';
import { alertOf } from './alert-of-cell.ts';
import { compareMeasures } from './compare-measures.ts';
import { conclude } from './conclude.ts';
import { settleSuspicion } from './confirm.ts';
import { scored } from './count-trials.ts';
import { type FoundVerdict, findVerdict, type MeasuredCell, planOf } from './find-verdict.ts';
import { furtherLines } from './further-lines.ts';
import type { GateLook, GateResult } from './gate.ts';
import { earlyBudget } from './gate-settings.ts';
import { judgeCalibration, weakTitle } from './judge-calibration.ts';
import { missingImbalance, sumCounts } from './missing-trials.ts';
import type { PreparedCell } from './prepare-cell.ts';
import { earlySentence, notMeasured, regressedEarly, unmeasuredTitle } from './verdict-words.ts';

/** The verdict on one cell: what happened, how sure, and which colour the check gets. */
export function judgeCell(measured: MeasuredCell, look: GateLook): Verdict {
  const { finding, confirmation, cell } = settle(measured, look);
  const { input, own, compared } = cell;
  const { settings } = input;
  const alert = alertOf(cell);
  const unmeasured = cell.unmeasured.metrics;
  // Where nothing could be judged there is no rate to compare with a minimum, though errors count in its denominator.
  const belowMinimum = finding.word !== 'error' && isBelowMinimum(passRate(own), settings);
  const imbalance = finding.gate !== null && missingImbalance(compared);
  const cutTestRuns = input.head.filter(({ skipReason }) => skipReason === 'budget').length;
  const numbers = finding.gate === null ? plainNumbers(cell) : gateNumbers(finding.gate, compared);
  const judge = input.judge == null ? null : judgeCalibration(input.judge, numbers.headPassRate);
  const conclusion = conclude({
    word: finding.word,
    settings,
    alertFired: alertCounts(cell, alert),
    belowMinimum,
    hasFailedCase: cell.cases.some(isFailed),
    erroredTestRuns: own.errored + own.invalid,
    isIncomplete:
      imbalance ||
      cutTestRuns > 0 ||
      unmeasured.some(({ isEnough }) => !isEnough) ||
      input.head.some(({ skipReason }) => skipReason === 'interrupted'),
    isJudgeWeak: judge?.isWeak ?? false,
  });
  const planning = planOf(cell);
  const { word, reason } = finding;
  const { baseline = null, judgedAgain = null, pooledRuns = 1 } = input;
  const facts = { baseline, drift: cell.drift, judgedAgain, cutTestRuns, pooledRuns, unmeasured, judge };
  const { headPassRate } = numbers;
  return {
    ...{ word, reason, conclusion },
    title: belowMinimum
      ? withWeakJudge(belowMinimumTitle(passRate(own), settings), judge)
      : titleOf(finding, { conclusion, judge, cell }),
    paragraph: finding.words.paragraph,
    lines: furtherLines({ ...facts, cell, alert, imbalance, word, conclusion, planning, reason, headPassRate }),
    ...numbers,
    adjustedMidp: look.regressionProbability ?? null,
    alert: { fired: alert.regression, dropPoints: alert.drop, newlyFailing: [...alert.newlyFailing] },
    belowMinimum,
    cases: casesWithChances(cell, measured, finding.gate),
    settings,
    ...facts,
    confirmation,
    early: input.early ?? null,
    planning,
    passK: passKOf(cell),
    measures: input.base === null ? null : compareMeasures(cell.byCase),
  };
}

interface Settled {
  finding: FoundVerdict;
  confirmation: Confirmation | null;
  cell: PreparedCell;
}

/** The first look, and what came after it: a rerun that settles, an early end, a base too old to prove anything. */
function settle(measured: MeasuredCell, look: GateLook): Settled {
  const first = findVerdict(measured, look);
  const confirmed = settleSuspicion(measured.cell, first);
  const { finding, confirmation, cell } = confirmed ?? { finding: first, confirmation: null, cell: measured.cell };
  const found = cappedByOldBase(withEarlyEnd(finding, cell), cell);
  return { finding: cappedByMetrics(found, cell), confirmation, cell };
}

/** Good news and no news are only that of what was measured. Bad news stay: more measures make nothing pass. */
function cappedByMetrics(finding: FoundVerdict, { input, unmeasured }: PreparedCell): FoundVerdict {
  const isCapped = finding.word === 'unchanged' || finding.word === 'improved' || finding.word === 'inconclusive';
  if (!isCapped || unmeasured.metrics.every(({ isEnough }) => isEnough)) return finding;
  const told = notMeasured(unmeasured, finding.words, input.settings.gate.min_coverage_percent);
  return { ...finding, word: 'insufficient', reason: 'not_measured', words: told };
}

/** A run that pairs of trials have stopped is a regression, whatever the gate makes of the few trials there are. */
function withEarlyEnd(finding: FoundVerdict, { input }: PreparedCell): FoundVerdict {
  const { early = null, settings } = input;
  if (early === null) return finding;
  const isForced = early.rule === 'e_value' && finding.word !== 'regressed' && finding.gate !== null;
  const found =
    isForced && finding.gate !== null
      ? {
          ...finding,
          word: 'regressed' as const,
          reason: 'early',
          words: regressedEarly(finding.gate, earlyBudget(settings)),
        }
      : finding;
  const { title, paragraph } = found.words;
  return { ...found, words: { title, paragraph: [...paragraph, earlySentence(early)] } };
}

/** Rung 4 of the baselines: what is older or lies off the branch may have differed for other reasons. */
function cappedByOldBase(finding: FoundVerdict, { input }: PreparedCell): FoundVerdict {
  if (finding.word !== 'regressed' || input.baseline?.rung !== 4) return finding;
  const title = finding.words.title.replace(/^Regressed: /, 'Possible regression: ');
  return { ...finding, word: 'suspected', reason: 'old_base', words: { ...finding.words, title } };
}

type Numbers = Pick<
  Verdict,
  'basePassRate' | 'headPassRate' | 'diffPoints' | 'ciLoPoints' | 'ciHiPoints' | 'p' | 'midp' | 'flagged'
>;

function gateNumbers(gate: GateResult, compared: readonly CaseComparison[]): Numbers {
  return {
    basePassRate: gate.basePassRate * 100,
    headPassRate: gate.headPassRate * 100,
    diffPoints: gate.diff * 100,
    ciLoPoints: gate.ciLo * 100,
    ciHiPoints: gate.ciHi * 100,
    p: gate.p,
    midp: gate.midp,
    flagged: gate.flagged.flatMap((index) => compared[index]?.caseName ?? []),
  };
}

function plainNumbers({ cases }: PreparedCell): Numbers {
  return {
    // What the head no longer has says nothing about the head.
    basePassRate: passRate(sumCounts(cases.map((one) => (one.head === null ? null : one.base)))),
    headPassRate: passRate(sumCounts(cases.map((one) => one.head))),
    diffPoints: null,
    ciLoPoints: null,
    ciHiPoints: null,
    p: null,
    midp: null,
    flagged: [],
  };
}

/** The chances belong to the cases that the first look has compared. */
function casesWithChances(
  { cases }: PreparedCell,
  { cell, measured }: MeasuredCell,
  gate: GateResult | null,
): CaseComparison[] {
  const chances = new Map(
    cell.compared.map(({ caseName }, index) => [
      caseName,
      { p: measured?.casePValues[index] ?? null, adjustedP: gate?.adjusted[index] ?? null },
    ]),
  );
  return cases.map((one) => ({ ...one, ...chances.get(one.caseName) }));
}

/** For the `pass_k` of the suite, else for the number of repetitions that were run. */
function passKOf({ input, cases }: PreparedCell): PassK[] {
  const trials = cases.flatMap(({ head }) => (head === null ? [] : [{ passed: head.passed, scored: scored(head) }]));
  const repetitions = trials.reduce((most, one) => Math.max(most, one.scored), 0);
  const wanted = input.settings.gate.pass_k ?? (repetitions > 0 ? [repetitions] : []);
  return wanted.map((k) => {
    const atLeastOne = meanOverCases(trials, k, passAtK);
    return {
      k,
      passAtK: atLeastOne.value,
      passHatK: meanOverCases(trials, k, passHatK).value,
      cases: atLeastOne.cases,
    };
  });
}

/** Percent of all executed test runs, errors counted as failed; null when nothing was executed. */
function passRate(counts: TrialCounts): number | null {
  return counts.planned === 0 ? null : (counts.passed / counts.planned) * 100;
}

/** Whether the agent failed the case; one that only the measuring side broke says nothing about it. */
const isFailed = ({ head, headStatus }: CaseComparison): boolean =>
  headStatus === 'failed' || (headStatus === 'error' && head !== null && head.errored > 0);

function isBelowMinimum(rate: number | null, settings: VerdictSettings): boolean {
  const minimum = settings.gate.min_pass_rate;
  return minimum !== undefined && rate !== null && rate < minimum - 1e-9;
}

function belowMinimumTitle(rate: number | null, settings: VerdictSettings): string {
  return `Pass rate ${formatRate(rate)} is below the minimum of ${formatRate(settings.gate.min_pass_rate ?? null)}`;
}

/** A conclusion that errors or a weak judge turned grey says so in its title, and one whose metrics are missing. */
function titleOf(
  { word, words: { title } }: FoundVerdict,
  { conclusion, judge, cell: { own, unmeasured } }: Pick<Verdict, 'conclusion' | 'judge'> & { cell: PreparedCell },
): string {
  const errors = own.errored + own.invalid;
  const isCapped = conclusion === 'neutral' && (word === 'unchanged' || word === 'improved');
  const isDead = word === 'no-baseline' && unmeasured.metrics.some(({ isEnough }) => !isEnough);
  const parts = [
    title,
    isCapped && errors > 0 ? plural(errors, 'error') : '',
    isDead ? unmeasuredTitle(unmeasured) : '',
  ];
  const told = parts.filter((part) => part !== '').join(', ');
  return word === 'error' ? told : withWeakJudge(told, judge);
}

const withWeakJudge = (title: string, judge: Verdict['judge']): string =>
  judge?.isWeak === true ? `${title}, ${weakTitle(judge)}` : title;

/** Whether the alert counts for the check: an alert that consists only of quarantined newly failing cases is quiet. */
function alertCounts({ cases, input }: PreparedCell, alert: AlertResult): boolean {
  if (!alert.regression) return false;
  if (alert.drop !== null && alert.drop >= input.settings.alertThresholdPercent - 1e-9) return true;
  const quarantined = new Set(cases.filter((one) => one.quarantined).map((one) => one.caseName));
  return alert.newlyFailing.some((name) => !quarantined.has(name));
}
