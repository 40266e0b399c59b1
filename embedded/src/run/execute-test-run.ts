import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { Variant } from '@proofmark/contracts/case-work';
import type { TestCase } from '@proofmark/contracts/test-case';
import type { DecidedTestRun, PlannedTestRun } from '@proofmark/domain/plan-run';
import { CaseAborted, type CasePorts, runCase } from '@proofmark/runner-agent/run-case';
import type { RunPorts } from '../case-ports.ts';

/** What became of a test run: an outcome, or the reason why it has none. */
export type TestRunEnd = { ran: true; outcome: CaseOutcome } | { ran: false; reason: string };

/** Runs one test run of the plan, or takes what the plan has decided already. Aborted before its end, it was not run. */
export async function executeTestRun(
  { work, decided }: PlannedTestRun,
  testCase: TestCase,
  { ports, signal }: { ports: RunPorts; signal: AbortSignal },
): Promise<TestRunEnd> {
  if (decided !== null) return endOf(decided, testCase, ports.clock.now());
  if (work === null) return { ran: false, reason: 'not planned' };
  try {
    return { ran: true, outcome: await runCase(work, portsOf(work.variant, ports), signal) };
  } catch (error) {
    if (error instanceof CaseAborted) return { ran: false, reason: 'interrupted' };
    throw error;
  }
}

/** The code of the base is in another folder than that of the head. */
function portsOf(variant: Variant, ports: RunPorts): CasePorts {
  const { baseReach } = ports;
  return variant === 'baseline' && baseReach !== undefined ? { ...ports, reach: baseReach } : ports;
}

function endOf(decided: DecidedTestRun, testCase: TestCase, now: Date): TestRunEnd {
  if (decided.status === 'skipped') return { ran: false, reason: decided.reason };
  return {
    ran: true,
    outcome: {
      status: 'error',
      errorKind: decided.errorKind,
      errorMessage: decided.message,
      degraded: false,
      testInput: testCase.input ?? testCase.initial_message ?? testCase.name,
      files: [],
      response: null,
      truncated: false,
      checks: [],
      toolCalls: [],
      tools: { matched: null, problems: [] },
      metrics: [],
      metricDetails: [],
      outcomes: null,
      transcript: [],
      model: null,
      usage: null,
      costUsd: null,
      latencyMs: null,
      executionTimeMs: 0,
      retryCount: 0,
      startedAt: now.toISOString(),
      flags: [],
    },
  };
}
