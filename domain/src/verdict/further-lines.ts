import type { CaseComparison, Phrase, TrialCounts, Verdict } from '@proofmark/contracts/verdict';
import type { AlertResult } from '../alert/alert-rule.ts';
import { formatRate, plural } from './format-numbers.ts';
import { worstCaseRate } from './missing-trials.ts';
import { nameList } from './phrase.ts';

export interface LinesInput {
  input: {
    cases: readonly CaseComparison[];
    settings: Verdict['settings'];
    alert: AlertResult;
  };
  compared: readonly CaseComparison[];
  head: TrialCounts;
  imbalance: boolean;
  word: Verdict['word'];
}

/** The sentences below the first paragraph, those that apply, in the order of statistics section 13. */
export function furtherLines(given: LinesInput): Phrase[] {
  return [alertLine(given), missingLine(given), quarantineLine(given), changedCasesLine(given)].filter(
    (line) => line.length > 0,
  );
}

function alertLine({ input }: LinesInput): Phrase {
  const { alert, settings } = input;
  if (!alert.regression) return [];
  const drop =
    alert.drop === null
      ? ''
      : `pass rate fell ${alert.drop.toFixed(1)} points, limit ${settings.alertThresholdPercent}`;
  const newly: Phrase = alert.newlyFailing.length === 0 ? [] : ['newly failing: ', ...nameList(alert.newlyFailing)];
  const fell: Phrase = (alert.drop ?? 0) > 0 ? [drop, ...(newly.length > 0 ? ['; '] : [])] : [];
  return ['Alert rule: ', ...fell, ...newly, '.'];
}

function missingLine({ compared, head, imbalance }: LinesInput): Phrase {
  const missing = head.errored + head.invalid;
  if (missing === 0) return [];
  const worst = worstCaseRate(compared);
  const counted = worst === null ? '' : ` Worst case, with agent errors counted as failed: ${formatRate(worst)}.`;
  const unlike = imbalance ? ' That is more than chance explains against the base.' : '';
  return [
    `${plural(missing, 'test run')} without a result (${plural(head.errored, 'agent error')}, ${plural(head.invalid, 'measuring error')}).${unlike}${counted}`,
  ];
}

function quarantineLine({ compared }: LinesInput): Phrase {
  const flaky = compared.filter((one) => one.quarantined);
  if (flaky.length === 0) return [];
  const many = flaky.length > compared.length * 0.2 ? ' More than 20% of the suite is quarantined.' : '';
  const names = nameList(flaky.map((one) => one.caseName));
  return ['Quarantined as flaky, never flagged alone: ', ...names, `.${many}`];
}

function changedCasesLine({ input, word }: LinesInput): Phrase {
  if (word === 'no-baseline') return [];
  const added = input.cases.filter((one) => one.base === null && one.head !== null && !one.notComparable).length;
  const removed = input.cases.filter((one) => one.head === null && one.base !== null).length;
  const changed = input.cases.filter((one) => one.notComparable).length;
  const parts = [
    added > 0 ? `${added} new` : '',
    removed > 0 ? `${removed} removed` : '',
    changed > 0 ? `${changed} changed` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? [] : [`Not compared: ${parts.join(', ')}.`];
}
