import type { Adjustment } from '@proofmark/contracts/case-outcome';
import type { CaseComparison, Conclusion, JudgedAgain, Phrase, Planning, Verdict } from '@proofmark/contracts/verdict';
import type { AlertResult } from '../alert/alert-rule.ts';
import { changedPartWords, changedSubject, namesWith } from '../plan/comparability-key.ts';
import { formatProbability, formatRate, plural } from '../text/format-numbers.ts';
import { mostNames, nameList } from '../text/phrase.ts';
import { type BaseWords, baseWords } from './base-words.ts';
import { scored } from './count-trials.ts';
import { judgeLines } from './judge-calibration.ts';
import { sumCounts, worstCaseRate } from './missing-trials.ts';
import { planningLine } from './planning-words.ts';
import type { PreparedCell } from './prepare-cell.ts';
import { unmeasuredLines } from './unmeasured-metrics.ts';
import { share } from './verdict-words.ts';

export interface LinesInput
  extends Pick<
    Verdict,
    'word' | 'reason' | 'baseline' | 'drift' | 'judgedAgain' | 'cutTestRuns' | 'pooledRuns' | 'unmeasured' | 'judge'
  > {
  cell: PreparedCell;
  alert: AlertResult;
  imbalance: boolean;
  conclusion: Conclusion;
  planning: Planning | null;
  headPassRate: number | null;
}

const manyQuarantined = 0.2;

/** The sentences below the first paragraph, those that apply, in the order in which a reader needs them. */
export function furtherLines(given: LinesInput): Phrase[] {
  const lines = [
    alertLine(given),
    driftLine(given),
    oldBaseLine(given),
    judgedAgainLine(given.judgedAgain, baseWords(given.cell.input.baseName)),
    missingLine(given),
    cutLine(given),
    ...unmeasuredLines(given.unmeasured),
    worstCaseLine(given),
    ...adjustmentLines(given.cell.input.head.flatMap(({ adjustments }) => adjustments ?? [])),
    quarantineLine(given),
    ...(given.judge === null ? [] : judgeLines(given.judge, given.headPassRate)),
    ...notComparedLines(given),
    pooledLine(given),
    neutralLine(given),
  ];
  return lines.filter((line) => line.length > 0);
}

/**
 * Where both say the same, one sentence says so and gives no second number beside that of the verdict; where they differ, it
 * says why they may.
 */
function alertLine({ alert, cell, word }: LinesInput): Phrase {
  if (!alert.regression) return [];
  const { alertThresholdPercent: limit, gate } = cell.input.settings;
  const newly: Phrase = alert.newlyFailing.length === 0 ? [] : ['newly failing: ', ...nameList(alert.newlyFailing)];
  if (word === 'regressed') return newly.length === 0 ? [`${firesToo}.`] : [`${firesToo}; `, ...newly, '.'];
  const rule = `Alert rule, which asks for no proof${gate.decide_by === 'statistics' ? '' : ' and decides here'}: `;
  const { drop } = alert;
  if (drop === null || drop <= 0) return [rule, ...newly, '.'];
  const fell = `pass rate fell ${drop.toFixed(1)} points, limit ${limit}`;
  if (drop >= limit) return [rule, fell, ...(newly.length > 0 ? ['; ', ...newly] : []), '.'];
  // It was the cases that set it off: the drop alone would read like a contradiction.
  return [rule, ...newly, ` (the pass rate fell ${drop.toFixed(1)} points, within the limit of ${limit}).`];
}

/** How the line of an alert rule begins that says what the verdict says. */
export const firesToo = 'The alert rule fires, too';

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
  const unlike = imbalance ? ' That is more than chance explains against the base.' : '';
  return [
    `${plural(missing, 'test run')} without a result (${plural(head.errored, 'agent error')}, ${plural(head.invalid, 'measuring error')}).${unlike}`,
  ];
}

/** Of all cases: one that was never measured is the worst of them. */
function worstCaseLine({ cell: { cases, input, unmeasured } }: LinesInput): Phrase {
  const head = sumCounts(cases.map((one) => one.head));
  if (head.errored + head.invalid === 0 && unmeasured.metrics.length === 0) return [];
  // Where nothing was judged there is no rate that could be worse.
  if (scored(head) === 0) return [];
  const worst = worstCaseRate(input.head);
  return worst === null ? [] : [`Worst case, with all that was not measured counted as failed: ${formatRate(worst)}.`];
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

/** Cases that stand on one side only, and those that cannot be compared with each other: each kind apart. */
function notComparedLines({ cell: { cases, input } }: LinesInput): Phrase[] {
  const { name } = baseWords(input.baseName);
  // Without a base every case would be new.
  const added = input.base === null ? [] : cases.filter(isAdded);
  const removed = cases.filter((one) => one.head === null && one.base !== null);
  const changed = cases.filter((one) => one.notComparable);
  // What all of them have in common is said once.
  const isAlike = new Set(changed.map(changedPartWords)).size === 1;
  const common = isAlike && changed[0] !== undefined ? ` (${changedPartWords(changed[0])})` : '';
  return [
    listed(plural(added.length, 'new case'), added, () => ''),
    listed(plural(removed.length, 'removed case'), removed, (one) =>
      one.base && scored(one.base) > 0 ? `${share(one.base)} on ${name}` : '',
    ),
    listed(`${plural(changed.length, 'changed case')}${common}`, changed, isAlike ? () => '' : changedPartWords),
  ];
}

const isAdded = ({ base, head, notComparable }: CaseComparison): boolean =>
  base === null && head !== null && !notComparable;

const listed = (title: string, cases: readonly CaseComparison[], told: (one: CaseComparison) => string): Phrase =>
  cases.length === 0 ? [] : [`${title}, not compared: `, ...namesWith(cases, mostNames, told), '.'];

function pooledLine({ pooledRuns }: LinesInput): Phrase {
  return pooledRuns < 2 ? [] : [`${pooledRuns} runs of this agent in this pull request, pooled.`];
}

/** Whoever is told nothing definite is told what could be seen, and what it would take. */
function neutralLine({ conclusion, word, reason, planning }: LinesInput): Phrase {
  // More repetitions measure nothing more where a metric is dead.
  if (conclusion !== 'neutral' || word === 'error' || reason === 'not_measured') return [];
  return planningLine(planning, word === 'suspected' || word === 'inconclusive');
}

/** Why the base has other results here than in its own run; nothing where no stored answer was judged again. */
function judgedAgainLine(judgedAgain: JudgedAgain | null, { name }: BaseWords): Phrase {
  if (judgedAgain === null || judgedAgain.answers === 0) return [];
  const { answers, leftOut, unjudged, changedParts, commit } = judgedAgain;
  const since: Phrase = commit === null ? [' since then'] : [' since ', { code: commit.slice(0, 7) }];
  const told = `: ${plural(answers, 'stored answer')} of ${name} ${wasOrWere(answers)} judged again.`;
  const missing = [
    ...(leftOut === 0 ? [] : [` ${plural(leftOut, 'case')} left out: an answer is not kept whole.`]),
    ...(unjudged === 0 ? [] : [` ${plural(unjudged, 'answer')} ${wasOrWere(unjudged)} not judged again in time.`]),
  ];
  return [`${changedSubject(changedParts)} changed`, ...since, `${told}${missing.join('')}`];
}

const wasOrWere = (count: number): string => (count === 1 ? 'was' : 'were');

const settings: Readonly<Record<Adjustment['setting'], string>> = {
  temperature: 'temperature',
  seed: 'seed',
  reasoning_effort: 'reasoning effort',
  log_probabilities: 'log probabilities',
  max_tokens: 'token limit',
  structured_output: 'form of the answer',
  stream_usage: 'usage of streams',
};

/** What was asked otherwise, in a few words: "no temperature", "token limit: max_completion_tokens". */
export const adjustmentPhrase = ({ setting, instead }: Pick<Adjustment, 'setting' | 'instead'>): string =>
  instead === null ? `no ${settings[setting]}` : `${settings[setting]}: ${instead}`;

/** A sentence for each model that was asked otherwise than it was meant, because it refused that. */
export function adjustmentLines(adjustments: readonly Adjustment[]): Phrase[] {
  const byModel = Map.groupBy(adjustments, ({ configuration, model }) => JSON.stringify([configuration, model]));
  const lines = [...byModel.values()].map((ofModel): Phrase => {
    const [first] = ofModel;
    const changes = [...new Set(ofModel.map(adjustmentPhrase))].toSorted().join('; ');
    return [
      ...['The model ', { code: first?.model ?? '' }, ' (AI configuration ', { code: first?.configuration ?? '' }],
      `) was asked otherwise, because it refuses what is usual or written: ${changes}.`,
    ];
  });
  const more = lines.length - mostNames;
  return more > 0 ? [...lines.slice(0, mostNames), [`And ${more} more models were asked otherwise.`]] : lines;
}
