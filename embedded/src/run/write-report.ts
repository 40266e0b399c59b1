import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { finished } from 'node:stream/promises';
import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { CaseWork } from '@proofmark/contracts/case-work';
import type { CasePosition, LoadedSuite } from '@proofmark/contracts/loaded';
import type { TestCase } from '@proofmark/contracts/test-case';
import type { ReportSummary, SkippedTest } from '@proofmark/contracts/test-report';
import { describeFailure, judgeReason } from '@proofmark/domain/failure-reasons';
import type { CaseReport } from '@proofmark/domain/run-report';
import { streamReport } from '@proofmark/domain/stream-report';
import type { ReportedTestRun, ReportInput } from '@proofmark/domain/test-report';
import { openLines } from '../results/result-files.ts';
import { caseOfLine } from '../results/result-line.ts';
import { inSuiteOrder, type TestRunRow } from '../results/test-run-row.ts';

interface ReportFile {
  path: string;
  head: Omit<ReportInput, 'results' | 'skipped'>;
  /** In the order of the suite. */
  results: AsyncIterable<ReportedTestRun>;
  skipped: readonly SkippedTest[];
  /** Told of each test run that goes into the report. */
  onResult: (testRun: ReportedTestRun) => void;
}

export type WrittenReport = { ok: true; path: string; summary: ReportSummary } | { ok: false; reason: string };

/** Writes the file of a report while its results are read. Nothing is left behind when there is nothing to report. */
export async function writeReport({ path, head, results, skipped, onResult }: ReportFile): Promise<WrittenReport> {
  await mkdir(dirname(path), { recursive: true });
  const part = `${path}.part`;
  const file = createWriteStream(part, { highWaterMark: 1 << 18 });
  const ended = finished(file);
  const report = streamReport(head);
  for await (const testRun of results) {
    onResult(testRun);
    if (!file.write(report.add(testRun))) await Promise.race([drained(file), ended]);
  }
  const rest = report.end(skipped);
  file.end(rest.ok ? rest.text : '');
  await ended;
  if (!rest.ok) {
    await rm(part);
    return rest;
  }
  await rename(part, path);
  return { ok: true, path, summary: rest.summary };
}

const drained = (file: ReturnType<typeof createWriteStream>): Promise<void> =>
  new Promise((resolve) => file.once('drain', resolve));

/** Answers are kept of so many failed cases: nobody looks at more of them in one summary, and they may be long. */
const MAX_ANSWERS = 100;

/** Collects what a summary says of each case while results pass by. */
interface CaseCollector {
  see: (testRun: ReportedTestRun) => void;
  /** One entry per case name; answers only of cases that failed, because only those are looked at. */
  reports: (names: readonly string[], baseAnswers: ReadonlyMap<string, string | null>) => CaseReport[];
  /** The cases whose answers are worth comparing. */
  failed: () => ReadonlySet<string>;
}

export function collectCases({ casePositions }: Pick<LoadedSuite, 'casePositions'>): CaseCollector {
  const failures = new Map<string, { reason: string | null; answer: string | null; judged: string | null }>();
  return {
    see: ({ caseName, outcome }) => {
      if (outcome.status === 'passed' || failures.has(caseName)) return;
      const answer = failures.size < MAX_ANSWERS ? outcome.response : null;
      failures.set(caseName, { reason: describeFailure(outcome), answer, judged: judgeReason(outcome) });
    },
    failed: () => new Set([...failures.keys()].slice(0, MAX_ANSWERS)),
    reports: (names, baseAnswers) =>
      names.map((caseName) => ({
        caseName,
        line: casePositions.get(caseName)?.line ?? null,
        ...rowOf(casePositions.get(caseName)),
        firstFailure: failures.get(caseName)?.reason ?? null,
        headAnswer: failures.get(caseName)?.answer ?? null,
        baseAnswer: baseAnswers.get(caseName) ?? null,
        judgeReason: failures.get(caseName)?.judged ?? null,
      })),
  };
}

const rowOf = (position: CasePosition | undefined): Pick<CaseReport, 'row'> =>
  position?.row === undefined ? {} : { row: position.row };

/** The first answer of each of these cases. */
export async function firstAnswers(
  path: string,
  rows: readonly TestRunRow[],
  names: ReadonlySet<string>,
): Promise<Map<string, string | null>> {
  const answers = new Map<string, string | null>();
  const wanted = rows.filter(({ testRun }) => names.has(testRun.caseName));
  for await (const { caseName, outcome } of readResults(path, wanted)) {
    if (!answers.has(caseName)) answers.set(caseName, outcome.response);
  }
  return answers;
}

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
