import type { ToolDefinition } from '@proofmark/contracts/agent-file';
import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { TokenUsage } from '@proofmark/contracts/case-outcome';
import type { CallFailure } from '../retry/call-failure.ts';
import type { TrySignal } from '../retry/try-scope.ts';

/** A tool call as the model asked for it; `arguments` is the model's own text, not yet trusted to be JSON. */
export interface RequestedCall {
  id: string;
  name: string;
  arguments: string;
}

/** A picture as it goes to a model that can see. */
export interface ImagePart {
  mediaType: string;
  bytes: Buffer;
}

export type ChatMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string; images?: readonly ImagePart[] }
  | { role: 'assistant'; content: string | null; calls?: readonly RequestedCall[] }
  | { role: 'tool'; callId: string; content: string };

export interface ChatRequest {
  messages: readonly ChatMessage[];
  tools?: readonly ToolDefinition[];
  /** Absent: the configuration's own value, and when it has none the provider's default. */
  temperature?: number;
  maxTokens?: number;
  /** Sent as it is; what a provider makes of it is its own affair. */
  seed?: number;
  /** The answer must be JSON of this shape; sent as structured output. */
  schema?: { name: string; schema: Record<string, unknown> };
}

export type AnswerFlag = 'cut_by_model' | 'refusal' | 'usage_invalid' | 'evidence_cut';

export interface ChatAnswer {
  text: string;
  calls: RequestedCall[];
  usage: TokenUsage | null;
  model: string | null;
  flags: AnswerFlag[];
}

export interface Embeddings {
  vectors: number[][];
  usage: TokenUsage | null;
  /** They came with the request of another test run, or were there already: nothing was called for them. */
  isShared?: true;
}

export type CallResult<T> = { ok: true; value: T } | { ok: false; failure: CallFailure };

/** One try of a call to a model. Never retries and never throws, except when `signal` is aborted. */
export interface ModelPort {
  chat(settings: ModelSettings, request: ChatRequest, signal: TrySignal): Promise<CallResult<ChatAnswer>>;
  embed(settings: ModelSettings, inputs: readonly string[], signal: TrySignal): Promise<CallResult<Embeddings>>;
}
