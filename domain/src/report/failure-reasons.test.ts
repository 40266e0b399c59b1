import { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { expect, test } from 'vitest';
import { describeFailure, describeSimulation, failureReasons } from './failure-reasons.ts';
import { sampleOutcomes } from './sample-test-run.fixture.ts';

const outcome = (parts: object) =>
  CaseOutcome.parse({
    status: 'failed',
    errorKind: null,
    errorMessage: null,
    testInput: 'q',
    response: 'a',
    executionTimeMs: 1,
    startedAt: '2025-11-01T14:30:00Z',
    ...parts,
  });
const check = (checkType: string, details: object) => ({
  checkIndex: 0,
  checkType,
  status: 'fail',
  passed: false,
  details,
});

test('a failed test run names tools, checks and metrics that failed', () => {
  const metric = { metric_name: 'relevance', score: 0.5, threshold: 0.7, passed: false, evaluation_time_ms: 1 };
  expect(
    failureReasons(
      outcome({
        tools: { matched: false, problems: ['refund was not called'] },
        checks: [
          check('contains_phrases', { matchedPhrases: ['9'], missingPhrases: ['17'] }),
          check('not_contains_phrases', { matchedPhrases: ['sorry'] }),
          check('semantic_similarity', { similarityScore: 0.61, threshold: 0.8 }),
          check('llm_judge', { reasoning: 'It names the wrong day' }),
        ],
        metrics: [metric],
      }),
    ),
  ).toEqual([
    'tools: refund was not called',
    'contains_phrases: "17" missing',
    'not_contains_phrases: "sorry" found',
    'semantic_similarity: 0.61 is below 0.80',
    'llm_judge: It names the wrong day',
    'relevance: 0.50 is below 0.70',
  ]);
});

test('the side to blame comes first for an error', () => {
  const error = { status: 'error', response: null };
  expect(failureReasons(outcome({ ...error, errorKind: 'timeout', errorMessage: 'Timeout after 30000ms' }))).toEqual([
    'agent error: Timeout after 30000ms',
  ]);
  expect(failureReasons(outcome({ ...error, errorKind: 'lost' }))).toEqual(['infrastructure error: lost']);
});

test('a call that no mock answered is named before what followed from it', () => {
  const mocks = { unusedEntries: [], unmatchedCalls: ['refund'] };
  expect(failureReasons(outcome({ mocks, checks: [check('llm_judge', {})] }))).toEqual([
    'mocks: a call of refund had no mock',
    'llm_judge: failed',
  ]);
  const unused = { ...mocks, unusedEntries: [0, 3] };
  expect(failureReasons(outcome({ mocks: unused, checks: [check('llm_judge', {})] })).at(-1)).toBe(
    'mocks: not used: mocks.0, mocks.3',
  );
  // Mocks are for all cases of a suite: that this one needs only some of them says nothing.
  expect(
    failureReasons(outcome({ mocks: { ...unused, unmatchedCalls: [] }, checks: [check('llm_judge', {})] })),
  ).toEqual(['llm_judge: failed']);
});

test('a test run that passed has no reasons, even when a metric errored', () => {
  const metric = { metric_name: 'm', score: null, passed: false, evaluation_time_ms: 1, error: 'down' };
  expect(failureReasons(outcome({ status: 'passed', metrics: [metric] }))).toEqual([]);
});

test('an outcome that was not reached is named with what the judge saw', () => {
  expect(failureReasons(outcome({ outcomes: sampleOutcomes() }))).toEqual(['outcome mail_sent: no mail was sent']);
  const unjudged = sampleOutcomes({ passed: null, score: null, criteria: [], error: 'the judge is down' });
  expect(failureReasons(outcome({ outcomes: unjudged }))).toEqual(['expected_outcomes: error: the judge is down']);
});

test('the short form is the first reason, cut between two words and never inside of one', () => {
  expect(describeFailure(outcome({ status: 'passed' }))).toBeNull();
  const unmatched = { mocks: { unusedEntries: [], unmatchedCalls: ['get_order'] } };
  expect(
    describeFailure(outcome({ ...unmatched, tools: { matched: false, problems: ['refund was not called'] } })),
  ).toBe('mocks: a call of get_order had no mock');
  expect(describeFailure(outcome({ tools: { matched: false, problems: [] } }))).toBe('tools: not called as expected');
  const told = describeFailure(
    outcome({ status: 'error', errorKind: 'agent', errorMessage: 'every word is whole '.repeat(20) }),
  );
  expect(told).toMatch(/^agent error: (every word is whole )+(every|every word|every word is|every word is whole)?…$/);
  expect(told?.length).toBeGreaterThan(190);
  expect(told?.length).toBeLessThanOrEqual(200);
});

test('a check that failed is named before one that could not be decided', () => {
  const undecided = { ...check('llm_judge', {}), status: 'error', error: 'no answer' };
  expect(describeFailure(outcome({ checks: [undecided, check('equals', {})] }))).toBe('equals: failed');
});

const facts = {
  endReason: 'simulator',
  leaveReason: 'goal_met',
  agentTurns: 2,
  discardedTries: [],
  simulator: { template: 'simulator/1', model: null, calls: 2, usage: null, costUsd: null },
} as const;

test('a conversation that went as it should has nothing to tell', () => {
  expect(describeSimulation({ ...facts, discardedTries: [] })).toEqual([]);
});

test('tries that were thrown away are counted, with why', () => {
  expect(describeSimulation({ ...facts, discardedTries: ['It left early'] })).toEqual([
    'simulated user: started over once: It left early',
  ]);
  expect(describeSimulation({ ...facts, discardedTries: ['It left early', 'It recited'] })).toEqual([
    'simulated user: started over 2 times: It left early; It recited',
  ]);
});

test('faults that a review has found name the message and what would have been right', () => {
  const fault = {
    message: 2,
    kind: 'invented_fact',
    explanation: 'It made up an order.',
    correctBehavior: 'Say it does not know.',
  } as const;
  expect(describeSimulation({ ...facts, discardedTries: [], review: [{ ...fault, isCritical: true }] })).toEqual([
    'simulated user: message 2, invented fact (critical): It made up an order. Right would be: Say it does not know.',
  ]);
});
