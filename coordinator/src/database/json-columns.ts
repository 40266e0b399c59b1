import { JudgeCounts } from '@proofmark/contracts/judge-measurement';
import { z } from 'zod';

/** What a suite run keeps about the labelled answers of its judge. */
export const SuiteCalibration = z.object({
  /** The calibration file. */
  path: z.string(),
  judgeHash: z.string(),
  digest: z.string(),
  /** What people said, in the order of the file. */
  labels: z.array(z.enum(['passed', 'failed'])),
  /** What an earlier run has measured; null: runners measure it in this run. */
  known: z.object({ counts: JudgeCounts, problem: z.string().nullable() }).nullable(),
});
export type SuiteCalibration = z.infer<typeof SuiteCalibration>;

/**
 * Which rows of which files the cases of a suite run were made of. Most rows take one line, so what is kept are stretches: the place
 * of the first case in the suite, how many cases follow each other line by line, the place of their file, the line of the first.
 */
export const CaseRows = z.object({
  files: z.array(z.string()),
  stretches: z.array(z.tuple([z.int(), z.int(), z.int(), z.int()])),
});
export type CaseRows = z.infer<typeof CaseRows>;

/** Kept apart from the rows that it names: retention may remove those. */
export interface TakenFrom {
  suiteRunId: string;
  runId: string;
  pullRequest: number | null;
  how: 'reused' | 'promoted' | 'judged_again';
}
