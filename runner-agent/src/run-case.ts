import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { CaseWork } from '@proofmark/contracts/case-work';
import type { ErrorKind } from '@proofmark/contracts/error-kind';
import type { CaseContext, CasePorts, CaseState, CaseStep } from './case/case-state.ts';
import { startState, withError } from './case/case-state.ts';
import { compareTools } from './case/compare-tools.ts';
import { converse } from './case/converse.ts';
import { finishOutcome } from './case/finish-outcome.ts';
import { flagSuspicion, judgeCaseOutcomes } from './case/judge-outcomes.ts';
import { processFiles } from './case/process-files.ts';
import { runChecks } from './case/run-checks.ts';
import { runMetrics } from './case/run-metrics.ts';
import { meterModels } from './judge/meter-models.ts';
import { abortScope } from './retry/abort-scope.ts';
import { MockedTools } from './tools/tool-box.ts';

export type { AgentWatch, CasePorts } from './case/case-state.ts';
export type { FinishedTry } from './retry/try-again.ts';

/** The case was cancelled from outside: there is no outcome, and nothing to record. */
export class CaseAborted extends Error {
  override readonly name = 'CaseAborted';
}

interface Step {
  run: CaseStep;
  /** The side to blame when time runs out or the step crashes. */
  onTimeout: ErrorKind;
  onCrash: ErrorKind;
  /** Also done after an error. */
  always?: true;
  /** Its model calls are those of the measuring side. */
  measures?: true;
}

const steps: readonly Step[] = [
  { run: processFiles, onTimeout: 'limit', onCrash: 'files' },
  { run: converse, onTimeout: 'limit', onCrash: 'lost' },
  { run: compareTools, onTimeout: 'limit', onCrash: 'lost', always: true },
  { run: runChecks, onTimeout: 'judge', onCrash: 'judge', measures: true },
  { run: judgeCaseOutcomes, onTimeout: 'judge', onCrash: 'judge', measures: true },
  { run: runMetrics, onTimeout: 'judge', onCrash: 'judge', measures: true },
  { run: flagSuspicion, onTimeout: 'judge', onCrash: 'judge' },
];

/**
 * Runs and judges one test run. Whatever happens inside, a broken agent or a fault of ours, is in the outcome; the only
 * rejection is `CaseAborted`, when `signal` is aborted.
 */
export async function runCase(work: CaseWork, ports: CasePorts, signal: AbortSignal): Promise<CaseOutcome> {
  const startedAt = ports.clock.now();
  const startMs = ports.clock.monotonicMs();
  using scope = abortScope(signal, work.limits.caseTimeoutMs);
  const context: CaseContext = {
    work,
    ports,
    tools: new MockedTools(work, ports.clock),
    signal: scope.signal,
    deadlineAtMs: startMs + work.limits.caseTimeoutMs,
  };
  const meter = meterModels(ports.models);
  const measuring: CaseContext = { ...context, ports: { ...ports, models: meter } };
  let state = startState(work);
  for (const step of steps) {
    if (state.error && !step.always) continue;
    state = await runStep(step, state, {
      context: step.measures ? measuring : context,
      timedOut: () => scope.timedOut,
    });
    if (signal.aborted) throw new CaseAborted('The test run was cancelled', { cause: signal.reason });
  }
  return finishOutcome({ ...state, measuring: meter.spent }, context, {
    startedAt,
    executionTimeMs: ports.clock.monotonicMs() - startMs,
  });
}

/** The one place where a crash becomes data. */
async function runStep(
  step: Step,
  state: CaseState,
  { context, timedOut }: { context: CaseContext; timedOut: () => boolean },
): Promise<CaseState> {
  try {
    return await step.run(state, context);
  } catch (error) {
    if (timedOut())
      return withError(state, step.onTimeout, `The test run took longer than ${context.work.limits.caseTimeoutMs} ms`);
    const message = error instanceof Error ? error.message : String(error);
    return withError(state, step.onCrash, `Fault of the runner: ${message}`);
  }
}
