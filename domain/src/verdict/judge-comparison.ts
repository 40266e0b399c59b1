import type { CaseComparison, TrialCounts, Verdict, VerdictSettings } from '@proofmark/contracts/verdict';
import { type AlertResult, type AlertRun, judgeAlert } from '../alert/alert-rule.ts';
import { conclude } from './conclude.ts';
import { formatRate, plural } from './format-numbers.ts';
import { furtherLines } from './further-lines.ts';
import { type GateInput, type GateResult, runGate } from './gate.ts';
import { gateParameters } from './gate-settings.ts';
import { errorsRegressed, missingImbalance, sumCounts } from './missing-trials.ts';
import * as words from './verdict-words.ts';

export interface ComparisonInput {
  cases: readonly CaseComparison[];
  /** Head test runs that were skipped: they count nowhere but are named when nothing else was executed. */
  skippedTestRuns: number;
  settings: VerdictSettings;
  /** Both runs as seed 002's alert rule sees them; previous is null when there is none. */
  current: AlertRun;
  previous: AlertRun | null;
}

interface Finding {
  word: Verdict['word'];
  reason: string | null;
  words: words.VerdictWords;
  gate: GateResult | null;
}

/** The verdict of one suite run against its baseline: what happened, how sure, and which colour the check gets. */
export function judgeComparison(input: ComparisonInput): Verdict {
  const { cases, settings } = input;
  const alert = alertOf(input);
  const compared = cases.filter(isComparable);
  const head = sumCounts(cases.map((one) => one.head));
  const finding = findVerdict(input, compared, head);
  const numbers = finding.gate === null ? plainNumbers(cases) : gateNumbers(finding.gate, compared);
  const belowMinimum = isBelowMinimum(passRate(head), settings);
  const imbalance = finding.gate !== null && missingImbalance(compared);
  const conclusion = conclude({
    word: finding.word,
    settings,
    alertFired: alertCounts(input, alert),
    belowMinimum,
    erroredTestRuns: head.errored + head.invalid,
    missingImbalance: imbalance,
  });
  return {
    word: finding.word,
    reason: finding.reason,
    conclusion,
    title: belowMinimum ? belowMinimumTitle(passRate(head), settings) : titleOf(finding, conclusion, head),
    paragraph: finding.words.paragraph,
    lines: furtherLines({ input: { ...input, alert }, compared, head, imbalance, word: finding.word }),
    ...numbers,
    alert: {
      fired: alert.regression,
      dropPoints: alert.drop,
      newlyFailing: [...alert.newlyFailing],
    },
    belowMinimum,
    cases: [...cases],
    settings,
  };
}

/** The order of statistics, section 5: what cannot be judged first, then the ladder of the gate. */
function findVerdict(input: ComparisonInput, compared: CaseComparison[], head: TrialCounts): Finding {
  const { cases, settings } = input;
  const byErrors = errorsRegressed(
    compared.length > 0 ? compared : cases.filter((one) => one.base !== null && one.head !== null),
    settings,
  );
  if (byErrors !== null) {
    return {
      word: 'regressed',
      reason: 'errors',
      words: words.regressedByErrors(byErrors.head, byErrors.base),
      gate: null,
    };
  }
  if (head.passed + head.failed === 0) {
    return { word: 'error', reason: null, words: words.nothingScored(head, input.skippedTestRuns), gate: null };
  }
  const withBase = cases.filter((one) => one.base !== null && words.scored(one.base) > 0);
  if (withBase.length === 0) return noBaseline(cases);
  const planned = cases.filter((one) => one.base !== null && one.head !== null).length;
  if (compared.length === 0) {
    const missing = words.insufficient(0, planned, settings.gate.min_coverage_percent, head);
    return { word: 'insufficient', reason: null, words: missing, gate: null };
  }
  return ladder(compared, planned, head, settings);
}

function noBaseline(cases: readonly CaseComparison[]): Finding {
  const reason = cases.some((one) => one.notComparable) ? 'not_comparable' : 'no_base';
  const onHead = cases.filter((one) => one.head !== null);
  const passed = onHead.filter((one) => one.head !== null && one.head.passed * 2 > words.scored(one.head)).length;
  return { word: 'no-baseline', reason, words: words.noBaseline(reason, passed, onHead.length), gate: null };
}

function ladder(compared: CaseComparison[], planned: number, head: TrialCounts, settings: VerdictSettings): Finding {
  const gate = runGate(gateInput(compared, planned, settings));
  const flagged = gate.flagged.flatMap((index) => compared[index] ?? []);
  const alertPoints = settings.alertThresholdPercent;
  const finding = (found: words.VerdictWords, reason: string | null = null): Finding => ({
    word: gate.verdict,
    reason,
    words: found,
    gate,
  });
  switch (gate.verdict) {
    case 'insufficient':
      return finding(words.insufficient(compared.length, planned, settings.gate.min_coverage_percent, head));
    case 'regressed':
      return flagged.length > 0
        ? finding(words.regressedCases(gate, flagged), 'cases')
        : finding(words.regressedSuite(gate, compared), 'suite');
    case 'suspected':
      return finding(words.suspected(gate));
    case 'improved':
      return finding(words.improved(gate));
    case 'unchanged':
      return finding(words.unchanged(gate, alertPoints));
    case 'inconclusive':
      return finding(words.inconclusive(gate));
  }
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

function plainNumbers(cases: readonly CaseComparison[]): Numbers {
  return {
    basePassRate: passRate(sumCounts(cases.map((one) => one.base))),
    headPassRate: passRate(sumCounts(cases.map((one) => one.head))),
    diffPoints: null,
    ciLoPoints: null,
    ciHiPoints: null,
    p: null,
    midp: null,
    flagged: [],
  };
}

function isComparable(one: CaseComparison): boolean {
  return one.base !== null && one.head !== null && words.scored(one.base) > 0 && words.scored(one.head) > 0;
}

function gateInput(compared: readonly CaseComparison[], planned: number, settings: VerdictSettings): GateInput {
  return {
    cases: compared.flatMap(({ base, head }) =>
      base === null || head === null
        ? []
        : [[base.passed, words.scored(base), head.passed, words.scored(head)] as const],
    ),
    planned,
    quarantined: settings.gate.quarantine ? compared.flatMap((one, index) => (one.quarantined ? [index] : [])) : [],
    ...gateParameters(settings),
  };
}

/** Percent of all executed test runs, errors counted as failed; null when nothing was executed. */
function passRate(counts: TrialCounts): number | null {
  return counts.planned === 0 ? null : (counts.passed / counts.planned) * 100;
}

function isBelowMinimum(rate: number | null, settings: VerdictSettings): boolean {
  const minimum = settings.gate.min_pass_rate;
  return minimum !== undefined && rate !== null && rate < minimum - 1e-9;
}

function belowMinimumTitle(rate: number | null, settings: VerdictSettings): string {
  return `Pass rate ${formatRate(rate)} is below the minimum of ${formatRate(settings.gate.min_pass_rate ?? null)}`;
}

/** A success that errors turned grey says so in its title. */
function titleOf({ word, words: { title } }: Finding, conclusion: Verdict['conclusion'], head: TrialCounts): string {
  const errors = head.errored + head.invalid;
  const isCapped = conclusion === 'neutral' && (word === 'unchanged' || word === 'improved');
  return isCapped && errors > 0 ? `${title}, ${plural(errors, 'error')}` : title;
}

/** Whether the alert counts for the check: an alert that consists only of quarantined newly failing cases is quiet. */
function alertCounts({ cases, settings }: ComparisonInput, alert: AlertResult): boolean {
  if (!alert.regression) return false;
  if (alert.drop !== null && alert.drop >= settings.alertThresholdPercent - 1e-9) return true;
  const quarantined = new Set(cases.filter((one) => one.quarantined).map((one) => one.caseName));
  return alert.newlyFailing.some((name) => !quarantined.has(name));
}

function alertOf({ settings, current, previous }: ComparisonInput): AlertResult {
  return judgeAlert({
    settings: {
      alertOnRegression: settings.alertOnRegression,
      alertThresholdPercent: settings.alertThresholdPercent,
      alertOnNewlyFailing: settings.gate.alert_on_newly_failing,
    },
    current,
    previous,
  });
}
