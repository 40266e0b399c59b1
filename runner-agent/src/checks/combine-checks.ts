import type { CheckResult } from '@proofmark/contracts/case-outcome';
import type { ExpectedBehavior } from '@proofmark/contracts/checks';

export type CheckStatus = CheckResult['status'];

/** `all`: one fail decides; `any`: one pass decides; otherwise an error leaves it open. */
export function combineChecks(mode: ExpectedBehavior['mode'], statuses: readonly CheckStatus[]): CheckStatus {
  const [decisive, otherwise]: [CheckStatus, CheckStatus] = mode === 'all' ? ['fail', 'pass'] : ['pass', 'fail'];
  if (statuses.includes(decisive)) return decisive;
  return statuses.includes('error') ? 'error' : otherwise;
}
