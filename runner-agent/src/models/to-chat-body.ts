import type { AnswerForm, ModelSettings } from '@proofmark/contracts/ai-configuration';
import type {
  ChatCompletionContentPart,
  ChatCompletionCreateParams,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import { type Dialect, formFor, limitFor, limitNameFor, mayBeSent, usualDialect } from './dialects.ts';
import type { AnswerShape, ChatMessage, ChatRequest } from './model-port.ts';

/** The request body in the dialect of the model. What is not set is not sent; a temperature of 0 is set. */
export function toChatBody(
  settings: ModelSettings,
  request: ChatRequest,
  dialect: Dialect = usualDialect,
): ChatCompletionCreateParams {
  const { defaults = {}, tools = [], schema } = request;
  const limit = limitFor(settings, request, dialect);
  const limitName = limitNameFor(settings, dialect);
  return {
    // What Proofmark writes itself comes later, and wins.
    ...settings.extra_body,
    model: settings.model,
    messages: request.messages.map(toMessage),
    ...(settings.stream ? { stream: true } : {}),
    ...(settings.stream && mayBeSent(dialect, 'stream_options', false)
      ? { stream_options: { include_usage: true } }
      : {}),
    ...sampling(settings, defaults, dialect),
    ...(limit !== undefined && limitName !== null ? { [limitName]: limit } : {}),
    ...(request.weighsTokens && settings.log_probabilities && mayBeSent(dialect, 'logprobs', true)
      ? { logprobs: true, top_logprobs: mostAlternatives }
      : {}),
    ...(tools.length > 0 ? { tools: tools.map(toTool) } : {}),
    ...(schema ? shaped(schema, formFor(settings, dialect)) : {}),
  };
}

const mostAlternatives = 20;

/** Temperature, seed and effort: what the configuration says, else what the request would have, if the model takes it. */
function sampling(
  settings: ModelSettings,
  defaults: NonNullable<ChatRequest['defaults']>,
  dialect: Dialect,
): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const field of ['temperature', 'seed', 'reasoning_effort'] as const) {
    const value = settings[field] ?? (field === 'reasoning_effort' ? undefined : defaults[field]);
    if (value !== undefined && mayBeSent(dialect, field, settings[field] !== undefined)) body[field] = value;
  }
  return body;
}

/** How the shape is asked for; the prompt says it in every form, because some servers accept a schema and do not keep to it. */
function shaped(shape: AnswerShape, form: AnswerForm): Partial<ChatCompletionCreateParams> {
  switch (form) {
    case 'tool':
      return {
        tools: [{ type: 'function', function: { name: shape.name, parameters: shape.schema } }],
        tool_choice: { type: 'function', function: { name: shape.name } },
      };
    case 'strict_schema':
      return { response_format: { type: 'json_schema', json_schema: { ...shape, strict: true } } };
    case 'schema':
      return { response_format: { type: 'json_schema', json_schema: { ...shape } } };
    case 'json_object':
      return { response_format: { type: 'json_object' } };
    case 'plain':
      return {};
  }
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
