import { z } from 'zod';

// Stored and read as part of a verdict: what a newer version has added is left out.

/** How often a judge and people decided alike, by what people said. */
export const JudgeCounts = z.object({
  /** People passed it, and so did the judge. */
  truePasses: z.int().min(0),
  /** People passed it, the judge did not. */
  falseFails: z.int().min(0),
  /** People failed it, and so did the judge. */
  trueFails: z.int().min(0),
  /** People failed it, the judge did not. */
  falsePasses: z.int().min(0),
});
export type JudgeCounts = z.infer<typeof JudgeCounts>;

/** All are shares from 0 to 1, kappa from -1; null where nothing was counted that they could be a share of. */
export const JudgeAgreement = z.object({
  /** Share of what people passed that the judge passed too: the true positive rate. */
  tpr: z.number().nullable(),
  /** Share of what people failed that the judge failed too: the true negative rate. */
  tnr: z.number().nullable(),
  /** Cohen's kappa: agreement beyond chance. Null also when both always gave the same one decision. */
  kappa: z.number().nullable(),
  agreement: z.number().nullable(),
  /** What a judge would reach that always gives the more frequent label. */
  majorityAgreement: z.number().nullable(),
});
export type JudgeAgreement = z.infer<typeof JudgeAgreement>;

/** What a run found out about the judge of a suite with labelled answers, or why it could not. */
export const MeasuredJudge = z.object({
  /** The calibration file, from the root of the repository. */
  path: z.string(),
  judgeHash: z.string(),
  /** Labelled answers in the file. */
  labels: z.int().min(0),
  counts: JudgeCounts,
  /** Why not all labelled answers were decided about; null when they were. */
  problem: z.string().nullable(),
});
export type MeasuredJudge = z.infer<typeof MeasuredJudge>;

/** The same as part of a verdict. */
export const JudgeCalibration = MeasuredJudge.extend({
  ...JudgeAgreement.shape,
  /** Whether enough was decided for the shares to mean anything. */
  isMeasured: z.boolean(),
  /** Measured, and its agreement beyond chance is so small that the check is neutral at most. */
  isWeak: z.boolean(),
  /** The pass rate that stands behind the one of the head, in percent; null when the judge is no better than chance. */
  correctedPassRate: z.number().nullable(),
});
export type JudgeCalibration = z.infer<typeof JudgeCalibration>;
