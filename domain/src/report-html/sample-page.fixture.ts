import { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { Gate } from '@proofmark/contracts/gate';
import type { TestReport } from '@proofmark/contracts/test-report';
import { VerdictSettings } from '@proofmark/contracts/verdict';
import { buildTestReport, placeEnvironment } from '../report/build-test-report.ts';
import { type SampleTestRun, sampleOutcomes, sampleReport, sampleTestRuns } from '../report/sample-test-run.fixture.ts';
import { decideVerdict, type Trial } from '../verdict/decide-verdict.ts';
import type { ReportWithFacts } from './page-shapes.ts';

/** An outcome in which everything that others write is `text`. For tests. */
function outcomeOf(text: string): CaseOutcome {
  const metric = {
    metric_name: text,
    score: null,
    passed: false,
    error: text,
    evaluation_time_ms: 5,
    model_used: text,
  };
  return CaseOutcome.parse({
    status: 'failed',
    errorKind: null,
    errorMessage: null,
    testInput: text,
    response: text,
    files: [{ original: { type: 'text', path: 'a.txt' }, markdown_content: '', processing_time_ms: 1, error: text }],
    checks: [
      { checkIndex: 0, checkType: 'llm_judge', status: 'fail', passed: false, details: { reasoning: text } },
      { checkIndex: 1, checkType: text, status: 'fail', passed: false, details: { missingPhrases: [text] } },
      { checkIndex: 2, checkType: 'llm_judge', status: 'error', passed: false, details: {}, error: text },
    ],
    toolCalls: [
      {
        ...{ id: text, name: text, args: { [text]: text }, argsError: text, result: text, error: text },
        ...{ source: 'mock', turn: 0, durationMs: 3 },
      },
    ],
    tools: { matched: false, problems: [text] },
    metrics: [metric],
    metricDetails: [{ metric_name: text, kind: 'geval', reasoning: text, steps: [text], stepsGenerated: true }],
    outcomes: sampleOutcomes({
      criteria: [{ id: text, requirement: text, reasoning: text, status: 'failed' }],
      error: text,
      injectionAttempt: true,
    }),
    transcript: [
      { role: 'user', text },
      { role: 'agent', text, durationMs: 4 },
      { role: 'tool', text },
    ],
    conversation: {
      ...{ endReason: 'simulator', leaveReason: 'gave_up', agentTurns: 1, discardedTries: [text] },
      simulator: { template: 'simulator/1', model: text, calls: 2, usage: null, costUsd: null },
      review: [{ message: 1, kind: 'invented_fact', isCritical: true, explanation: text, correctBehavior: text }],
    },
    model: text,
    usage: { promptTokens: 3, completionTokens: 4 },
    costUsd: 0.002,
    latencyMs: 12,
    executionTimeMs: 15,
    retryCount: 1,
    startedAt: '2026-01-01T00:00:00.000Z',
    flags: [text],
  });
}

const settings = VerdictSettings.parse({
  ...{ gate: Gate.parse({}), alertOnRegression: true, alertThresholdPercent: 10, onError: 'block' },
});

function verdictOf(text: string) {
  const trials = (status: 'passed' | 'failed'): Trial[] =>
    [1, 2, 3].map((repetition) => ({ caseName: text, comparabilityKey: 'k', status, errorKind: null, repetition }));
  const verdict = decideVerdict({ base: trials('passed'), head: trials('failed'), settings });
  return { ...verdict, lines: [...verdict.lines, [text, { code: text }]] };
}

/** A report of one failed test run in which every text that others write is `text`. For tests. */
export function samplePage(text: string, cell = text): ReportWithFacts {
  const outcome = outcomeOf(text);
  const built = buildTestReport({
    agentName: text,
    agentConfigPath: text,
    results: sampleTestRuns([{ name: text, outcome, case: { ground_truth: text, expected_tools: [text] } }]),
    skipped: [{ test_name: text, reason: text }],
    timestamp: '2026-01-01T00:00:00Z',
    version: text,
    environment: { [text]: text, ...placeEnvironment({ suite: text, cell, variant: 'head' }) },
  });
  if (!built.ok) throw new Error(built.reason);
  return {
    report: built.report,
    reasons: new Map([[0, [text, text]]]),
    facts: new Map([[0, { repetition: 2, latencyMs: 12, tokens: 7, costUsd: 0.002 }]]),
    kept: new Map([[0, { outcome, variables: { values: { [text]: text }, sources: { [text]: 'run' } } }]]),
    verdict: verdictOf(text),
  };
}

/** A report of many test runs, every tenth of which failed. For tests. */
export function longReport(count: number): TestReport {
  const failed: SampleTestRun = { outcome: { status: 'failed', tools: { matched: false, problems: [] } } };
  return sampleReport(
    Array.from({ length: count }, (_, index) => ({ name: `Case ${index + 1}`, ...(index % 10 === 9 ? failed : {}) })),
  );
}
