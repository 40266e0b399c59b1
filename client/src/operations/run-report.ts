import { z } from 'zod';
import { operation } from '../operation.ts';
import { AnsweredAnnotation } from './annotation.ts';
import { AnsweredConclusion, AnsweredRunStatus, AnsweredVerdictWord } from './words.ts';

const caseOnOneSide = z.looseObject({}).nullable();

/** The parts of a verdict that a job reads. A newer coordinator says more, and that must not stop an older Action. */
const AnsweredVerdict = z.looseObject({
  basePassRate: z.number().nullable(),
  diffPoints: z.number().nullable(),
  flagged: z.array(z.string()),
  alert: z.looseObject({ newlyFailing: z.array(z.string()) }),
  /** Absent: an older coordinator, which does not count them. */
  unmeasured: z.array(z.looseObject({ isEnough: z.boolean() })).optional(),
  cases: z.array(z.looseObject({ base: caseOnOneSide, head: caseOnOneSide, notComparable: z.boolean() })),
});

const SuiteRunAnswer = z.looseObject({
  id: z.uuid(),
  suiteName: z.string(),
  suitePath: z.string().nullable(),
  cellKey: z.string(),
  variant: z.string(),
  purpose: z.string(),
  passedCases: z.int(),
  failedCases: z.int(),
  erroredCases: z.int(),
  verdict: z.looseObject({ detail: AnsweredVerdict }).nullable(),
});

type SuiteRunAnswer = z.infer<typeof SuiteRunAnswer>;

/** What the head came to. The base that ran beside it, and what was run again to settle something, are not its own. */
function headOf(all: readonly SuiteRunAnswer[]): { passRate: number | null; erroredCases: number } {
  const suiteRuns = all.filter(({ variant, purpose }) => variant !== 'BASELINE' && purpose === 'FIRST');
  const sum = (count: (suiteRun: SuiteRunAnswer) => number): number =>
    suiteRuns.reduce((total, suiteRun) => total + count(suiteRun), 0);
  const passed = sum(({ passedCases }) => passedCases);
  const judged = passed + sum(({ failedCases }) => failedCases);
  return {
    passRate: judged === 0 ? null : (passed / judged) * 100,
    erroredCases: sum(({ erroredCases }) => erroredCases),
  };
}

/** An ended run with everything that a job shows of it, rendered by the coordinator. */
export const RunReport = z
  .looseObject({
    id: z.uuid(),
    status: AnsweredRunStatus,
    conclusion: AnsweredConclusion.nullable(),
    verdictWord: AnsweredVerdictWord.nullable(),
    feedback: z.looseObject({
      outcome: z.string(),
      headline: z.string(),
      markdown: z.string(),
      text: z.string(),
      costUsd: z.number().nullable(),
      suitesTotal: z.int(),
      suitesAffected: z.int(),
      annotations: z.array(AnsweredAnnotation),
    }),
    suiteRuns: z.array(SuiteRunAnswer),
  })
  .transform(({ suiteRuns, ...run }) => ({
    ...run,
    ...headOf(suiteRuns),
    suiteRuns: suiteRuns.map(({ verdict, ...suiteRun }) => ({ ...suiteRun, verdict: verdict?.detail ?? null })),
  }));
export type RunReport = z.infer<typeof RunReport>;

/** Null: there is no run with this id for this token. */
export const runReportOperation = operation<{ id: string }>()(
  'RunReport',
  `query RunReport($id: UUID!) {
    run(id: $id) {
      id status conclusion verdictWord
      feedback {
        outcome headline markdown text costUsd suitesTotal suitesAffected
        annotations { path line level title message }
      }
      suiteRuns {
        id suiteName suitePath cellKey variant purpose passedCases failedCases erroredCases verdict { detail }
      }
    }
  }`,
  z.looseObject({ run: RunReport.nullable() }).transform(({ run }) => run),
);
