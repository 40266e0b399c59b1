import { basename, dirname } from 'node:path';
import { comparabilityKey } from '@proofmark/domain/comparability-key';
import type { Trial } from '@proofmark/domain/decide-verdict';
import { describeJudgedAgain } from '@proofmark/domain/judge-again';
import { planRejudging, type StoredAnswer } from '@proofmark/domain/plan-rejudging';
import type { PlannedSuiteRun, PlannedTestRun } from '@proofmark/domain/plan-run';
import { sumKnown } from '@proofmark/domain/totals';
import { readLines } from '../results/read-beside.ts';
import { lineReader, type ResultLine } from '../results/result-line.ts';
import { type TestRunRow, trialsOfRows } from '../results/test-run-row.ts';

/** What an earlier run came to in one suite and cell. */
export interface EarlierSuiteRun {
  trials: readonly Trial[];
  /** Where its answers stand; null where only what they came to is known. */
  resultsPath: string | null;
}

/** Results of an earlier run to compare with, for a suite and a cell; null when it has none of them. */
export type EarlierResults = (suiteName: string, cellKey: string) => EarlierSuiteRun | null;

/** The trials in which the answers of an earlier run were judged by the judge of this one, by the position of the head. */
export type TrialsAgain = ReadonlyMap<number, readonly Trial[]>;

export interface JudgedAnew {
  again: TrialsAgain;
  /** What judging cost, by the position of the head; null when nothing had a known price. */
  costsUsd: ReadonlyMap<number, number | null>;
}

interface JudgingAgain {
  suiteRuns: readonly PlannedSuiteRun[];
  earlier: EarlierResults;
  /** Runs further suite runs and returns their rows in the same order. */
  run: (suiteRuns: readonly PlannedSuiteRun[]) => Promise<readonly (readonly TestRunRow[])[]>;
}

/** Lets the judge of this run judge what an earlier one was told, where another judge judged it then. No agent is asked. */
export async function judgeAgain({ suiteRuns, earlier, run }: JudgingAgain): Promise<JudgedAnew> {
  const planned: { position: number; suiteRun: PlannedSuiteRun }[] = [];
  for (const [position, head] of suiteRuns.entries()) {
    const stored = head.variant === 'head' ? earlier(head.suiteName, head.cellKey) : null;
    const suiteRun = stored === null ? null : await planAgain(head, stored);
    if (suiteRun !== null) planned.push({ position, suiteRun });
  }
  const rows = planned.length === 0 ? [] : await run(planned.map(({ suiteRun }) => suiteRun));
  const each = planned.map((one, index) => ({ ...one, rows: rows[index] ?? [] }));
  return {
    again: new Map(each.map((one) => [one.position, trialsOfRows(one.suiteRun, one.rows)])),
    costsUsd: new Map(each.map((one) => [one.position, sumKnown(one.rows.map(({ spentUsd }) => spentUsd))])),
  };
}

/** Null when the judge is the same, or no answer is there that could be judged again. */
async function planAgain(
  head: PlannedSuiteRun,
  { trials, resultsPath }: EarlierSuiteRun,
): Promise<PlannedSuiteRun | null> {
  const planned = trialsOfRows(head, head.testRuns.map(unmeasured));
  const changed = describeJudgedAgain({ stored: trials, again: [], head: planned, commit: null });
  if (changed === null || resultsPath === null) return null;
  const answers = await readAnswers(resultsPath);
  const testRuns = head.testRuns
    .filter(({ repetition }) => repetition === 1)
    .flatMap((testRun) => testRunsOf(head, testRun, answers.get(testRun.caseName) ?? []));
  return testRuns.length === 0 ? null : { ...head, variant: 'baseline', testRuns };
}

const unmeasured = (testRun: PlannedTestRun): TestRunRow => ({
  testRun,
  status: 'skipped',
  errorKind: null,
  skipReason: null,
  measured: null,
  place: null,
  spentUsd: null,
});

function testRunsOf(
  { settingKey }: PlannedSuiteRun,
  testRun: PlannedTestRun,
  answers: readonly (StoredAnswer & { repetition: number })[],
): PlannedTestRun[] {
  if (testRun.work === null) return [];
  const key = comparabilityKey(testRun.caseHash, testRun.instrumentHash, settingKey);
  return planRejudging({ work: testRun.work, comparabilityKey: key }, answers).map(({ answer, work }) => ({
    ...testRun,
    work,
    repetition: answer.repetition,
    resolvedVariables: work.resolvedVariables,
  }));
}

/** By the name of the case. What was decided without the agent is no answer. */
async function readAnswers(path: string): Promise<Map<string, (StoredAnswer & { repetition: number })[]>> {
  const read = lineReader();
  const place = `${basename(dirname(dirname(path)))}/${basename(dirname(path))}`;
  const answers = new Map<string, (StoredAnswer & { repetition: number })[]>();
  for await (const text of readLines(path)) {
    const line = read(text);
    if (line.kind !== 'result') continue;
    const { result } = line;
    answers.set(result.case_name, [...(answers.get(result.case_name) ?? []), answerOf(place, result)]);
  }
  return answers;
}

function answerOf(place: string, line: ResultLine): StoredAnswer & { repetition: number } {
  const { case_name: name, repetition, work, outcome } = line;
  return {
    testRunId: `${place}/${repetition === 1 ? name : `${name}#${repetition}`}`,
    comparabilityKey: comparabilityKey(line.case_hash, line.instrument_hash, line.setting_key),
    repetition,
    work,
    outcome,
  };
}
