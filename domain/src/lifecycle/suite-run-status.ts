import { isFinalIn, nextIn, type Transitions } from './next-state.ts';

export type SuiteRunStatus = 'pending' | 'running' | 'completed' | 'failed' | 'cancelled';
/** `finish`: the last test run is in. `expire`: the deadline has passed. `cancel`: somebody no longer wants it. */
export type SuiteRunEvent = 'start' | 'finish' | 'expire' | 'cancel';

const transitions = {
  pending: { start: 'running', finish: 'completed', expire: 'failed', cancel: 'cancelled' },
  running: { finish: 'completed', expire: 'failed', cancel: 'cancelled' },
  completed: {},
  failed: {},
  cancelled: {},
} as const satisfies Transitions<SuiteRunStatus, SuiteRunEvent>;

/** The status after `event`; undefined when the suite run is over, which makes cancelling it twice harmless. */
export const nextSuiteRunStatus = (status: SuiteRunStatus, event: SuiteRunEvent): SuiteRunStatus | undefined =>
  nextIn<SuiteRunStatus, SuiteRunEvent>(transitions, status, event);

export const isFinalSuiteRun = (status: SuiteRunStatus): boolean => isFinalIn(transitions, status);
