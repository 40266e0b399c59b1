import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { contentHash } from '@proofmark/contracts/content-hash';
import type { TestReport, TestResult } from '@proofmark/contracts/test-report';
import { comparabilityKey, withParts } from '@proofmark/domain/comparability-key';
import { parseReports } from '@proofmark/domain/parse-report';
import { placeOf } from '@proofmark/domain/report-place';
import { metricsOf } from '@proofmark/domain/unmeasured-metrics';
import { keepAnswer, type StoredSuiteRun } from './stored-suite-run.ts';

export type ReadReportFiles = { ok: true; suiteRuns: StoredSuiteRun[] } | { ok: false; message: string };

/**
 * Suite runs from report files. A report holds no hashes, so two tests may be compared when all that it says about the
 * question and the measurement is equal: input, truth, tools, metrics and their thresholds.
 */
export async function readReportFiles(path: string, isFolder: boolean): Promise<ReadReportFiles> {
  const files = isFolder ? await reportsBelow(path) : [path];
  const suiteRuns: StoredSuiteRun[] = [];
  for (const file of files) {
    const parsed = parseReports(await readFile(file, 'utf8'));
    if (!parsed.ok) {
      const [first] = parsed.problems;
      return { ok: false, message: `${file} is no report: ${first?.path ?? ''} ${first?.message ?? ''}`.trim() };
    }
    suiteRuns.push(...parsed.reports.map(fromReport));
  }
  return { ok: true, suiteRuns };
}

async function reportsBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true });
  return entries
    .filter((entry) => basename(entry) === 'report.json' && !/-baseline[\\/]report\.json$/.test(entry))
    .toSorted()
    .map((entry) => join(folder, entry));
}

function fromReport(report: TestReport): StoredSuiteRun {
  const { suite, cell } = placeOf(report);
  const suiteRun: StoredSuiteRun = {
    suiteName: suite,
    cellKey: cell,
    trials: [],
    answers: new Map(),
    heard: new Map(),
    settings: null,
    judge: null,
    resultsPath: null,
  };
  const seen = new Map<string, number>();
  for (const result of report.results) {
    const caseName = result.test_name ?? result.test_input;
    const repetition = (seen.get(caseName) ?? 0) + 1;
    seen.set(caseName, repetition);
    add(suiteRun, result, { caseName, repetition });
  }
  return suiteRun;
}

function add(
  suiteRun: StoredSuiteRun,
  result: TestResult,
  { caseName, repetition }: { caseName: string; repetition: number },
): void {
  const { passed, errors, agent_response: answer, execution_time_ms: latencyMs } = result;
  const isError = !passed && errors.length > 0;
  suiteRun.trials.push({
    caseName,
    comparabilityKey: keyOf(result),
    status: isError ? 'error' : passed ? 'passed' : 'failed',
    // A report does not say whose side broke: without an answer it was the agent's.
    errorKind: isError ? (answer === null ? 'agent' : 'judge') : null,
    errorMessage: errors[0] ?? null,
    repetition,
    latencyMs,
    metrics: metricsOf(result),
  });
  keepAnswer(suiteRun, caseName, { repetition, passed, answer, tools: result.tool_calls });
}

function keyOf({ test_input, ground_truth, expected_tools, metric_results, errors }: TestResult): string {
  // A test that ended in an error may lack the metrics that it would have had.
  const metrics =
    errors.length > 0 ? null : metric_results.map(({ metric_name, threshold }) => [metric_name, threshold]);
  const task = JSON.stringify([test_input, ground_truth, expected_tools]);
  return comparabilityKey(task, withParts('report', { metrics: contentHash(metrics) }), '');
}
