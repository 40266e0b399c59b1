import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type {
  ChatCompletionContentPart,
  ChatCompletionCreateParams,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type { ChatMessage, ChatRequest } from './model-port.ts';
import type { TokenLimitName } from './token-limit.ts';

/** The request body. What is not set is not sent; a temperature of 0 is set. */
export function toChatBody(
  settings: ModelSettings,
  request: ChatRequest,
  { limitName = 'max_tokens', countsStream = true }: { limitName?: TokenLimitName; countsStream?: boolean } = {},
): ChatCompletionCreateParams {
  const temperature = request.temperature ?? settings.temperature;
  const maxTokens = request.maxTokens ?? settings.max_tokens;
  return {
    model: settings.model,
    messages: request.messages.map(toMessage),
    ...(settings.stream ? { stream: true } : {}),
    ...(settings.stream && countsStream ? { stream_options: { include_usage: true } } : {}),
    ...(temperature !== undefined ? { temperature } : {}),
    ...(maxTokens !== undefined ? { [limitName]: maxTokens } : {}),
    ...(request.seed !== undefined ? { seed: request.seed } : {}),
    ...(request.tools?.length ? { tools: request.tools.map(toTool) } : {}),
    ...(request.schema
      ? { response_format: { type: 'json_schema' as const, json_schema: { ...request.schema, strict: true } } }
      : {}),
  };
}

function toTool({ name, description, parameters }: NonNullable<ChatRequest['tools']>[number]) {
  return { type: 'function' as const, function: { name, description, parameters } };
}

function withImages({ content, images = [] }: Extract<ChatMessage, { role: 'user' }>): ChatCompletionContentPart[] {
  const parts = images.map(({ mediaType, bytes }) => ({
    type: 'image_url' as const,
    image_url: { url: `data:${mediaType};base64,${bytes.toString('base64')}` },
  }));
  return [{ type: 'text', text: content }, ...parts];
}

function toMessage(message: ChatMessage): ChatCompletionMessageParam {
  switch (message.role) {
    case 'system':
      return message;
    case 'user':
      return { role: 'user', content: message.images?.length ? withImages(message) : message.content };
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: message.content };
    case 'assistant':
      return {
        role: 'assistant',
        content: message.content,
        ...(message.calls
          ? {
              tool_calls: message.calls.map(({ id, name, arguments: text }) => ({
                id,
                type: 'function' as const,
                function: { name, arguments: text },
              })),
            }
          : {}),
      };
  }
}
