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

/** Kept apart from the rows that it names: retention may remove those. */
export interface TakenFrom {
  suiteRunId: string;
  runId: string;
  pullRequest: number | null;
  how: 'reused' | 'promoted' | 'judged_again';
}
