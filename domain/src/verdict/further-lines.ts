import type { Conclusion, Phrase, Planning, Verdict } from '@proofmark/contracts/verdict';
import type { AlertResult } from '../alert/alert-rule.ts';
import { baseWords } from './base-words.ts';
import { formatProbability, formatRate, plural } from './format-numbers.ts';
import { sumCounts, worstCaseRate } from './missing-trials.ts';
import { nameList } from './phrase.ts';
import { planningLine } from './planning-words.ts';
import type { PreparedCell } from './prepare-cell.ts';

export interface LinesInput
  extends Pick<Verdict, 'word' | 'reason' | 'baseline' | 'drift' | 'cutTestRuns' | 'pooledRuns'> {
  cell: PreparedCell;
  alert: AlertResult;
  imbalance: boolean;
  conclusion: Conclusion;
  planning: Planning | null;
}

const manyQuarantined = 0.2;

/** The sentences below the first paragraph, those that apply, in the order of statistics section 13. */
export function furtherLines(given: LinesInput): Phrase[] {
  const lines = [
    alertLine(given),
    driftLine(given),
    oldBaseLine(given),
    missingLine(given),
    cutLine(given),
    quarantineLine(given),
    changedCasesLine(given),
    pooledLine(given),
    neutralLine(given),
  ];
  return lines.filter((line) => line.length > 0);
}

function alertLine({ alert, cell }: LinesInput): Phrase {
  if (!alert.regression) return [];
  const { settings } = cell.input;
  const drop =
    alert.drop === null
      ? ''
      : `pass rate fell ${alert.drop.toFixed(1)} points, limit ${settings.alertThresholdPercent}`;
  const newly: Phrase = alert.newlyFailing.length === 0 ? [] : ['newly failing: ', ...nameList(alert.newlyFailing)];
  const fell: Phrase = (alert.drop ?? 0) > 0 ? [drop, ...(newly.length > 0 ? ['; '] : [])] : [];
  return ['Alert rule: ', ...fell, ...newly, '.'];
}

function driftLine({ drift, cell }: LinesInput): Phrase {
  if (drift === null) return [];
  const { subject } = baseWords(cell.input.baseName);
  const chance = formatProbability(2 * Math.min(drift.midp, 1 - drift.midp));
  return [
    `${subject} itself answers otherwise than in its history (chance ${chance} over ${plural(drift.cases, 'case')}): the history was left out, only trials of now count.`,
  ];
}

function oldBaseLine({ reason, baseline }: LinesInput): Phrase {
  if (reason !== 'old_base' || baseline === null) return [];
  return [`The base is no good match (${baseline.label}), so this is shown as possible and not as proven.`];
}

function missingLine({ cell, imbalance }: LinesInput): Phrase {
  const head = sumCounts(cell.cases.map((one) => one.head));
  const missing = head.errored + head.invalid;
  if (missing === 0) return [];
  const worst = worstCaseRate(cell.compared);
  const counted = worst === null ? '' : ` Worst case, with agent errors counted as failed: ${formatRate(worst)}.`;
  const unlike = imbalance ? ' That is more than chance explains against the base.' : '';
  return [
    `${plural(missing, 'test run')} without a result (${plural(head.errored, 'agent error')}, ${plural(head.invalid, 'measuring error')}).${unlike}${counted}`,
  ];
}

function cutLine({ cutTestRuns, cell }: LinesInput): Phrase {
  if (cutTestRuns === 0) return [];
  return [`The budget was spent: ${cutTestRuns} of ${plural(cell.input.head.length, 'test run')} were not run.`];
}

/** Names with the counts by which they were measured. */
function quarantineLine({ cell: { compared } }: LinesInput): Phrase {
  const flaky = compared.filter((one) => one.quarantined);
  if (flaky.length === 0) return [];
  const many = flaky.length > compared.length * manyQuarantined ? ' More than 20% of the suite is quarantined.' : '';
  const names = flaky.flatMap(({ caseName, window }, index): Phrase => {
    const counts = window === null ? '' : ` ${window.passed}/${window.scored}`;
    return [index === 0 ? '' : ', ', { code: caseName }, counts].filter((part) => part !== '');
  });
  return ['Quarantined as flaky, never flagged alone: ', ...names, `.${many}`];
}

function changedCasesLine({ cell: { cases, input }, word }: LinesInput): Phrase {
  if (word === 'no-baseline' || input.base === null) return [];
  const added = cases.filter((one) => one.base === null && one.head !== null && !one.notComparable).length;
  const removed = cases.filter((one) => one.head === null && one.base !== null).length;
  const changed = cases.filter((one) => one.notComparable).length;
  const parts = [
    added > 0 ? `${added} new` : '',
    removed > 0 ? `${removed} removed` : '',
    changed > 0 ? `${changed} changed` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? [] : [`Not compared: ${parts.join(', ')}.`];
}

function pooledLine({ pooledRuns }: LinesInput): Phrase {
  return pooledRuns < 2 ? [] : [`${pooledRuns} runs of this agent in this pull request, pooled.`];
}

/** Whoever is told nothing definite is told what could be seen, and what it would take. */
function neutralLine({ conclusion, word, planning }: LinesInput): Phrase {
  if (conclusion !== 'neutral' || word === 'error') return [];
  return planningLine(planning, word === 'suspected' || word === 'inconclusive');
}
