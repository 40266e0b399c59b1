import { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { CaseWork } from '@proofmark/contracts/case-work';
import { TestCase } from '@proofmark/contracts/test-case';
import { z } from 'zod';

/** One test run on disk: what it was given, so that it can be repeated, and what came of it. */
export const ResultLine = z.strictObject({
  run_id: z.string(),
  suite: z.string(),
  suite_path: z.string(),
  cell: z.string(),
  variant: z.string(),
  case_name: z.string(),
  sort_order: z.int(),
  repetition: z.int(),
  case_hash: z.string(),
  instrument_hash: z.string(),
  agent_hash: z.string(),
  /** Matrix values and values of the run: only results with an equal one may be compared. */
  setting_key: z.string().default(''),
  /** Null: decided without being run. */
  work: CaseWork.nullable(),
  /** The case of a test run that was decided without being run; otherwise it stands in `work`. */
  case: TestCase.nullable(),
  outcome: CaseOutcome,
});
export type ResultLine = z.infer<typeof ResultLine>;

/** The case as it was asked, its texts filled in. */
export function caseOfLine({
  work,
  case: testCase,
}: {
  work: Pick<CaseWork, 'case'> | null;
  case: TestCase | null;
}): TestCase {
  const found = work?.case ?? testCase;
  if (found === null || found === undefined) throw new Error('A result without its case');
  return found;
}
