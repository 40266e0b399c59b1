import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { TokenUsage } from '@proofmark/contracts/case-outcome';
import { inSpan, type TracedSpan } from '@proofmark/process/tracing';
import type { TrySignal } from '../retry/try-scope.ts';
import type { CallResult, ChatAnswer, ChatRequest, Embeddings, ModelPort } from './model-port.ts';

/*
 * Spans of model calls, in the words of OpenTelemetry for generative AI. What was asked and answered is on none of them: a
 * trace goes to more people than results do.
 */

interface ChatCall {
  settings: ModelSettings;
  request: ChatRequest;
  signal: TrySignal;
}

/** One call to a model within a span that says what it cost. */
export async function tracedChat(
  models: ModelPort,
  { settings, request, signal }: ChatCall,
): Promise<CallResult<ChatAnswer>> {
  return await inSpan(sketchOf('chat', settings), async (span) => {
    const result = await models.chat(settings, request, signal);
    note(span, result);
    if (result.ok && result.value.model !== null) span?.setAttribute('gen_ai.response.model', result.value.model);
    return result;
  });
}

interface EmbedCall {
  settings: ModelSettings;
  inputs: readonly string[];
  signal: TrySignal;
}

export async function tracedEmbed(
  models: ModelPort,
  { settings, inputs, signal }: EmbedCall,
): Promise<CallResult<Embeddings>> {
  return await inSpan(sketchOf('embeddings', settings), async (span) => {
    const result = await models.embed(settings, inputs, signal);
    note(span, result);
    return result;
  });
}

const sketchOf = (operation: 'chat' | 'embeddings', settings: ModelSettings) => ({
  name: `${operation} ${settings.model}`,
  kind: 'client' as const,
  attributes: {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': settings.provider,
    'gen_ai.request.model': settings.model,
    'proofmark.ai_configuration': settings.configuration,
    ...(settings.temperature != null && { 'gen_ai.request.temperature': settings.temperature }),
    ...(settings.max_tokens != null && { 'gen_ai.request.max_tokens': settings.max_tokens }),
  },
});

function note(span: TracedSpan | null, result: CallResult<{ usage: TokenUsage | null }>): void {
  if (!result.ok) return void span?.setAttribute('error.type', result.failure.kind);
  const { usage } = result.value;
  if (usage === null) return;
  span?.setAttributes({
    'gen_ai.usage.input_tokens': usage.promptTokens,
    'gen_ai.usage.output_tokens': usage.completionTokens,
  });
}
