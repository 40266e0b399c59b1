import type { ToolDefinition } from '@proofmark/contracts/agent-file';
import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { Adjustment, TokenUsage } from '@proofmark/contracts/case-outcome';
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
  /** Sent where the configuration says nothing itself, and left out where the model refuses it: nobody asked for it. */
  defaults?: { temperature?: number | undefined; maxTokens?: number | undefined; seed?: number | undefined };
  /** The answer must be JSON of this shape; asked for in the strictest form that the model takes. */
  schema?: AnswerShape;
  /** Also ask how probable each token of the answer was, where the configuration says that the model tells. */
  weighsTokens?: true;
}

export interface AnswerShape {
  name: string;
  schema: Record<string, unknown>;
}

export type AnswerFlag = 'cut_by_model' | 'refusal' | 'usage_invalid' | 'evidence_cut';

/** A token of an answer with what else might have stood in its place. */
export interface WeighedToken {
  token: string;
  alternatives: readonly { token: string; logProbability: number }[];
}

export interface ChatAnswer {
  text: string;
  calls: RequestedCall[];
  usage: TokenUsage | null;
  model: string | null;
  flags: AnswerFlag[];
  /** Absent: nobody asked, or the model did not say. */
  tokens?: readonly WeighedToken[];
  /** What was asked for in another way than it was meant, because the model refuses that. Absent: nothing. */
  adjustments?: readonly Adjustment[];
}

export interface Embeddings {
  vectors: number[][];
  usage: TokenUsage | null;
  /** They came with the request of another test run, or were there already: nothing was called for them. */
  isShared?: true;
}

export type CallResult<T> = { ok: true; value: T } | { ok: false; failure: CallFailure };

/** Models that are only asked to write. */
export type ChatPort = Pick<ModelPort, 'chat'>;

/** One try of a call to a model. Never retries and never throws, except when `signal` is aborted. */
export interface ModelPort {
  chat(settings: ModelSettings, request: ChatRequest, signal: TrySignal): Promise<CallResult<ChatAnswer>>;
  embed(settings: ModelSettings, inputs: readonly string[], signal: TrySignal): Promise<CallResult<Embeddings>>;
}
