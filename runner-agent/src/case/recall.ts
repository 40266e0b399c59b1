import type { ConversationFacts, TokenUsage } from '@proofmark/contracts/case-outcome';
import type { CaseState, CaseStep } from './case-state.ts';
import { withError } from './case-state.ts';

/** The files as they were read then. Nothing is fetched: a document that has changed since would be another question. */
export const recallFiles: CaseStep = async (state, { work: { recorded } }) =>
  recorded === undefined ? state : { ...state, testInput: recorded.testInput, files: recorded.files };

/** The conversation as it was had: neither the agent nor a simulated person nor a tool is asked. */
export const recallConversation: CaseStep = async (state, { work: { recorded }, tools }) => {
  if (recorded === undefined) return state;
  const { response, transcript, toolCalls, mocks, model, usage, latencyMs, retryCount, flags, error } = recorded;
  const { toldCostUsd = null } = recorded;
  tools.recall(toolCalls, mocks ?? null);
  const { conversation = null } = recorded;
  const told: CaseState = {
    ...{ ...state, response, transcript, toolCalls, conversation, model, usage, toldCostUsd, latencyMs, retryCount },
    flags: [...state.flags, ...flags],
  };
  return error === null ? told : withError(told, error.kind, error.message);
};

const noTokens: TokenUsage = { promptTokens: 0, completionTokens: 0 };

/** What is counted of a test run that only judged: whoever spoke was paid for when it was said. */
export const nothingSpent = { usage: noTokens, costUsd: 0 } as const;

/** The facts of a conversation without what it once cost. */
export const unpaid = (facts: ConversationFacts): ConversationFacts => ({
  ...facts,
  simulator: { ...facts.simulator, calls: 0, usage: null, costUsd: 0 },
});
