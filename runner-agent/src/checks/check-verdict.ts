import type { CheckDetails, CheckResult } from '@proofmark/contracts/case-outcome';
import type { ExpectedBehavior } from '@proofmark/contracts/checks';
import { truncateResponse } from '@proofmark/domain/kept-text';

/** What one check found, before it gets its place in the block. */
export interface CheckVerdict {
  status: CheckResult['status'];
  details: CheckDetails;
  error?: string;
}

const shownCharacters = 200;

/** Pass without words, or fail with the reason for people. */
export function verdict(passed: boolean, whyNot: string): CheckVerdict {
  return passed ? { status: 'pass', details: {} } : { status: 'fail', details: { reasoning: whyNot } };
}

/** The check could not be evaluated: that is neither a pass nor a fail. */
export function checkError(error: string): CheckVerdict {
  return { status: 'error', details: {}, error };
}

/** A text in quotes, cut to what a sentence can hold. */
export function quoted(text: string): string {
  const { text: shown, isTruncated } = truncateResponse(text, shownCharacters);
  return `"${shown}${isTruncated ? '…' : ''}"`;
}

type CheckStatus = CheckResult['status'];

/** `all`: one fail decides; `any`: one pass decides; otherwise an error leaves it open. A skipped one says nothing. */
export function combineChecks(mode: ExpectedBehavior['mode'], statuses: readonly CheckStatus[]): CheckStatus {
  if (statuses.length > 0 && statuses.every((status) => status === 'skip')) return 'skip';
  const [decisive, otherwise]: [CheckStatus, CheckStatus] = mode === 'all' ? ['fail', 'pass'] : ['pass', 'fail'];
  if (statuses.includes(decisive)) return decisive;
  return statuses.includes('error') ? 'error' : otherwise;
}
