import { CheckResult, MetricResult, OutcomesVerdict } from '@proofmark/contracts/case-outcome';
import { expect, it } from 'vitest';
import { describeFailure, type FailedResult } from './describe-failure.ts';

function result(given: Partial<FailedResult>): FailedResult {
  return {
    status: 'failed',
    errorKind: null,
    errorMessage: null,
    checks: [],
    metrics: [],
    toolsMatched: null,
    toolProblems: [],
    ...given,
  };
}

it('a passed test run has no failure', () => {
  expect(describeFailure(result({ status: 'passed' }))).toBeNull();
});

it('the phrases that are missing are named', () => {
  const passed = { checkIndex: 0, checkType: 'llm_judge', status: 'pass', passed: true, details: {} };
  const failed = { checkIndex: 1, checkType: 'contains_phrases', status: 'fail', passed: false };
  const checks = [passed, { ...failed, details: { missingPhrases: ['9', 'Mon "x"'] } }].map((one) =>
    CheckResult.parse(one),
  );
  expect(describeFailure(result({ checks }))).toBe('contains_phrases: "9", "Mon \\"x\\"" missing');
});

it('a similarity or a metric below its threshold shows both numbers', () => {
  const check = { checkIndex: 0, checkType: 'semantic_similarity', status: 'fail', passed: false };
  const similarity = CheckResult.parse({ ...check, details: { similarityScore: 0.512, threshold: 0.8 } });
  expect(describeFailure(result({ checks: [similarity] }))).toBe('semantic_similarity: 0.51 is below 0.8');
  const metric = MetricResult.parse({
    metric_name: 'relevance',
    score: 0.4,
    threshold: 0.7,
    passed: false,
    evaluation_time_ms: 1,
  });
  expect(describeFailure(result({ metrics: [metric] }))).toBe('relevance: 0.40 is below 0.70');
});

it('an error names its kind, and a long text is cut', () => {
  const error = result({ status: 'error', errorKind: 'timeout', errorMessage: 'Timeout after 30000ms' });
  expect(describeFailure(error)).toBe('error (timeout): Timeout after 30000ms');
  expect(describeFailure({ ...error, errorMessage: 'x'.repeat(500) })).toHaveLength(200);
});

it('a long reason is cut between two words, never inside of one', () => {
  const told = describeFailure(
    result({ status: 'error', errorKind: 'agent', errorMessage: 'every word is whole '.repeat(20) }),
  );
  expect(told).toMatch(
    /^error \(agent\): (every word is whole )+(every|every word|every word is|every word is whole)?…$/,
  );
  expect(told?.length).toBeGreaterThan(190);
  expect(told?.length).toBeLessThanOrEqual(200);
});

it('an outcome that was not reached is named with what the judge saw', () => {
  const criterion = { requirement: '', reasoning: 'no mail was sent' };
  const criteria = [
    { ...criterion, id: 'refund_issued', status: 'passed' as const },
    { ...criterion, id: 'mail_sent', status: 'failed' as const },
  ];
  const outcomes = OutcomesVerdict.parse({ passed: false, score: 0.5, criteria, error: null });
  expect(describeFailure(result({ outcomes }))).toBe('outcome mail_sent: no mail was sent');
});

it('a call that no mock fitted comes first: what went wrong afterwards may have come of it', () => {
  const given = { toolsMatched: false, toolProblems: ['refund was not called'], unmatchedCalls: ['get_order', 'x'] };
  expect(describeFailure(result(given))).toBe('a call of get_order had no mock; tools: refund was not called');
  expect(describeFailure(result({ ...given, status: 'passed' }))).toBeNull();
});
