import type { ProgressStep } from '@proofmark/contracts/case-outcome';
import { isFinalIn, nextIn, type Transitions } from './next-state.ts';

/** How far an attempt at a test run has come, in the words of seed 000. Progress is shown, it decides nothing. */
export type TestRunProgress = ProgressStep['state'];

export type TestRunProgressEvent =
  | 'load_files'
  | 'files_loaded'
  | 'files_broken'
  | 'call_agent'
  | 'agent_answered'
  | 'agent_broken'
  | 'evaluate'
  | 'evaluated'
  | 'evaluation_broken';

const transitions = {
  PENDING: { load_files: 'PROCESSING_FILES' },
  PROCESSING_FILES: { files_loaded: 'FILES_READY', files_broken: 'FILES_FAILED' },
  FILES_READY: { call_agent: 'EXECUTING_AGENT' },
  EXECUTING_AGENT: { agent_answered: 'AGENT_COMPLETE', agent_broken: 'AGENT_FAILED' },
  AGENT_COMPLETE: { evaluate: 'EVALUATING' },
  EVALUATING: { evaluated: 'COMPLETE', evaluation_broken: 'EVALUATION_FAILED' },
  FILES_FAILED: {},
  AGENT_FAILED: {},
  COMPLETE: {},
  EVALUATION_FAILED: {},
} as const satisfies Transitions<TestRunProgress, TestRunProgressEvent>;

/** The progress after `event`; undefined for every jump and for whatever a redelivered message repeats. */
export const nextProgress = (state: TestRunProgress, event: TestRunProgressEvent): TestRunProgress | undefined =>
  nextIn<TestRunProgress, TestRunProgressEvent>(transitions, state, event);

export const isFinalProgress = (state: TestRunProgress): boolean => isFinalIn(transitions, state);
