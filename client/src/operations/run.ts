import { Variant } from '@proofmark/contracts/case-work';
import { Verdict } from '@proofmark/contracts/verdict';
import { RunTrigger, SuiteRunPurpose } from '@proofmark/contracts/words';
import { z } from 'zod';
import type {
  FindRunsQuery,
  LineRemarkFragment,
  RunFeedbackQuery,
  RunProgressQuery,
  RunReportQuery,
  RunResultQuery,
} from './documents.ts';
import { conclusionOf, runStatusOf, verdictWordOf, wordOf } from './words.ts';

/** How far a run is: enough for one line. */
export type RunProgress = ReturnType<typeof progressOf>;

export function progressOf(run: NonNullable<RunProgressQuery['run']>) {
  const status = runStatusOf(run.status);
  return {
    status,
    totalCases: run.totalCases,
    finishedCases: run.totalCases - run.openCases,
    totalSuiteRuns: run.totalSuiteRuns,
    finishedSuiteRuns: run.finishedSuiteRuns,
    poolsWithoutRunners: run.poolsWithoutRunners,
    isEnded: status === 'completed' || status === 'failed' || status === 'cancelled',
  };
}

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

/** An ended run with everything that a job shows of it, rendered by the coordinator. */
export type AnsweredReport = ReturnType<typeof reportOf>;

export function reportOf({ status, conclusion, verdictWord, feedback, ...run }: NonNullable<RunReportQuery['run']>) {
  return {
    ...run,
    ...headOf(run.suiteRuns),
    status: runStatusOf(status),
    conclusion: conclusionOf(conclusion),
    verdictWord: verdictWordOf(verdictWord),
    feedback: { ...feedback, annotations: feedback.annotations.map(remarkOf) },
    suiteRuns: run.suiteRuns.map(({ verdict, ...suiteRun }) => ({
      ...suiteRun,
      verdict: verdict === null ? null : ReportedVerdict.parse(verdict.detail),
    })),
  };
}

/** What the head came to. The base that ran beside it, and what was run again to settle something, are not its own. */
function headOf(all: NonNullable<RunReportQuery['run']>['suiteRuns']): {
  passRate: number | null;
  erroredCases: number;
} {
  const suiteRuns = all.filter(({ variant, purpose }) => variant !== 'BASELINE' && purpose === 'FIRST');
  const sum = (count: (suiteRun: (typeof all)[number]) => number): number =>
    suiteRuns.reduce((total, suiteRun) => total + count(suiteRun), 0);
  const passed = sum(({ passedCases }) => passedCases);
  const judged = passed + sum(({ failedCases }) => failedCases);
  return {
    passRate: judged === 0 ? null : (passed / judged) * 100,
    erroredCases: sum(({ erroredCases }) => erroredCases),
  };
}

/** A remark on a line of a file, as the coordinator renders it. */
const remarkOf = ({ level, ...remark }: LineRemarkFragment) => ({
  ...remark,
  level: z.enum(['failure', 'warning', 'notice']).parse(level),
});

// A newer coordinator says more about a comparison, and that must not stop an older client.
const MeasuredVerdict = z.looseObject(Verdict.shape);

/** An ended run as numbers and verdicts; `erroredCases` are part of `failedCases`. */
export type RunResult = ReturnType<typeof resultOf>;

export const resultOf = ({ id, status, suiteRuns }: NonNullable<RunResultQuery['run']>) => ({
  id,
  status: runStatusOf(status),
  suiteRuns: suiteRuns.map(({ verdict, ...suiteRun }) => ({
    ...suiteRun,
    variant: wordOf(Variant.options, suiteRun.variant),
    purpose: wordOf(SuiteRunPurpose.options, suiteRun.purpose),
    status: runStatusOf(suiteRun.status),
    verdict: verdict === null ? null : MeasuredVerdict.parse(verdict.detail),
  })),
});

/** How checks and comment of a run should look now, for a job that writes them with its own token. */
export type AnsweredFeedback = ReturnType<typeof feedbackOf>;

export const feedbackOf = ({ feedback }: NonNullable<RunFeedbackQuery['run']>) => ({
  checks: feedback.checks.map(({ name, externalId, onlyAfterRed, conclusion, title, summary, text, annotations }) => ({
    name,
    externalId,
    onlyAfterRed,
    output: { conclusion: conclusionOf(conclusion), title, summary, text, annotations: annotations.map(remarkOf) },
  })),
  comment: feedback.wantedComment,
});

/** A page of runs; `endCursor` is null behind the last one. */
export type FoundRuns = ReturnType<typeof foundRunsOf>;

export const foundRunsOf = ({ runs: { edges, pageInfo } }: FindRunsQuery) => ({
  runs: edges.map(({ node }) => ({
    ...node,
    status: runStatusOf(node.status),
    triggeredBy: wordOf(RunTrigger.options, node.triggeredBy),
    verdictWord: verdictWordOf(node.verdictWord),
  })),
  endCursor: pageInfo.hasNextPage ? pageInfo.endCursor : null,
});
