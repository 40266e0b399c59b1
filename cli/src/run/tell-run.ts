import { relative, resolve } from 'node:path';
import type { CaseComparison, JudgedAgain, Verdict } from '@proofmark/contracts/verdict';
import { plural } from '@proofmark/domain/format-numbers';
import { plainPhrase } from '@proofmark/domain/phrase';
import type { ReportWithFacts } from '@proofmark/domain/report-with-facts';
import { renderAnswer } from '@proofmark/domain/screen-safe-json';
import { balancedPassRate } from '@proofmark/domain/summarize';
import type { EmbeddedRun } from '@proofmark/embedded/run-embedded';
import { writtenTotals } from '@proofmark/embedded/run-file';
import type { CommandContext } from '../arguments/command.ts';
import { type ExitCode, exitCodeOfRun } from '../arguments/exit-code.ts';
import { type Format, formatOfPath, renderReports, writeOutput } from '../output/render-reports.ts';
import { goOnLine, runSummary } from '../output/run-summary.ts';
import { plain, shownDocument } from '../output/terminal.ts';
import { readReports, unitsOfPage } from './read-reports.ts';
import { type RescoredRun, rescoredText } from './rescored.ts';

/** How the result of a run was asked for. */
interface Telling {
  format?: Format | undefined;
  output?: string | undefined;
  'raw-cells'?: boolean | undefined;
  json: boolean;
}

interface ToldRun {
  runId: string;
  ended: EndedRun;
  /** What to type to go on with it when it was cut short; null: it cannot go on. */
  goOn: string | null;
  /** How many answers were known and not asked for. */
  known?: number;
  /** Absent: agents were asked. */
  rescored?: RescoredRun | undefined;
}

/** Prints what was asked for; why the report could not be written, if so. */
export async function tellRun(
  { runId, ended, goOn, rescored, known }: ToldRun,
  options: Telling,
  { terminal, cwd }: CommandContext,
): Promise<string | undefined> {
  const format =
    options.format ?? (options.output === undefined ? undefined : (formatOfPath(options.output) ?? 'json'));
  const verdicts = runSummary(ended.suiteRuns, { folder: shortPath(cwd, ended.folder), goOn }, terminal);
  const spared = sparedQuestions(rescored, known);
  const summary = `${spared.text}${verdicts}`;
  if (options.json) terminal.write(renderAnswer({ ...runAnswer(runId, ended), ...spared.answer }));
  if (format === undefined) {
    if (options.json) terminal.writeError(goOnLine(ended.suiteRuns, goOn));
    else terminal.write(summary);
    return undefined;
  }
  const text = await reportText(ended, format, options);
  if (options.output === undefined) {
    terminal.writeError(summary);
    terminal.write(shownDocument(text, terminal));
    return undefined;
  }
  const problem = await writeOutput(resolve(cwd, options.output), text);
  if (!options.json) terminal.write(`${summary}${problem === undefined ? `Report: ${plain(options.output)}\n` : ''}`);
  return problem;
}

/** What was judged without asking an agent: for people, and for programs. */
function sparedQuestions(
  rescored: RescoredRun | undefined,
  known = 0,
): { text: string; answer: Record<string, unknown> } {
  if (rescored !== undefined) return { text: rescoredText(rescored), answer: { rescored: rescoredAnswer(rescored) } };
  if (known === 0) return { text: '', answer: {} };
  const verb = known === 1 ? 'was' : 'were';
  const text = `\n${plural(known, 'answer')} ${verb} known from an earlier run, and judged anew; --no-cache asks again.\n`;
  return { text, answer: { cached_answers: known } };
}

async function reportText(
  { suiteRuns }: EndedRun,
  format: Format,
  { 'raw-cells': rawCells = false }: Telling,
): Promise<string> {
  const written = suiteRuns.flatMap(({ report, verdict }) => (report.ok ? [{ path: report.path, verdict }] : []));
  const shown: ReportWithFacts[] = [];
  for (const { path, verdict } of written) {
    const read = await readReports(path, { keptUnits: format === 'html' ? unitsOfPage / written.length : 0 });
    if (!read.ok) throw new Error(`The report just written to ${path} cannot be read`);
    shown.push(...read.reports.map((report) => ({ ...report, verdict })));
  }
  return renderReports(shown, format, { rawCells });
}

/** From the current folder, or absolute when that would climb. */
function shortPath(cwd: string, path: string): string {
  const fromHere = relative(cwd, path);
  return fromHere === '' || fromHere.startsWith('..') ? path : fromHere;
}

/** A run that has ended, whatever came of it. */
export type EndedRun = Extract<EmbeddedRun, { ok: true }>;

export const exitCodeOf = ({ suiteRuns, isInterrupted }: EndedRun): ExitCode => exitCodeOfRun(suiteRuns, isInterrupted);

/** What was saved or cut, what settled a suspicion, and what more repetitions would show. */
function howItEnded({ early, cutTestRuns, confirmation, planning }: Verdict) {
  return {
    early_stop: early && {
      rule: early.rule,
      round: early.round,
      rounds: early.rounds,
      e_value: early.eValue,
      spent_usd: early.spentUsd,
      planned_usd: early.plannedUsd,
    },
    cut_test_runs: cutTestRuns,
    confirmation: confirmation && {
      is_confirmed: confirmation.isConfirmed,
      midp: confirmation.midp,
      level: confirmation.level,
      diff_points: confirmation.diffPoints,
      first_midp: confirmation.firstMidp,
    },
    planning: planning && {
      detectable_points: planning.detectablePoints,
      drop_points: planning.dropPoints,
      needed_repetitions: planning.neededRepetitions,
    },
  };
}

/** How far the judge agrees with people; null where no labelled answers say so. */
const judgeAnswer = ({ judge }: Verdict) =>
  judge && {
    path: judge.path,
    judge_hash: judge.judgeHash,
    labels: judge.labels,
    problem: judge.problem,
    is_measured: judge.isMeasured,
    is_weak: judge.isWeak,
    tpr: judge.tpr,
    tnr: judge.tnr,
    kappa: judge.kappa,
    agreement: judge.agreement,
    majority_agreement: judge.majorityAgreement,
    corrected_pass_rate: judge.correctedPassRate,
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
    word,
    reason,
    conclusion,
    title,
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
      metric,
      measured,
      test_runs: wanted,
      reason,
      is_enough: isEnough,
    })),
    judge: judgeAnswer(verdict),
  };
}

const judgedAgainAnswer = ({ answers, cases, leftOut, unjudged, changedParts, commit }: JudgedAgain) => ({
  answers,
  cases,
  left_out: leftOut,
  unjudged,
  changed: changedParts,
  commit,
});

const rescoredAnswer = ({ runId, ...rescored }: RescoredRun) => ({ run_id: runId, ...rescored });

/** The answer of `run --json`: numbers, verdicts and where the reports are. */
function runAnswer(runId: string, run: EndedRun) {
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
        balanced_pass_rate: balancedPassRate(groups),
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
