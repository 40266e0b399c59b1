import type { AgentResponse } from '@proofmark/contracts/ab-session';

/** What can be computed from one invocation (seed 003). */
export interface ResponseMeasures {
  total_tokens: number;
  /** Completion tokens per millisecond; 0 when no time was measured. */
  tokens_per_ms: number;
  success: boolean;
}

type Measured = Pick<AgentResponse, 'prompt_tokens' | 'completion_tokens' | 'latency_ms' | 'error'>;

export function measureResponse({ prompt_tokens, completion_tokens, latency_ms, error }: Measured): ResponseMeasures {
  return {
    total_tokens: prompt_tokens + completion_tokens,
    tokens_per_ms: latency_ms === 0 ? 0 : completion_tokens / latency_ms,
    success: error === null,
  };
}
