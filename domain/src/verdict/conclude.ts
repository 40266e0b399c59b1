import type { VerdictWord } from '@proofmark/contracts/gate';
import type { Conclusion, VerdictSettings } from '@proofmark/contracts/verdict';

type Deciding = Extract<Conclusion, 'success' | 'neutral' | 'failure'>;

export interface ConclusionInput {
  word: VerdictWord;
  settings: VerdictSettings;
  /** The alert rule fired for a case that is not quarantined, or for the size of the drop. */
  alertFired: boolean;
  belowMinimum: boolean;
  /** A case of the head did not pass, as its repetitions are reduced. */
  hasFailedCase: boolean;
  /** Test runs of the head that ended in an error of any kind. */
  erroredTestRuns: number;
  /** Test runs of the head are missing: more than chance explains, or because the budget was spent or somebody stopped it. */
  isIncomplete: boolean;
  /** The judge agrees with people so little that what it says neither stops nor clears anything. */
  isJudgeWeak: boolean;
}

type Columns = Record<VerdictSettings['gate']['decide_by'], { quiet: Deciding; alert: Deciding }>;

const green: Columns = {
  statistics: { quiet: 'success', alert: 'neutral' },
  alert: { quiet: 'success', alert: 'failure' },
  either: { quiet: 'success', alert: 'failure' },
};
const grey: Columns = {
  statistics: { quiet: 'neutral', alert: 'neutral' },
  alert: { quiet: 'neutral', alert: 'failure' },
  either: { quiet: 'neutral', alert: 'failure' },
};

/** The truth table of statistics and alert (docs/verdicts.md#every-verdict-in-its-own-words). */
const table: Record<Exclude<VerdictWord, 'error'>, Columns> = {
  regressed: {
    statistics: { quiet: 'failure', alert: 'failure' },
    alert: { quiet: 'neutral', alert: 'failure' },
    either: { quiet: 'failure', alert: 'failure' },
  },
  suspected: grey,
  improved: green,
  unchanged: green,
  inconclusive: { ...grey, alert: green.alert },
  insufficient: grey,
  'no-baseline': grey,
};

/** The colour of the suite's check. Doubt is neutral, and nothing that went missing is ever green. */
export function conclude(input: ConclusionInput): Conclusion {
  // Where nothing was scored, the judge has no part in it.
  return input.isJudgeWeak && input.word !== 'error' ? 'neutral' : byGate(input);
}

function byGate(input: ConclusionInput): Conclusion {
  const { settings, word } = input;
  if (input.belowMinimum) return 'failure';
  if (word === 'error') return settings.onError === 'allow' ? 'neutral' : 'failure';
  if (word !== 'regressed' && settings.gate.fail_on.includes(word)) return 'failure';
  const conclusion = isByCases(input) ? byCases(input) : byTable(word, input);
  if (word === 'regressed' && !settings.gate.fail_on.includes('regressed')) return 'neutral';
  return conclusion === 'success' && isCapped(input) ? 'neutral' : conclusion;
}

function byTable(word: Exclude<VerdictWord, 'error'>, { settings, alertFired }: ConclusionInput): Deciding {
  return table[word][settings.gate.decide_by][alertFired ? 'alert' : 'quiet'];
}

/** Nothing to compare with, and nobody who would look at a neutral check: the cases themselves have to say it. */
const isByCases = ({ word, settings }: ConclusionInput): boolean =>
  word === 'no-baseline' && settings.withoutBase === 'cases';

/** A minimum says how much may fail. */
const byCases = ({ hasFailedCase, settings }: ConclusionInput): Deciding =>
  hasFailedCase && settings.gate.min_pass_rate === undefined ? 'failure' : 'success';

function isCapped(input: ConclusionInput): boolean {
  return input.isIncomplete || (input.erroredTestRuns > 0 && input.settings.onError === 'block');
}
