import type { CaseOutcome, ProgressStep } from '@proofmark/contracts/case-outcome';
import type { CaseWork } from '@proofmark/contracts/case-work';
import type { ErrorKind } from '@proofmark/contracts/error-kind';
import { nextProgress, type TestRunProgress, type TestRunProgressEvent } from '@proofmark/domain/lifecycle';
import { type AbortScope, abortScope } from '@proofmark/process/pause';
import {
  type CaseContext,
  type CasePorts,
  type CaseState,
  type CaseStep,
  startState,
  withError,
} from '../case/case-state.ts';
import { finishOutcome } from '../case/finish-outcome.ts';
import { recallConversation, recallFiles } from '../case/recall.ts';
import { reviewSimulation } from '../conversation/review-simulation.ts';
import { MeteredModels, NotingModels } from '../judge/meter-models.ts';
import { type SimulateTool, toolSimulator } from '../tools/simulate-tool.ts';
import { MockedTools } from '../tools/tool-box.ts';
import { converse, processFiles } from './ask-agent.ts';
import { compareTools, flagSuspicion, judgeCaseOutcomes, runChecks, runMetrics } from './judge-case.ts';

export type { AgentWatch, CasePorts } from '../case/case-state.ts';
export type { FinishedTry } from '../retry/try-again.ts';

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
  /** What progress is told before it, after it, and when it ends in an error. */
  begins?: TestRunProgressEvent;
  ends?: TestRunProgressEvent;
  breaks?: TestRunProgressEvent;
}

const told = (begins: TestRunProgressEvent, ends: TestRunProgressEvent, breaks: TestRunProgressEvent) => ({
  begins,
  ends,
  breaks,
});

const readingFiles = {
  onTimeout: 'limit',
  onCrash: 'files',
  ...told('load_files', 'files_loaded', 'files_broken'),
} as const;
const conversing = {
  onTimeout: 'limit',
  onCrash: 'lost',
  ...told('call_agent', 'agent_answered', 'agent_broken'),
} as const;

/** Neither files nor an agent cost anything for a test run whose agent or judge will not be asked. */
const refuseGivenUp: CaseStep = (state, { work, ports }) => {
  const why = ports.givenUp?.(work);
  return why === undefined ? state : withError(state, why.kind, why.message);
};

const asking: readonly Step[] = [
  { run: refuseGivenUp, onTimeout: 'limit', onCrash: 'lost' },
  { run: processFiles, ...readingFiles },
  { run: converse, ...conversing },
];

/** In place of asking, where the work carries what was said. There is no way from here to an agent. */
const recalling: readonly Step[] = [
  { run: recallFiles, ...readingFiles },
  { run: recallConversation, ...conversing },
];

const judging: readonly Step[] = [
  { run: compareTools, onTimeout: 'limit', onCrash: 'lost', always: true },
  { run: runChecks, onTimeout: 'judge', onCrash: 'judge', measures: true, begins: 'evaluate' },
  { run: judgeCaseOutcomes, onTimeout: 'judge', onCrash: 'judge', measures: true },
  { run: runMetrics, onTimeout: 'judge', onCrash: 'judge', measures: true },
  { run: reviewSimulation, onTimeout: 'judge', onCrash: 'judge', measures: true },
  { run: flagSuspicion, onTimeout: 'judge', onCrash: 'judge' },
];

/**
 * Runs and judges one test run; one whose work carries a recorded conversation is only judged. Whatever happens inside, a broken agent or a fault of ours, is in the outcome; the only
 * rejection is `CaseAborted`, when `signal` is aborted.
 */
export async function runCase(work: CaseWork, ports: CasePorts, signal: AbortSignal): Promise<CaseOutcome> {
  const startedAt = ports.clock.now();
  const startMs = ports.clock.monotonicMs();
  using scope = abortScope(signal, work.limits.caseTimeoutMs);
  const models = new NotingModels(ports.models);
  const base = { work, ports, models, signal: scope.signal, deadlineAtMs: startMs + work.limits.caseTimeoutMs };
  const meter = new MeteredModels(models);
  // Few cases have a tool that a model plays.
  let played: MeteredModels | undefined;
  const simulate: SimulateTool = (question, asking) => {
    played ??= new MeteredModels(models, 'simulator');
    return toolSimulator({ ...base, models: played })(question, asking);
  };
  const context: CaseContext = { ...base, tools: new MockedTools(work, ports.clock, simulate) };
  const measuring: CaseContext = { ...context, models: meter };
  const elapsedMs = () => ports.clock.monotonicMs() - startMs;
  const progress = new ProgressTeller(elapsedMs, ports.progressed);
  let state = startState(work);
  for (const step of stepsOf(work)) {
    if (state.error && !step.always) continue;
    progress.on(step.begins);
    const stepped = runStep(step, state, { context, measuring, scope });
    state = stepped instanceof Promise ? await stepped : stepped;
    if (signal.aborted) throw new CaseAborted('The test run was cancelled', { cause: signal.reason });
    progress.on(state.error ? brokenEvent(step, state.error.kind) : step.ends);
  }
  const outcome = finishOutcome(state, context, {
    ...{ startedAt, executionTimeMs: elapsedMs(), adjustments: models.adjustments },
    measuring: [...meter.spent, ...(played?.spent ?? [])],
  });
  progress.on(outcome.status === 'error' ? 'evaluation_broken' : 'evaluated');
  outcome.progress = progress.steps;
  return outcome;
}

const askAndJudge: readonly Step[] = [...asking, ...judging];
const onlyJudge: readonly Step[] = [...recalling, ...judging];
const stepsOf = ({ recorded }: CaseWork): readonly Step[] => (recorded === undefined ? askAndJudge : onlyJudge);

/** A person who was played badly belongs to the measuring side: the agent has not failed. */
const brokenEvent = ({ breaks }: Step, kind: ErrorKind): TestRunProgressEvent | undefined =>
  breaks === 'agent_broken' && kind === 'simulator' ? 'simulator_broken' : breaks;

interface StepScope {
  context: CaseContext;
  /** The same, with the models of the measuring side. */
  measuring: CaseContext;
  scope: AbortScope;
}

function runStep(step: Step, state: CaseState, within: StepScope): CaseState | Promise<CaseState> {
  try {
    const next = step.run(state, step.measures ? within.measuring : within.context);
    return next instanceof Promise ? next.catch((error: unknown) => broken(step, state, error, within)) : next;
  } catch (error) {
    return broken(step, state, error, within);
  }
}

/** The one place where a crash becomes data. */
function broken(step: Step, state: CaseState, error: unknown, { context, scope }: StepScope): CaseState {
  if (scope.timedOut)
    return withError(state, step.onTimeout, `The test run took longer than ${context.work.limits.caseTimeoutMs} ms`);
  const message = error instanceof Error ? error.message : String(error);
  return withError(state, step.onCrash, `Fault of the runner: ${message}`);
}

/** Notes and tells how far a test run has come. A jump that its lifecycle does not have is neither noted nor told. */
class ProgressTeller {
  readonly #elapsedMs: () => number;
  readonly #tell: ((progress: TestRunProgress) => void) | undefined;
  readonly #steps: ProgressStep[] = [{ state: 'PENDING', atMs: 0 }];

  constructor(elapsedMs: () => number, tell: ((progress: TestRunProgress) => void) | undefined) {
    this.#elapsedMs = elapsedMs;
    this.#tell = tell;
  }

  on(event: TestRunProgressEvent | undefined): void {
    const state = event && nextProgress(this.#steps.at(-1)?.state ?? 'PENDING', event);
    if (state === undefined) return;
    // Tenths of a millisecond: more digits are noise, and every result has these.
    this.#steps.push({ state, atMs: Math.max(0, Math.round(this.#elapsedMs() * 10) / 10) });
    this.#tell?.(state);
  }

  /** Every state so far, the first one included. */
  get steps(): ProgressStep[] {
    return [...this.#steps];
  }
}
