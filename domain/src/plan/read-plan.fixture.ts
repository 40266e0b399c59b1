import type { CaseWork } from '@proofmark/contracts/case-work';
import { planRun, type RunPlan } from './plan-run.ts';
import type { PlanInput } from './run-request.ts';

/** The plan of a request that must be accepted. */
export function planned(input: PlanInput): RunPlan {
  const result = planRun(input);
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.problems)}`);
  return result.plan;
}

/** Why a request is refused; nothing when it is planned. */
export const problemsOf = (input: PlanInput) => {
  const result = planRun(input);
  return result.ok ? [] : result.problems.map(({ code, path, message, hint }) => ({ code, path, message, hint }));
};

/** What is to be done, in its order, over all suite runs. */
export const works = (plan: RunPlan): CaseWork[] =>
  plan.suiteRuns.flatMap(({ testRuns }) => testRuns.flatMap(({ work }) => (work ? [work] : [])));
