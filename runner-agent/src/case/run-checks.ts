import type { CheckResult } from '@proofmark/contracts/case-outcome';
import type { Check } from '@proofmark/contracts/checks';
import type { CheckVerdict } from '../checks/check-verdict.ts';
import { combineChecks } from '../checks/combine-checks.ts';
import type { CaseStep } from './case-state.ts';
import { evaluateCheck, needsModel } from './evaluate-check.ts';

/**
 * Evaluates every check of the `expected_behavior` block, those without a model first; one verdict does not stop the
 * others, so that people see all of them.
 */
export const runChecks: CaseStep = async (state, context) => {
  const behavior = context.work.case.expected_behavior;
  const { response } = state;
  if (!behavior || response === null) return state;
  const checks: CheckResult[] = [];
  for (const [checkIndex, check] of cheapestFirst(behavior.checks)) {
    checks.push(asResult(checkIndex, check, await evaluateCheck(check, { ...state, response }, context)));
  }
  checks.sort((a, b) => a.checkIndex - b.checkIndex);
  const statuses = checks.map((check) => check.status);
  return { ...state, checks, behavior: combineChecks(behavior.mode, statuses) };
};

function cheapestFirst(checks: readonly Check[]): [number, Check][] {
  return [...checks.entries()].sort(([, a], [, b]) => Number(needsModel(a)) - Number(needsModel(b)));
}

function asResult(checkIndex: number, check: Check, { status, details, error }: CheckVerdict): CheckResult {
  return { checkIndex, checkType: check.type, status, passed: status === 'pass', details, error: error ?? null };
}
