import { codeOfMetric } from '@proofmark/contracts/metrics';
import { judgeByCode } from '../case/judge-by-code.ts';
import type { CallResult } from '../models/model-port.ts';
import { finalFailure } from '../retry/call-failure.ts';
import { type Evaluator, notApplicable, type RawScore } from './evaluator.ts';

/** A metric that code of the team measures: a score of 0 to 1, or a verdict, which is 1 or 0. */
export const codeEvaluator: Evaluator = {
  kind: 'code',
  asks: null,
  scale: { min: 0, max: 1 },
  missingInput: () => undefined,
  begin:
    () =>
    async ({ metric, subject, context, signal }) => {
      const check = codeOfMetric(metric);
      if (check === undefined) return failed(`The metric ${metric.metric} has no code`);
      const { status, details, error } = await judgeByCode(check, subject.told, { ...context, signal });
      if (status === 'error') return failed(error ?? 'The code could not judge');
      if (status === 'skip') return notApplicable(details.reasoning ?? 'the code skips this test run');
      return scored(details.score ?? Number(status === 'pass'), {
        isPassed: status === 'pass',
        reason: details.reasoning,
      });
    },
};

function scored(
  raw: number,
  { isPassed, reason }: { isPassed: boolean; reason: string | undefined },
): CallResult<RawScore> {
  if (raw < 0 || raw > 1) return failed(`The code returned the score ${raw}: the score of a metric is 0 to 1`);
  return { ok: true, value: { raw, reasoning: reason ?? null, verdict: isPassed } };
}

const failed = (message: string): CallResult<never> => ({ ok: false, failure: finalFailure('agent', message) });
