import type { CheckResult } from '@proofmark/contracts/case-outcome';
import type { Check, ExpectedBehavior } from '@proofmark/contracts/checks';
import { type CheckVerdict, checkError } from '../checks/check-verdict.ts';
import { combineChecks } from '../checks/combine-checks.ts';
import { type CaseState, type CaseStep, overtime } from './case-state.ts';
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
  try {
    for (const [checkIndex, check] of cheapestFirst(behavior.checks)) {
      checks.push(asResult(checkIndex, check, await evaluateCheck(check, { ...state, response }, context)));
    }
  } catch (error) {
    return overtime(withChecks(state, behavior, checks), context, error);
  }
  return withChecks(state, behavior, checks);
};

/** The block with every check in its place; one that was not reached could not be evaluated, and a failed one still decides. */
function withChecks(
  state: CaseState,
  { mode, checks: all }: ExpectedBehavior,
  reached: readonly CheckResult[],
): CaseState {
  const checks = all.map(
    (check, index) =>
      reached.find(({ checkIndex }) => checkIndex === index) ?? asResult(index, check, checkError('The time was over')),
  );
  const statuses = checks.map((check) => check.status);
  return { ...state, checks, behavior: combineChecks(mode, statuses) };
}

function cheapestFirst(checks: readonly Check[]): [number, Check][] {
  return [...checks.entries()].sort(([, a], [, b]) => Number(needsModel(a)) - Number(needsModel(b)));
}

function asResult(checkIndex: number, check: Check, { status, details, error }: CheckVerdict): CheckResult {
  return { checkIndex, checkType: check.type, status, passed: status === 'pass', details, error: error ?? null };
}
