import { z } from 'zod';
import { Gate, VerdictWord } from '../definitions/gate.ts';

/** Trials of one case on one side. `planned` = scheduled and not skipped; scored = passed + failed. */
export const TrialCounts = z.strictObject({
  planned: z.int().min(0),
  passed: z.int().min(0),
  failed: z.int().min(0),
  errored: z.int().min(0),
  invalid: z.int().min(0),
});
export type TrialCounts = z.infer<typeof TrialCounts>;

/** One case on both sides. Null: the case does not exist there, or not under the same comparability key. */
export const CaseComparison = z.strictObject({
  caseName: z.string(),
  base: TrialCounts.nullable(),
  head: TrialCounts.nullable(),
  /** The base has trials of a case of this name, but of another content or measured another way. */
  notComparable: z.boolean(),
  /** Measured to be flaky on the base branch: never flagged alone. */
  quarantined: z.boolean(),
});
export type CaseComparison = z.infer<typeof CaseComparison>;

export const Conclusion = z.enum([
  'success',
  'neutral',
  'failure',
  'cancelled',
  'timed_out',
  'action_required',
  'skipped',
]);
export type Conclusion = z.infer<typeof Conclusion>;

export const VerdictSettings = z.strictObject({
  gate: Gate,
  alertOnRegression: z.boolean(),
  alertThresholdPercent: z.int(),
  onError: z.enum(['block', 'allow']),
});
export type VerdictSettings = z.infer<typeof VerdictSettings>;

/** A sentence in which names out of the repository stay apart from our own words, so that each surface can escape them. */
export const Phrase = z.array(z.union([z.string(), z.strictObject({ code: z.string() })]));
export type Phrase = z.infer<typeof Phrase>;

/** What the comparison says about one suite run, with everything that is needed to compute it again. Rates are percent. */
export const Verdict = z.strictObject({
  word: VerdictWord,
  /** `suite`, `cases`, `errors` for a regression; `no_base`, `not_comparable` for no-baseline; null otherwise. */
  reason: z.string().nullable(),
  conclusion: Conclusion,
  title: z.string(),
  paragraph: Phrase,
  /** Further sentences, in the order in which they are printed. */
  lines: z.array(Phrase),
  basePassRate: z.number().nullable(),
  headPassRate: z.number().nullable(),
  /** Head minus base in percentage points, every comparable case with the same weight. */
  diffPoints: z.number().nullable(),
  ciLoPoints: z.number().nullable(),
  ciHiPoints: z.number().nullable(),
  p: z.number().nullable(),
  midp: z.number().nullable(),
  flagged: z.array(z.string()),
  alert: z.strictObject({ fired: z.boolean(), dropPoints: z.number().nullable(), newlyFailing: z.array(z.string()) }),
  belowMinimum: z.boolean(),
  cases: z.array(CaseComparison),
  settings: VerdictSettings,
});
export type Verdict = z.infer<typeof Verdict>;
