import { Variant } from '@proofmark/contracts/case-work';
import { Verdict } from '@proofmark/contracts/verdict';
import { SuiteRunPurpose } from '@proofmark/contracts/words';
import { z } from 'zod';
import {
  AnsweredAnnotation,
  AnsweredConclusion,
  AnsweredRefusal,
  AnsweredRunStatus,
  AnsweredVerdictWord,
  operation,
  type Refusal,
  wordOf,
} from './operation.ts';

/** How far a run is: enough for one line. */
export const RunProgress = z
  .looseObject({
    status: AnsweredRunStatus,
    totalCases: z.int(),
    openCases: z.int(),
    totalSuiteRuns: z.int(),
    finishedSuiteRuns: z.int(),
    poolsWithoutRunners: z.array(z.string()).default([]),
  })
  .transform((run) => ({
    status: run.status,
    totalCases: run.totalCases,
    finishedCases: run.totalCases - run.openCases,
    totalSuiteRuns: run.totalSuiteRuns,
    finishedSuiteRuns: run.finishedSuiteRuns,
    poolsWithoutRunners: run.poolsWithoutRunners,
    isEnded: run.status === 'completed' || run.status === 'failed' || run.status === 'cancelled',
  }));
export type RunProgress = z.infer<typeof RunProgress>;

/** Null: there is no run with this id for this token. */
export const runProgressOperation = operation<{ id: string }>()(
  'RunProgress',
  `query RunProgress($id: UUID!) {
    run(id: $id) { status totalCases openCases totalSuiteRuns finishedSuiteRuns poolsWithoutRunners }
  }`,
  z.looseObject({ run: RunProgress.nullable() }).transform(({ run }) => run),
);

const caseOnOneSide = z.looseObject({}).nullable();

/** The parts of a verdict that a job reads. A newer coordinator says more, and that must not stop an older Action. */
const ReportedVerdict = z.looseObject({
  basePassRate: z.number().nullable(),
  headPassRate: z.number().nullable().default(null),
  diffPoints: z.number().nullable(),
  flagged: z.array(z.string()),
  alert: z.looseObject({ newlyFailing: z.array(z.string()) }),
  /** Absent: an older coordinator, which does not count them. */
  unmeasured: z.array(z.looseObject({ isEnough: z.boolean() })).optional(),
  cases: z.array(z.looseObject({ base: caseOnOneSide, head: caseOnOneSide, notComparable: z.boolean() })),
});

const ReportedSuiteRun = z.looseObject({
  id: z.uuid(),
  suiteName: z.string(),
  suitePath: z.string().nullable(),
  cellKey: z.string(),
  variant: z.string(),
  purpose: z.string(),
  passedCases: z.int(),
  failedCases: z.int(),
  erroredCases: z.int(),
  verdict: z.looseObject({ detail: ReportedVerdict }).nullable(),
});

type ReportedSuiteRun = z.infer<typeof ReportedSuiteRun>;

/** What the head came to. The base that ran beside it, and what was run again to settle something, are not its own. */
function headOf(all: readonly ReportedSuiteRun[]): { passRate: number | null; erroredCases: number } {
  const suiteRuns = all.filter(({ variant, purpose }) => variant !== 'BASELINE' && purpose === 'FIRST');
  const sum = (count: (suiteRun: ReportedSuiteRun) => number): number =>
    suiteRuns.reduce((total, suiteRun) => total + count(suiteRun), 0);
  const passed = sum(({ passedCases }) => passedCases);
  const judged = passed + sum(({ failedCases }) => failedCases);
  return {
    passRate: judged === 0 ? null : (passed / judged) * 100,
    erroredCases: sum(({ erroredCases }) => erroredCases),
  };
}

/** An ended run with everything that a job shows of it, rendered by the coordinator. */
export const AnsweredReport = z
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
    suiteRuns: z.array(ReportedSuiteRun),
  })
  .transform(({ suiteRuns, ...run }) => ({
    ...run,
    ...headOf(suiteRuns),
    suiteRuns: suiteRuns.map(({ verdict, ...suiteRun }) => ({ ...suiteRun, verdict: verdict?.detail ?? null })),
  }));
export type AnsweredReport = z.infer<typeof AnsweredReport>;

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
  z.looseObject({ run: AnsweredReport.nullable() }).transform(({ run }) => run),
);

// A newer coordinator says more about a comparison, and that must not stop an older client.
const MeasuredVerdict = z.looseObject(Verdict.shape);

const MeasuredSuiteRun = z.looseObject({
  id: z.uuid(),
  suiteName: z.string(),
  suitePath: z.string().nullable(),
  agentName: z.string(),
  cellKey: z.string(),
  variant: wordOf(Variant.options),
  purpose: wordOf(SuiteRunPurpose.options),
  status: AnsweredRunStatus,
  failureReason: z.string().nullable(),
  passedCases: z.int(),
  failedCases: z.int(),
  erroredCases: z.int(),
  skippedCases: z.int(),
  verdict: z.looseObject({ detail: MeasuredVerdict }).nullable(),
});

/** An ended run as numbers and verdicts; `erroredCases` are part of `failedCases`. */
export const RunResult = z
  .looseObject({ id: z.uuid(), status: AnsweredRunStatus, suiteRuns: z.array(MeasuredSuiteRun) })
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

const Check = z
  .looseObject({
    name: z.string(),
    externalId: z.string(),
    onlyAfterRed: z.boolean(),
    conclusion: AnsweredConclusion.nullable(),
    title: z.string(),
    summary: z.string(),
    text: z.string(),
    annotations: z.array(AnsweredAnnotation),
  })
  .transform(({ name, externalId, onlyAfterRed, conclusion, title, summary, text, annotations }) => ({
    name,
    externalId,
    onlyAfterRed,
    output: { conclusion, title, summary, text, annotations },
  }));

const Comment = z.looseObject({
  key: z.string(),
  body: z.string(),
  resolvedBody: z.string().nullable(),
  createsComment: z.boolean(),
  hides: z.boolean(),
});

/** How checks and comment of a run should look now, for a job that writes them with its own token. */
export const AnsweredFeedback = z
  .looseObject({ checks: z.array(Check), wantedComment: Comment.nullable() })
  .transform(({ checks, wantedComment }) => ({ checks, comment: wantedComment }));
export type AnsweredFeedback = z.infer<typeof AnsweredFeedback>;

/** Null: there is no run with this id for this token. */
export const runFeedbackOperation = operation<{ id: string }>()(
  'RunFeedback',
  `query RunFeedback($id: UUID!) {
    run(id: $id) {
      feedback {
        checks { name externalId onlyAfterRed conclusion title summary text annotations { path line level title message } }
        wantedComment { key body resolvedBody createsComment hides }
      }
    }
  }`,
  z
    .looseObject({ run: z.looseObject({ feedback: AnsweredFeedback }).nullable() })
    .transform(({ run }) => run?.feedback ?? null),
);

export type Cancellation = { ok: true; changed: boolean } | { ok: false; refusal: Refusal };

const CancelSuccess = z
  .looseObject({ __typename: z.literal('CancelRunSuccess'), changed: z.boolean() })
  .transform(({ changed }): Cancellation => ({ ok: true, changed }));

const CancelFailure = AnsweredRefusal.transform((refusal): Cancellation => ({ ok: false, refusal }));

export const cancelRunOperation = operation<{ id: string }>()(
  'CancelRun',
  `mutation CancelRun($id: UUID!) {
    cancelRun(id: $id) {
      __typename
      ... on CancelRunSuccess { changed }
      ... on UserError { code message }
    }
  }`,
  z.looseObject({ cancelRun: z.union([CancelSuccess, CancelFailure]) }).transform(({ cancelRun }) => cancelRun),
);
