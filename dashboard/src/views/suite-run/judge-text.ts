import { formatRate } from '@proofmark/domain/format-numbers';
import type { WholeSuiteRun } from './whole-suite-run.ts';

type Judge = NonNullable<WholeSuiteRun['verdict']>['judge'];

/** How far the judge is to be believed, as it was measured. */
export function judgeText(judge: Judge | null): string | null {
  if (judge === null) return null;
  if (!judge.isMeasured) return judge.problem ?? 'not measured';
  const agreement =
    judge.agreement === null
      ? ''
      : `agrees with people in ${formatRate(judge.agreement * 100)} of ${judge.labels} answers`;
  return `${agreement}${judge.isWeak ? ', too weak to decide' : ''}`;
}
