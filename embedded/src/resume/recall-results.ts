import { existsSync } from 'node:fs';
import { parseJson } from '@proofmark/contracts/parse-json';
import type { PlannedSuiteRun, PlannedTestRun } from '@proofmark/domain/plan-run';
import { knownCostUsd, totalCostUsd } from '@proofmark/domain/totals';
import { noSpending, type Spending } from '../limits.ts';
import { type LinePlace, readPlacedLines } from '../results/result-files.ts';
import { lineReader, type ResultLine } from '../results/result-line.ts';
import type { RunFolder } from '../results/run-folder.ts';
import { measuredOf, type TestRunRow, tokensOf } from '../results/test-run-row.ts';

/** What an earlier process got, of the test runs of a plan. */
export interface RecalledResults {
  /** Undefined: it has no result yet. */
  rowOf: (suiteRun: number, testRun: PlannedTestRun) => TestRunRow | undefined;
  /** How many lines that are shared by several results the file of a suite run has. */
  partsOf: (suiteRun: number) => number;
  spent: Spending;
  testRuns: number;
  passed: number;
  errored: number;
}

/** A results file that does not fit its plan: nothing may be added to it. */
export class ForeignResults extends Error {
  override readonly name = 'ForeignResults';
}

export const nothingRecalled: RecalledResults = {
  rowOf: () => undefined,
  partsOf: () => 0,
  spent: noSpending,
  testRuns: 0,
  passed: 0,
  errored: 0,
};

/** Reads the results files of a folder, a line at a time. A line that was cut in its middle is none. */
export async function recallResults(
  folder: RunFolder,
  suiteRuns: readonly PlannedSuiteRun[],
): Promise<RecalledResults> {
  const spent: Spending = { ...noSpending };
  const files: Recalled[] = [];
  for (const [position, planned] of suiteRuns.entries()) {
    files.push(await recallFile(folder.resultsPath(planned, position), planned, spent));
  }
  const rows = files.flatMap((file) => [...file.rows.values()]);
  return {
    rowOf: (suiteRun, testRun) => files[suiteRun]?.rows.get(keyOf(testRun)),
    partsOf: (suiteRun) => files[suiteRun]?.parts ?? 0,
    spent,
    testRuns: rows.length,
    passed: rows.filter(({ status }) => status === 'passed').length,
    errored: rows.filter(({ status }) => status === 'error').length,
  };
}

interface Recalled {
  rows: Map<string, TestRunRow>;
  parts: number;
}

const keyOf = ({ caseName, repetition }: Pick<PlannedTestRun, 'caseName' | 'repetition'>): string =>
  `${repetition} ${caseName}`;

async function recallFile(path: string, planned: PlannedSuiteRun, spent: Spending): Promise<Recalled> {
  const recalled: Recalled = { rows: new Map(), parts: 0 };
  if (!existsSync(path)) return recalled;
  const testRuns = new Map(planned.testRuns.map((testRun) => [keyOf(testRun), testRun]));
  const read = lineReader();
  for await (const { text, place, isLast } of readPlacedLines(path)) {
    // Only the last line may have been cut: what stands before another one was written whole.
    if (isLast && parseJson(text) === undefined) break;
    const line = read(text);
    if (line.kind === 'part') {
      recalled.parts += 1;
      continue;
    }
    const testRun = line.kind === 'result' ? testRunOf(line.result, planned, testRuns) : undefined;
    if (line.kind === 'foreign' || testRun === undefined) {
      throw new ForeignResults(`${path} holds a line that is no result of this run, at byte ${place.offset}`);
    }
    keep(recalled, rowOf(testRun, line.result, place), spent, line.result);
  }
  return recalled;
}

/** The test run that a line is the result of; undefined when it is one of another suite run, or of another case. */
function testRunOf(
  line: ResultLine,
  { suitePath, cellKey, variant }: PlannedSuiteRun,
  testRuns: ReadonlyMap<string, PlannedTestRun>,
): PlannedTestRun | undefined {
  const testRun = testRuns.get(keyOf({ caseName: line.case_name, repetition: line.repetition }));
  const isOfSuiteRun = line.suite_path === suitePath && line.cell === cellKey && line.variant === variant;
  return isOfSuiteRun && line.case_hash === testRun?.caseHash ? testRun : undefined;
}

/** Whatever stands there twice counts once. */
function keep({ rows }: Recalled, row: TestRunRow, spent: Spending, { outcome }: ResultLine): void {
  if (rows.has(keyOf(row.testRun))) return;
  rows.set(keyOf(row.testRun), row);
  spent.usd += knownCostUsd(outcome);
  spent.tokens += tokensOf(outcome);
}

const rowOf = (testRun: PlannedTestRun, { outcome }: ResultLine, place: LinePlace): TestRunRow => ({
  testRun,
  place,
  skipReason: null,
  status: outcome.status,
  errorKind: outcome.errorKind,
  measured: measuredOf(outcome),
  spentUsd: totalCostUsd(outcome),
});
