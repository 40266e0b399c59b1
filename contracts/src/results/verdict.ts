import { z } from 'zod';
import { Gate, VerdictWord } from '../definitions/gate.ts';
import { JudgeCalibration } from './judge-measurement.ts';

// Nobody writes any of this by hand. It is stored, and read by a coordinator or a client of another version: what a newer
// one has added is left out, so that going back to the older one works.

/** Trials of one case on one side. `planned` = scheduled and not skipped; scored = passed + failed. */
export const TrialCounts = z.object({
  planned: z.int().min(0),
  passed: z.int().min(0),
  failed: z.int().min(0),
  errored: z.int().min(0),
  invalid: z.int().min(0),
});
export type TrialCounts = z.infer<typeof TrialCounts>;

/** What a case came to: one status for all of its repetitions, by the suite's reducer. */
export const CaseStatus = z.enum(['passed', 'failed', 'error', 'skipped']);
export type CaseStatus = z.infer<typeof CaseStatus>;

/** Scored trials and how many of them passed. */
export const PassCount = z.object({ passed: z.int().min(0), scored: z.int().min(0) });
export type PassCount = z.infer<typeof PassCount>;

/** What two test runs of one case may differ in, so that they cannot be compared; `measurement` where that is not known. */
export const ChangedPart = z.enum([
  'case',
  'judge',
  'simulator',
  'mock',
  'embedding',
  'metrics',
  'limits',
  'evaluator',
  'ai_configuration',
  'setting',
  'measurement',
]);
export type ChangedPart = z.infer<typeof ChangedPart>;

/** One case on both sides. Null: the case does not exist there, or not under the same comparability key. */
export const CaseComparison = z.object({
  caseName: z.string(),
  base: TrialCounts.nullable(),
  head: TrialCounts.nullable(),
  /** The base has trials of a case of this name, but of another content or measured another way. */
  notComparable: z.boolean(),
  /** In what they differ; empty for a case that can be compared. */
  changedParts: z.array(ChangedPart).default([]),
  /** Measured to be flaky on the base branch: never flagged alone. */
  quarantined: z.boolean(),
  /** The trials of the base branch by which it was measured; null when nobody looked. */
  window: PassCount.nullable().default(null),
  baseStatus: CaseStatus.nullable().default(null),
  headStatus: CaseStatus.nullable().default(null),
  /** Chance of so few passes if nothing had changed in this case; null when it was not compared. */
  p: z.number().nullable().default(null),
  /** The same, adjusted over all cases and cells that were looked at together. */
  adjustedP: z.number().nullable().default(null),
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

export const VerdictSettings = z.object({
  gate: z.object(Gate.shape),
  alertOnRegression: z.boolean(),
  alertThresholdPercent: z.int(),
  onError: z.enum(['block', 'allow']),
  /** What decides where there is no base: nothing, or the cases alone, as for a run that no check waits for. Absent: nothing. */
  withoutBase: z.enum(['neutral', 'cases']).optional(),
  /** Whoever typed the run is told what to type to compare it. Absent: nobody typed it. */
  isTyped: z.boolean().optional(),
});
export type VerdictSettings = z.infer<typeof VerdictSettings>;

/** A sentence in which names out of the repository stay apart from our own words, so that each surface can escape them. */
export const Phrase = z.array(z.union([z.string(), z.object({ code: z.string() })]));
export type Phrase = z.infer<typeof Phrase>;

/** How the base was chosen, and what the choice is worth: a regression against rung 4 is no proof. */
export const BaselineChoice = z.object({
  rung: z.int().min(1).max(5),
  /** `merge base`, `equal agent`, `3 commits older`, `not on this branch`. */
  label: z.string(),
});
export type BaselineChoice = z.infer<typeof BaselineChoice>;

/** The base's own answers changed since its history was measured, so that the history was left out. */
export const Drift = z.object({ midp: z.number(), cases: z.int().min(1) });
export type Drift = z.infer<typeof Drift>;

/** Stored answers of the base that the head's judge has judged again, because they were judged by another one before. */
export const JudgedAgain = z.object({
  answers: z.int().min(0),
  /** Of how many cases. */
  cases: z.int().min(0),
  /** Cases of which an answer is not kept whole: none of their answers was judged again. */
  leftOut: z.int().min(0),
  /** Answers that nobody came to judge: the budget or the time was used up. */
  unjudged: z.int().min(0),
  /** What measures otherwise now. */
  changedParts: z.array(ChangedPart),
  /** Where the answers were given; null when that is not known. */
  commit: z.string().nullable(),
});
export type JudgedAgain = z.infer<typeof JudgedAgain>;

/** A suspicion and the fresh trials of all cases that were to settle it. */
export const Confirmation = z.object({
  firstDiffPoints: z.number(),
  firstMidp: z.number(),
  /** Of the fresh trials alone; null when too few of them were scored. */
  diffPoints: z.number().nullable(),
  midp: z.number().nullable(),
  /** `midp` at or below this confirms. */
  level: z.number(),
  isConfirmed: z.boolean(),
});
export type Confirmation = z.infer<typeof Confirmation>;

/** Why a run ended before all of its rounds were done. */
export const EarlyStop = z.object({
  rule: z.enum(['curtailment', 'e_value']),
  round: z.int().min(1),
  rounds: z.int().min(1),
  eValue: z.number().nullable(),
  /** Null without known prices. */
  spentUsd: z.number().nullable(),
  plannedUsd: z.number().nullable(),
});
export type EarlyStop = z.infer<typeof EarlyStop>;

/** What more repetitions would bring. */
export const Planning = z.object({
  cases: z.int().min(1),
  /** Typical scored trials of a case. `baseTrials` null: there is no base yet. */
  repetitions: z.int().min(1),
  baseTrials: z.int().min(1).nullable(),
  /** The smallest drop that these trials show in four of five comparisons. */
  detectablePoints: z.number(),
  /** The drop that shall be seen, and the repetitions for it; null when none are enough against this base. */
  dropPoints: z.number(),
  neededRepetitions: z.int().min(1).nullable(),
});
export type Planning = z.infer<typeof Planning>;

/** Chance that at least one of k trials passes, and that all of them do; `cases`: how many have k scored trials. */
export const PassK = z.object({
  k: z.int().min(1),
  passAtK: z.number().nullable(),
  passHatK: z.number().nullable(),
  cases: z.int().min(0),
});
export type PassK = z.infer<typeof PassK>;

/** A metric that some test runs were to be measured by and gave no measure. */
export const UnmeasuredMetric = z.object({
  metric: z.string(),
  measured: z.int().min(0),
  /** Test runs in which it was to be measured. */
  wanted: z.int().min(1),
  /** Why it is missing; the most common reason. */
  reason: z.string(),
  /** It was measured in as many cases as the gate demands: `min_coverage_percent`. */
  isEnough: z.boolean(),
});
export type UnmeasuredMetric = z.infer<typeof UnmeasuredMetric>;

/** Mean, median and 95th percentile over trials. */
export const TrialSummary = z.object({ mean: z.number(), p50: z.number(), p95: z.number() });
export type TrialSummary = z.infer<typeof TrialSummary>;

/** One measure on both sides. `diff` is the mean over cases of head − base with its 95% interval, null without two cases. */
export const MeasureComparison = z.object({
  base: TrialSummary.nullable(),
  head: TrialSummary.nullable(),
  diff: z.object({ mean: z.number(), lo: z.number(), hi: z.number() }).nullable(),
});
export type MeasureComparison = z.infer<typeof MeasureComparison>;

export const Measures = z.object({
  latencyMs: MeasureComparison,
  tokens: MeasureComparison,
  costUsd: MeasureComparison,
});
export type Measures = z.infer<typeof Measures>;

/** What the comparison says about one suite run, with everything that is needed to compute it again. Rates are percent. */
export const Verdict = z.object({
  word: VerdictWord,
  /**
   * `suite`, `cases`, `errors`, `confirmed`, `early` for a regression; `no_base`, `not_comparable` for no-baseline;
   * `not_measured` for too few results of a metric;
   * `old_base` for a suspicion that would be a regression against a better base; null otherwise.
   */
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
  /** The suite probability adjusted over the cells that were judged together; null when there was one. */
  adjustedMidp: z.number().nullable().default(null),
  flagged: z.array(z.string()),
  alert: z.object({ fired: z.boolean(), dropPoints: z.number().nullable(), newlyFailing: z.array(z.string()) }),
  belowMinimum: z.boolean(),
  cases: z.array(CaseComparison),
  settings: VerdictSettings,
  baseline: BaselineChoice.nullable().default(null),
  drift: Drift.nullable().default(null),
  judgedAgain: JudgedAgain.nullable().default(null),
  confirmation: Confirmation.nullable().default(null),
  early: EarlyStop.nullable().default(null),
  /** Test runs of the head that were not run because the money or the tokens of the run were spent. */
  cutTestRuns: z.int().min(0).default(0),
  /** Runs of the same pull request and agent whose trials were counted together, this one included. */
  pooledRuns: z.int().min(1).default(1),
  planning: Planning.nullable().default(null),
  /** Of the head, for the suite's `pass_k`. */
  passK: z.array(PassK).default([]),
  measures: Measures.nullable().default(null),
  /** Metrics that were not measured everywhere, in the order of the suite. */
  unmeasured: z.array(UnmeasuredMetric).default([]),
  /** How far the suite's judge agrees with people; null where it names no labelled answers, or judges nothing here. */
  judge: JudgeCalibration.nullable().default(null),
});
export type Verdict = z.infer<typeof Verdict>;
