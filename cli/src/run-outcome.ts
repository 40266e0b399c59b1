import type { CaseComparison, JudgedAgain, Verdict } from '@proofmark/contracts/verdict';
import { plainPhrase } from '@proofmark/domain/phrase';
import type { EmbeddedRun } from '@proofmark/embedded/run-embedded';
import { writtenTotals } from '@proofmark/embedded/written-totals';
import { type ExitCode, exitCodeOfRun } from './exit-code.ts';

/** A run that has ended, whatever came of it. */
export type EndedRun = Extract<EmbeddedRun, { ok: true }>;

export const exitCodeOf = ({ suiteRuns, isInterrupted }: EndedRun): ExitCode => exitCodeOfRun(suiteRuns, isInterrupted);

/** What was saved or cut, what settled a suspicion, and what more repetitions would show. */
function howItEnded({ early, cutTestRuns, confirmation, planning }: Verdict) {
  return {
    early_stop: early && {
      ...{ rule: early.rule, round: early.round, rounds: early.rounds, e_value: early.eValue },
      ...{ spent_usd: early.spentUsd, planned_usd: early.plannedUsd },
    },
    cut_test_runs: cutTestRuns,
    confirmation: confirmation && {
      ...{ is_confirmed: confirmation.isConfirmed, midp: confirmation.midp, level: confirmation.level },
      ...{ diff_points: confirmation.diffPoints, first_midp: confirmation.firstMidp },
    },
    planning: planning && {
      ...{ detectable_points: planning.detectablePoints, drop_points: planning.dropPoints },
      needed_repetitions: planning.neededRepetitions,
    },
  };
}

/** How far the judge agrees with people; null where no labelled answers say so. */
const judgeAnswer = ({ judge }: Verdict) =>
  judge && {
    ...{ path: judge.path, judge_hash: judge.judgeHash, labels: judge.labels, problem: judge.problem },
    ...{ is_measured: judge.isMeasured, is_weak: judge.isWeak },
    ...{ tpr: judge.tpr, tnr: judge.tnr, kappa: judge.kappa, agreement: judge.agreement },
    ...{ majority_agreement: judge.majorityAgreement, corrected_pass_rate: judge.correctedPassRate },
  };

/** Cases that took no part: those of one side only, and what changed in those of both. */
function notCompared({ cases }: Verdict) {
  const names = (of: readonly CaseComparison[]): string[] => of.map(({ caseName }) => caseName);
  return {
    new_cases: names(cases.filter(({ base, head, notComparable }) => base === null && head !== null && !notComparable)),
    removed_cases: names(cases.filter(({ head }) => head === null)),
    changed_cases: cases
      .filter(({ notComparable }) => notComparable)
      .map(({ caseName, changedParts }) => ({ case: caseName, changed: changedParts })),
  };
}

/** What programs read of a verdict; rates are percent, differences percentage points. */
export function verdictAnswer(verdict: Verdict) {
  const { word, reason, conclusion, title, paragraph, lines, flagged } = verdict;
  return {
    ...{ word, reason, conclusion, title },
    text: [paragraph, ...lines].map(plainPhrase),
    base_pass_rate: verdict.basePassRate,
    head_pass_rate: verdict.headPassRate,
    diff_points: verdict.diffPoints,
    interval_points: verdict.ciLoPoints === null ? null : [verdict.ciLoPoints, verdict.ciHiPoints],
    midp: verdict.midp,
    flagged,
    not_compared: notCompared(verdict),
    judged_again: verdict.judgedAgain && judgedAgainAnswer(verdict.judgedAgain),
    ...howItEnded(verdict),
    not_measured: verdict.unmeasured.map(({ metric, measured, wanted, reason, isEnough }) => ({
      ...{ metric, measured, test_runs: wanted, reason, is_enough: isEnough },
    })),
    judge: judgeAnswer(verdict),
  };
}

const judgedAgainAnswer = ({ answers, cases, leftOut, unjudged, changedParts, commit }: JudgedAgain) => ({
  ...{ answers, cases, left_out: leftOut, unjudged, changed: changedParts, commit },
});

/** The answer of `run --json`: numbers, verdicts and where the reports are. */
export function runAnswer(runId: string, run: EndedRun) {
  return {
    run_id: runId,
    exit_code: exitCodeOf(run),
    is_interrupted: run.isInterrupted,
    folder: run.folder,
    warnings: run.warnings,
    suite_runs: run.suiteRuns.map(
      ({ suiteName, suitePath, cellKey, variant, totals, report, groups, verdict, cases, costUsd }) => ({
        suite: suiteName,
        suite_path: suitePath,
        cell: cellKey,
        variant,
        ...writtenTotals(totals),
        pass_rate: report.ok ? report.summary.pass_rate : null,
        groups: groups.map(({ passRate, ...group }) => ({ ...group, pass_rate: passRate })),
        report: report.ok ? report.path : null,
        refused: report.ok ? null : report.reason,
        verdict: verdict && verdictAnswer(verdict),
        failed_cases: cases.flatMap(({ caseName, firstFailure, line }) =>
          firstFailure === null ? [] : [{ case: caseName, line, reason: firstFailure }],
        ),
        cost_usd: costUsd,
      }),
    ),
  };
}
