import type { ProgressStep } from '@proofmark/contracts/case-outcome';

/** One table is the whole lifecycle: what is not in it does not happen. */
type Transitions<State extends string, Event extends string> = Readonly<
  Record<State, Readonly<Partial<Record<Event, State>>>>
>;

/** The state after `event`, or undefined when the event arrived too late (or too early) to count. */
function nextIn<State extends string, Event extends string>(
  transitions: Transitions<State, Event>,
  state: State,
  event: Event,
): State | undefined {
  return Object.hasOwn(transitions[state], event) ? transitions[state][event] : undefined;
}

/** Who has a test run: nobody yet, a runner, nobody any more because its row is written, or nobody because it was called off. */
export const leaseStates = ['queued', 'leased', 'done', 'closed'] as const;
export type LeaseState = (typeof leaseStates)[number];
/**
 * `lose`: its session is gone (counts as a crash). `release`: handed back in good order. `give_up`: lost too often, the row
 * says so. `close`: cancelled or past the deadline.
 */
export type LeaseEvent = 'claim' | 'record' | 'lose' | 'release' | 'give_up' | 'close';

const leaseTransitions = {
  queued: { claim: 'leased', give_up: 'closed', close: 'closed' },
  leased: { record: 'done', lose: 'queued', release: 'queued', close: 'closed' },
  done: {},
  closed: {},
} as const satisfies Transitions<LeaseState, LeaseEvent>;

/** The state after `event`; undefined when it came too late, for example a result for a test run that was cancelled. */
export const nextLeaseState = (state: LeaseState, event: LeaseEvent): LeaseState | undefined =>
  nextIn<LeaseState, LeaseEvent>(leaseTransitions, state, event);

/** Crashes of runners that a test run survives before it gets its `error/lost` row. */
export const MAX_CRASHES = 3;

/** How far an attempt at a test run has come, in the words of seed 000. Progress is shown, it decides nothing. */
export type TestRunProgress = ProgressStep['state'];

export type TestRunProgressEvent =
  | 'load_files'
  | 'files_loaded'
  | 'files_broken'
  | 'call_agent'
  | 'agent_answered'
  | 'agent_broken'
  | 'simulator_broken'
  | 'evaluate'
  | 'evaluated'
  | 'evaluation_broken';

const progressTransitions = {
  PENDING: { load_files: 'PROCESSING_FILES' },
  PROCESSING_FILES: { files_loaded: 'FILES_READY', files_broken: 'FILES_FAILED' },
  FILES_READY: { call_agent: 'EXECUTING_AGENT' },
  EXECUTING_AGENT: {
    agent_answered: 'AGENT_COMPLETE',
    agent_broken: 'AGENT_FAILED',
    simulator_broken: 'EVALUATION_FAILED',
  },
  AGENT_COMPLETE: { evaluate: 'EVALUATING' },
  EVALUATING: { evaluated: 'COMPLETE', evaluation_broken: 'EVALUATION_FAILED' },
  FILES_FAILED: {},
  AGENT_FAILED: {},
  COMPLETE: {},
  EVALUATION_FAILED: {},
} as const satisfies Transitions<TestRunProgress, TestRunProgressEvent>;

/** The progress after `event`; undefined for every jump and for whatever a redelivered message repeats. */
export const nextProgress = (state: TestRunProgress, event: TestRunProgressEvent): TestRunProgress | undefined =>
  nextIn<TestRunProgress, TestRunProgressEvent>(progressTransitions, state, event);

/** How far one metric has come, in the words of seed 000. */
export type MetricProgress = 'PENDING' | 'EVALUATING' | 'RETRY' | 'COMPLETE' | 'FAILED';
export type MetricProgressEvent = 'evaluate' | 'scored' | 'broken' | 'give_up';

const metricTransitions = {
  PENDING: { evaluate: 'EVALUATING' },
  EVALUATING: { scored: 'COMPLETE', broken: 'RETRY', give_up: 'FAILED' },
  RETRY: { evaluate: 'EVALUATING' },
  COMPLETE: {},
  FAILED: {},
} as const satisfies Transitions<MetricProgress, MetricProgressEvent>;

/** The progress after `event`; undefined when it cannot follow. */
export const nextMetricProgress = (state: MetricProgress, event: MetricProgressEvent): MetricProgress | undefined =>
  nextIn<MetricProgress, MetricProgressEvent>(metricTransitions, state, event);

/** How far a runner that hears nothing may still go: others may be taking its place. */
export type Stance = 'works' | 'begins_nothing' | 'gives_up';

/** After a fifth of the lease without an answer nothing new is started: 5 s of 25 s. */
const fencedShare = 5;

export interface Silence {
  /** Since an answer to a heartbeat last counted. */
  silentMs: number;
  leaseMs: number;
  /** What the last answer said. */
  isLedgerDown: boolean;
}

/** While the ledger is down nobody can lease again what a runner has: it gives up nothing. */
export function stanceOf({ silentMs, leaseMs, isLedgerDown }: Silence): Stance {
  if (silentMs < leaseMs / fencedShare) return 'works';
  return silentMs > leaseMs && !isLedgerDown ? 'gives_up' : 'begins_nothing';
}

/**
 * Whether an answer ends the silence. That the ledger is down says nothing about what became of a runner's work: it keeps going
 * a runner that has heard all until then, and no other.
 */
export const endsSilence = (answer: Silence): boolean => !answer.isLedgerDown || stanceOf(answer) === 'works';

/** A silence of the coordinators longer than this share of a lease may have kept heartbeats from arriving. */
const outageShare = 0.4;

/** Whether the silence of runners may be our own fault: then all reapers wait one lease before they take anything from them. */
export const hadOutage = ({
  silenceMs,
  leaseMs,
}: {
  /** How long no coordinator was there that runners could reach; null when nobody knows of one. */
  silenceMs: number | null;
  leaseMs: number;
}): boolean => silenceMs === null || silenceMs > leaseMs * outageShare;

/** What the ledger has published and nobody has claimed is sent again when the broker holds less of it in two looks running. */
export function lookForLost(
  wasSuspect: boolean,
  { published, waiting }: { published: number; waiting: number },
): { isSuspect: boolean; republish: boolean } {
  const isMissing = published > 0 && waiting < published;
  return { isSuspect: isMissing && !wasSuspect, republish: isMissing && wasSuspect };
}
