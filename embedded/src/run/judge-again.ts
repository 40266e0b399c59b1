import { basename, dirname } from 'node:path';
import { comparabilityKey } from '@proofmark/domain/comparability-key';
import { planRejudging, type StoredAnswer } from '@proofmark/domain/plan-rejudging';
import type { PlannedSuiteRun, PlannedTestRun } from '@proofmark/domain/plan-run';
import { readLines } from '../results/read-beside.ts';
import { lineReader, type ResultLine } from '../results/result-line.ts';
import {
  type EarlierResults,
  type EarlierSuiteRun,
  type ExecutedSuiteRun,
  type FurtherSuiteRun,
  type RunApart,
  runFurther,
} from './judge-run.ts';

interface JudgingAgain {
  /** Those that are compared with answers that another judge has judged. */
  heads: readonly ExecutedSuiteRun[];
  earlier: EarlierResults;
  run: RunApart;
}

/** Lets the judge of this run judge what an earlier one was told, where another judge judged it then. No agent is asked. */
export async function judgeAgain({ heads, earlier, run }: JudgingAgain): Promise<ExecutedSuiteRun[]> {
  const further: FurtherSuiteRun[] = [];
  for (const head of heads) {
    const stored = earlier(head.planned.suiteName, head.planned.cellKey);
    const planned = stored === null ? null : await planAgain(head.planned, stored);
    if (planned !== null) further.push({ of: head, purpose: 'rejudge', planned });
  }
  return await runFurther(further, run);
}

/** Null when no answer is there that could be judged again. */
async function planAgain(head: PlannedSuiteRun, { resultsPath }: EarlierSuiteRun): Promise<PlannedSuiteRun | null> {
  if (resultsPath === null) return null;
  const answers = await readAnswers(resultsPath);
  const testRuns = head.testRuns
    .filter(({ repetition }) => repetition === 1)
    .flatMap((testRun) => testRunsOf(head, testRun, answers.get(testRun.caseName) ?? []));
  return testRuns.length === 0 ? null : { ...head, variant: 'baseline', testRuns };
}

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
