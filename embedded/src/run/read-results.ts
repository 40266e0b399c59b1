import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { CaseWork } from '@proofmark/contracts/case-work';
import type { TestCase } from '@proofmark/contracts/test-case';
import type { ReportedTestRun } from '@proofmark/domain/test-report';
import { openLines } from './read-lines.ts';
import { caseOfLine } from './result-line.ts';
import { inSuiteOrder, type TestRunRow } from './test-run-row.ts';

/** What of a line is looked at here; the parts that it shares with others stand elsewhere. */
interface WrittenLine {
  work: Pick<CaseWork, 'case'> | null;
  case: TestCase | null;
  outcome: CaseOutcome;
}

/** The executed test runs of a suite run in the order of the suite, read one after another. */
export async function* readResults(path: string, rows: readonly TestRunRow[]): AsyncGenerator<ReportedTestRun> {
  const executed = inSuiteOrder(rows).filter(({ place }) => place !== null);
  if (executed.length === 0) return;
  await using lines = await openLines(path);
  for (const { testRun, place } of executed) {
    if (place === null) continue;
    // Written by this very process, so its shape is known; checking it again would cost as much as the case.
    const line: WrittenLine = JSON.parse(await lines.line(place));
    const { caseName, sortOrder, repetition } = testRun;
    yield { caseName, sortOrder, repetition, case: caseOfLine(line), outcome: line.outcome };
  }
}
