import { type ABTestResult, type AgentResponse, QuestionMetadata } from '@proofmark/contracts/ab-session';
import type { CaseOutcome, TokenUsage } from '@proofmark/contracts/case-outcome';
import type { CaseWork } from '@proofmark/contracts/case-work';
import type { TestCase } from '@proofmark/contracts/test-case';

/** Where a question stands: alike on both sides. */
interface QuestionPlace {
  suitePath: string;
  cellKey: string;
  caseName: string;
  repetition: number;
}

/** What tells a question from every other one of its comparison. */
export const questionKey = ({ suitePath, cellKey, caseName, repetition }: QuestionPlace): string =>
  JSON.stringify([suitePath, cellKey, caseName, repetition]);

/** What the agent is asked first. */
export const inputOf = ({ input, initial_message, name }: TestCase): string => input ?? initial_message ?? name;

/** What is known of a question. What the product knows wins over what its author calls alike. */
export function questionMetadata(
  place: QuestionPlace & { suiteName: string },
  testCase: TestCase | undefined,
): ABTestResult['metadata'] {
  return {
    ...QuestionMetadata.parse(testCase?.metadata ?? {}),
    pair: questionKey(place),
    suite: place.suiteName,
    suite_path: place.suitePath,
    case: place.caseName,
    cell: place.cellKey,
    repetition: place.repetition,
    difficulty: testCase?.difficulty ?? 'normal',
    tags: [...(testCase?.tags ?? [])],
  };
}

/** Whether there is anything to judge an answer by. */
export const isJudged = ({ case: testCase, instrument }: CaseWork): boolean =>
  instrument.evaluations !== null ||
  [testCase.expected_behavior, testCase.expected_outcomes, testCase.expected_tool_calls].some((one) => one !== null) ||
  testCase.turns?.some((turn) => turn.expected_behavior !== null || turn.expected_tool_calls !== null) === true ||
  testCase.evaluation_criteria_override !== null;

/** How both answers were judged. */
export const statusMetadata = (statuses: Record<'baseline' | 'candidate', CaseOutcome['status']>) => ({
  baseline_status: statuses.baseline,
  candidate_status: statuses.candidate,
});

/** The name under which an agent is measured: its model, or the agent itself where no model is known. */
export const measuredModel = ({ model, agent }: CaseWork): string => model?.model ?? agent.name;

interface Answer {
  model: string;
  /** Null: there was none. */
  whole: string | null;
  /** What the answers took; tries that failed are none. */
  usage: TokenUsage | null;
}

/**
 * What the agent did, whatever its checks said of it: only a call that failed is an error of the response. A check or a
 * judge that broke leaves the answer as it was given.
 */
export function responseOf(outcome: CaseOutcome, { model, whole, usage }: Answer): AgentResponse {
  const base = { model: outcome.model ?? model, timestamp: outcome.startedAt, retry_count: outcome.retryCount };
  const isAnswered = outcome.status !== 'error' || outcome.errorKind === 'judge';
  if (!isAnswered) {
    const error = outcome.errorMessage ?? outcome.errorKind ?? 'unknown error';
    return { ...base, response: '', prompt_tokens: 0, completion_tokens: 0, latency_ms: 0, error };
  }
  return {
    ...base,
    response: whole ?? outcome.response ?? '',
    prompt_tokens: usage?.promptTokens ?? 0,
    completion_tokens: usage?.completionTokens ?? 0,
    latency_ms: outcome.latencyMs ?? 0,
    error: null,
  };
}

/** The response of a side that could not be asked. */
export const unanswered = (error: string, now: Date): AgentResponse => ({
  response: '',
  prompt_tokens: 0,
  completion_tokens: 0,
  latency_ms: 0,
  model: 'unknown',
  error,
  retry_count: 0,
  timestamp: now.toISOString(),
});
