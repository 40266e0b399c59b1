import type { CheckDetails, CheckResult } from '@proofmark/contracts/case-outcome';

/** What one check found, before it gets its place in the block. */
export interface CheckVerdict {
  status: CheckResult['status'];
  details: CheckDetails;
  error?: string;
  flags?: readonly string[];
}
