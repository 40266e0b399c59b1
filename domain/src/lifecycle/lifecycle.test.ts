import { ProgressStep } from '@proofmark/contracts/case-outcome';
import { expect, test } from 'vitest';
import {
  type LeaseEvent,
  nextLeaseState,
  nextMetricProgress,
  nextProgress,
  type TestRunProgress,
  type TestRunProgressEvent,
} from './lifecycle.ts';

const events: TestRunProgressEvent[] = [
  'load_files',
  'files_loaded',
  'files_broken',
  'call_agent',
  'agent_answered',
  'agent_broken',
  'evaluate',
  'evaluated',
  'evaluation_broken',
];

/** The state after all of `list`, undefined as soon as one of them is refused. */
function walk(...list: TestRunProgressEvent[]): TestRunProgress | undefined {
  return list.reduce<TestRunProgress | undefined>((state, event) => state && nextProgress(state, event), 'PENDING');
}

test('a test run goes through files, agent and evaluation in the states of seed 000 (C21)', () => {
  expect(walk('load_files')).toBe('PROCESSING_FILES');
  expect(walk('load_files', 'files_broken')).toBe('FILES_FAILED');
  expect(walk('load_files', 'files_loaded', 'call_agent', 'agent_broken')).toBe('AGENT_FAILED');
  const evaluating = ['load_files', 'files_loaded', 'call_agent', 'agent_answered', 'evaluate'] as const;
  expect(walk(...evaluating, 'evaluated')).toBe('COMPLETE');
  expect(walk(...evaluating, 'evaluation_broken')).toBe('EVALUATION_FAILED');
});

test('S0-121 S0-122 S0-123 S0-124 every other step from every state is refused', () => {
  const steps: Readonly<Record<TestRunProgress, readonly (readonly [TestRunProgressEvent, TestRunProgress])[]>> = {
    PENDING: [['load_files', 'PROCESSING_FILES']],
    PROCESSING_FILES: [
      ['files_loaded', 'FILES_READY'],
      ['files_broken', 'FILES_FAILED'],
    ],
    FILES_READY: [['call_agent', 'EXECUTING_AGENT']],
    EXECUTING_AGENT: [
      ['agent_answered', 'AGENT_COMPLETE'],
      ['agent_broken', 'AGENT_FAILED'],
    ],
    AGENT_COMPLETE: [['evaluate', 'EVALUATING']],
    EVALUATING: [
      ['evaluated', 'COMPLETE'],
      ['evaluation_broken', 'EVALUATION_FAILED'],
    ],
    FILES_FAILED: [],
    AGENT_FAILED: [],
    COMPLETE: [],
    EVALUATION_FAILED: [],
  };
  expect(new Set(Object.keys(steps))).toEqual(new Set(ProgressStep.shape.state.options));
  for (const state of ProgressStep.shape.state.options) {
    const found = events.flatMap((event) => {
      const next = nextProgress(state, event);
      return next === undefined ? [] : [[event, next]];
    });
    expect({ state, found }).toEqual({ state, found: steps[state] });
  }
});

test('S0-124 jumps are refused and a repeated message moves nothing back', () => {
  expect(walk('call_agent')).toBeUndefined();
  expect(walk('load_files', 'evaluate')).toBeUndefined();
  expect(walk('load_files', 'files_loaded', 'call_agent', 'load_files')).toBeUndefined();
});

test('nothing leaves a final state', () => {
  const final: TestRunProgress[] = ['FILES_FAILED', 'AGENT_FAILED', 'COMPLETE', 'EVALUATION_FAILED'];
  for (const state of final) {
    expect(events.map((event) => nextProgress(state, event))).toEqual(events.map(() => undefined));
  }
});

test('a metric is evaluated again after a fault until it is given up (S0-126, S0-128)', () => {
  expect(nextMetricProgress('EVALUATING', 'broken')).toBe('RETRY');
  expect(nextMetricProgress('RETRY', 'evaluate')).toBe('EVALUATING');
  expect(nextMetricProgress('EVALUATING', 'give_up')).toBe('FAILED');
  expect(nextMetricProgress('RETRY', 'scored')).toBeUndefined();
  const all = ['evaluate', 'scored', 'broken', 'give_up'] as const;
  expect(all.map((event) => nextMetricProgress('COMPLETE', event))).toEqual(all.map(() => undefined));
});

test('a result counts only for a leased test run', () => {
  expect(nextLeaseState('leased', 'record')).toBe('done');
  expect(nextLeaseState('queued', 'record')).toBeUndefined();
  expect(nextLeaseState('done', 'record')).toBeUndefined();
  expect(nextLeaseState('closed', 'record')).toBeUndefined();
});

test('a test run that was lost or handed back is queued again, a finished or closed one never', () => {
  expect(nextLeaseState('queued', 'claim')).toBe('leased');
  expect(nextLeaseState('leased', 'lose')).toBe('queued');
  expect(nextLeaseState('leased', 'release')).toBe('queued');
  expect(nextLeaseState('queued', 'give_up')).toBe('closed');
  expect(nextLeaseState('leased', 'claim')).toBeUndefined();
  const all: LeaseEvent[] = ['claim', 'record', 'lose', 'release', 'give_up', 'close'];
  for (const state of ['done', 'closed'] as const) {
    expect(all.map((event) => nextLeaseState(state, event))).toEqual(all.map(() => undefined));
  }
});
