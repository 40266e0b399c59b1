import { Verdict } from '@proofmark/contracts/verdict';
import { z } from 'zod';
import { operation } from '../operation.ts';
import { AnsweredRunStatus, wordOf } from './words.ts';

// A newer coordinator says more about a comparison, and that must not stop an older client.
const AnsweredVerdict = z.looseObject(Verdict.shape);

const SuiteRunAnswer = z.looseObject({
  id: z.uuid(),
  suiteName: z.string(),
  suitePath: z.string().nullable(),
  agentName: z.string(),
  cellKey: z.string(),
  variant: wordOf(['head', 'baseline', 'candidate']),
  purpose: wordOf(['first', 'confirm', 'drift', 'rejudge', 'calibrate']),
  status: AnsweredRunStatus,
  failureReason: z.string().nullable(),
  passedCases: z.int(),
  failedCases: z.int(),
  erroredCases: z.int(),
  skippedCases: z.int(),
  verdict: z.looseObject({ detail: AnsweredVerdict }).nullable(),
});

/** An ended run as numbers and verdicts; `erroredCases` are part of `failedCases`. */
export const RunResult = z
  .looseObject({ id: z.uuid(), status: AnsweredRunStatus, suiteRuns: z.array(SuiteRunAnswer) })
  .transform(({ suiteRuns, ...run }) => ({
    ...run,
    suiteRuns: suiteRuns.map(({ verdict, ...suiteRun }) => ({ ...suiteRun, verdict: verdict?.detail ?? null })),
  }));
export type RunResult = z.infer<typeof RunResult>;

/** Null: there is no run with this id for this token. */
export const runResultOperation = operation<{ id: string }>()(
  'RunResult',
  `query RunResult($id: UUID!) {
    run(id: $id) {
      id status
      suiteRuns {
        id suiteName suitePath agentName cellKey variant purpose status failureReason
        passedCases failedCases erroredCases skippedCases verdict { detail }
      }
    }
  }`,
  z.looseObject({ run: RunResult.nullable() }).transform(({ run }) => run),
);
