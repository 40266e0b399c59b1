import { CaseOutcome, OutcomesVerdict } from '@proofmark/contracts/case-outcome';
import { TestCase } from '@proofmark/contracts/test-case';
import type { SkippedTest, TestReport } from '@proofmark/contracts/test-report';
import { buildTestReport, type ReportedTestRun } from './build-test-report.ts';

export interface SampleTestRun {
  name?: string;
  case?: Partial<TestCase>;
  outcome?: Partial<CaseOutcome>;
  sortOrder?: number;
  repetition?: number;
}

/** A test run for tests of reports: passed, with one answer, unless the sample says otherwise. */
function sampleTestRun({
  name = 'Business hours',
  sortOrder = 0,
  repetition = 1,
  ...sample
}: SampleTestRun = {}): ReportedTestRun {
  return {
    caseName: name,
    sortOrder,
    repetition,
    case: TestCase.parse({ name: 'Sample', kind: 'single', input: 'When are you open?', ...sample.case }),
    outcome: CaseOutcome.parse({
      status: 'passed',
      errorKind: null,
      errorMessage: null,
      testInput: 'When are you open?',
      response: 'From 9 to 17',
      executionTimeMs: 3500,
      startedAt: '2025-11-01T14:30:00.000Z',
      ...sample.outcome,
    }),
  };
}

/** Test runs for tests, in the order of their suite. */
export const sampleTestRuns = (samples: readonly SampleTestRun[]): ReportedTestRun[] =>
  samples.map((sample, index) => sampleTestRun({ sortOrder: index, ...sample }));

/** What a judge of outcomes said about one criterion that is met and one that is not, unless the sample says otherwise. */
export function sampleOutcomes(sample: Partial<OutcomesVerdict> = {}): OutcomesVerdict {
  return OutcomesVerdict.parse({
    passed: false,
    score: 0.5,
    criteria: [
      { id: 'refund_issued', requirement: 'refund_issued: true', reasoning: 'refund was called', status: 'passed' },
      { id: 'mail_sent', requirement: 'mail_sent: true', reasoning: 'no mail was sent', status: 'failed' },
    ],
    error: null,
    ...sample,
  });
}

/** A report of sample test runs; throws when there is none. */
export function sampleReport(
  samples: readonly SampleTestRun[] = [{}],
  agentName = 'Support agent',
  skipped: readonly SkippedTest[] = [],
): TestReport {
  const built = buildTestReport({
    agentName,
    agentConfigPath: 'agents/support.agent.yaml',
    results: sampleTestRuns(samples),
    skipped,
    timestamp: '2025-11-01T14:35:00Z',
    version: '0.1.0',
    environment: { node: 'v24.0.0', os: 'linux', ci: 'false' },
  });
  if (!built.ok) throw new Error(built.reason);
  return built.report;
}
