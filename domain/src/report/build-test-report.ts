import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { TestCase } from '@proofmark/contracts/test-case';
import { type SkippedTest, TestReport, type TestResult } from '@proofmark/contracts/test-report';
import { behaviorMetrics } from '../verdict/behavior-metrics.ts';
import { reportedUnmeasured, unmeasuredIn } from '../verdict/unmeasured-metrics.ts';
import { summarize } from './summarize.ts';

/** One executed test run with the case it belongs to. */
export interface ReportedTestRun {
  caseName: string;
  /** Position of the case in its suite. */
  sortOrder: number;
  repetition: number;
  case: TestCase;
  outcome: CaseOutcome;
}

export interface ReportInput {
  agentName: string;
  /** Path of the agent's file from the root of the repository. */
  agentConfigPath: string;
  /** In any order: the report has the order of the suite. */
  results: readonly ReportedTestRun[];
  skipped?: readonly SkippedTest[];
  /** ISO 8601 with offset or Z. */
  timestamp: string;
  version: string;
  environment: Readonly<Record<string, string>>;
}

export type BuiltReport = { ok: true; report: TestReport } | { ok: false; reason: string };

/** The report of one suite run, computed from its outcomes. Refused when nothing was executed: that must never look green. */
export const buildTestReport = ({ results, ...input }: ReportInput): BuiltReport =>
  reportOfResults({ ...input, results: [...results].sort(bySuiteOrder).map(testResult) });

/** The same of results that are written already, in the order of the suite: of a large run nobody holds all outcomes at once. */
export function reportOfResults(input: Omit<ReportInput, 'results'> & { results: readonly TestResult[] }): BuiltReport {
  const { skipped = [] } = input;
  const results = [...input.results];
  if (results.length === 0) return { ok: false, reason: nothingExecuted(skipped) };
  const report = TestReport.parse({
    agent_name: input.agentName,
    agent_config_path: input.agentConfigPath,
    results,
    summary: summarize(results),
    skipped: [...skipped],
    ...reportedUnmeasured(unmeasuredIn({ results })),
    timestamp: input.timestamp,
    proofmark_version: input.version,
    environment: { ...input.environment },
  });
  return { ok: true, report };
}

/** Why there is no report when no case was executed. */
export function nothingExecuted(skipped: readonly SkippedTest[]): string {
  if (skipped.length === 0) return 'No case was executed, so there is nothing to report';
  const reasons = [...new Set(skipped.map(({ reason }) => reason))].join(', ');
  return `No case was executed, so there is nothing to report: ${skipped.length} skipped (${reasons})`;
}

const bySuiteOrder = (a: ReportedTestRun, b: ReportedTestRun): number =>
  a.sortOrder - b.sortOrder || a.repetition - b.repetition;

/** One executed test run as report files hold it. */
export function testResult({ caseName, case: testCase, outcome }: ReportedTestRun): TestResult {
  return {
    test_name: caseName,
    test_input: outcome.testInput === '' ? caseName : outcome.testInput,
    processed_files: outcome.files,
    agent_response: outcome.response,
    tool_calls: outcome.toolCalls.map((call) => call.name),
    expected_tools: testCase.expected_tools,
    tools_matched: toolsMatched(testCase, outcome),
    metric_results: [...behaviorMetrics(testCase, outcome), ...outcome.metrics],
    ground_truth: testCase.ground_truth,
    passed: outcome.status === 'passed',
    execution_time_ms: outcome.executionTimeMs,
    errors: outcome.status === 'error' ? [outcome.errorMessage ?? `Error: ${outcome.errorKind ?? 'unknown'}`] : [],
    timestamp: outcome.startedAt,
  };
}

/** A test run that was lost before its tools were compared called none of those it had to call. */
function toolsMatched(testCase: TestCase, outcome: CaseOutcome): boolean | null {
  if (outcome.tools.matched !== null || testCase.expected_tool_calls === null) return outcome.tools.matched;
  return testCase.expected_tool_calls.every((expectation) => expectation.forbidden);
}

/** Where the results of a report belong: the suite, the cell of the matrix ('' without one) and the side. */
export interface ReportPlace {
  suite: string;
  cell: string;
  /** `head`, or one side of a comparison. */
  variant: string;
}

/** The place as entries of `environment`, the only part of a report that seed 000 leaves open. */
export function placeEnvironment({ suite, cell, variant }: ReportPlace): Record<string, string> {
  return { suite, ...(cell === '' ? {} : { cell }), ...(variant === 'head' ? {} : { variant }) };
}

/** The place of a report; of one that another tool wrote, the agent stands for the suite. */
export function placeOf({ agent_name, environment }: Pick<TestReport, 'agent_name' | 'environment'>): ReportPlace {
  const { suite = agent_name, cell = '', variant = 'head' } = environment;
  return { suite, cell, variant };
}

/** `Support desk [Temperature=0] (baseline)`: what tells the reports of one run apart. */
export function placeName(report: Pick<TestReport, 'agent_name' | 'environment'>): string {
  const { suite, cell, variant } = placeOf(report);
  return `${suite}${cell === '' ? '' : ` [${cell}]`}${variant === 'head' ? '' : ` (${variant})`}`;
}
