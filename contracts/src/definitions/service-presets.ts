import type { HttpDriver, ServiceMapping } from './service.ts';

type Preset = NonNullable<HttpDriver['preset']>;

interface PresetRules extends Pick<HttpDriver, 'stream' | 'poll' | 'body' | 'headers'> {
  /** Behind the address of the service. */
  place: string;
  mapping: ServiceMapping;
}

const input = { $from: 'input' };

/** What is known of servers that many teams run. A key that a driver sets itself replaces the one here. */
const presets: Readonly<Record<Preset, PresetRules>> = {
  // The Platform keeps a thread per conversation; the state that comes back holds all its messages.
  langgraph: {
    place: '/threads/{session}/runs/wait',
    body: { assistant_id: 'agent' },
    mapping: {
      request: { input: { messages: [{ role: 'user', content: input }] } },
      response: ['messages[-1].content', 'messages[-1].content[*].text'],
      join: '',
      error: '__error__.message',
      tool_calls: {
        ...{ path: 'messages[*].tool_calls[*]', id: 'id', name: 'name', args: 'args', result: 'result' },
        results: { path: 'messages[*]', id: 'tool_call_id', result: 'content' },
      },
      session: { create: { url: '/threads', path: 'thread_id' } },
      usage: {
        prompt_tokens: 'messages[-1].usage_metadata.input_tokens',
        completion_tokens: 'messages[-1].usage_metadata.output_tokens',
      },
    },
  },
  // A route of the AI SDK gets all messages each time and keeps nothing.
  'vercel-ui': {
    place: '',
    stream: { format: 'ui-message' },
    mapping: {
      request: {
        ...{ id: { $from: 'conversation_id' }, messages: { $from: 'ui_messages' } },
        ...{ trigger: 'submit-message', messageId: { $from: 'message_id' } },
      },
      response: 'text',
      tool_calls: { path: 'tool_calls', id: 'id', name: 'name', args: 'args', result: 'result' },
    },
  },
  // JSON-RPC of version 0.3, which servers of 1.0 answer as well when the header asks for it.
  a2a: {
    place: '',
    headers: { 'A2A-Version': '0.3' },
    mapping: {
      request: {
        ...{ jsonrpc: '2.0', id: { $from: 'message_id' }, method: 'message/send' },
        params: {
          message: {
            ...{ kind: 'message', role: 'user', messageId: { $from: 'message_id' } },
            ...{ contextId: { $from: 'conversation_id' }, parts: [{ kind: 'text', text: input }] },
          },
          configuration: { blocking: true, acceptedOutputModes: ['text/plain'] },
        },
      },
      response: ['result.parts[*].text', 'result.artifacts[*].parts[*].text', 'result.status.message.parts[*].text'],
      error: 'error.message',
    },
    poll: {
      ...{ url: '', every_ms: 500 },
      body: {
        ...{ jsonrpc: '2.0', id: { $from: 'message_id' }, method: 'tasks/get' },
        params: { id: { $from: 'start.result.id' } },
      },
      while: { path: 'result.status.state', in: ['submitted', 'working'] },
      failed: { path: 'result.status.state', in: ['failed', 'rejected', 'canceled', 'auth-required'] },
    },
  },
  dify: {
    place: '/chat-messages',
    body: { inputs: {} },
    mapping: {
      request: {
        ...{ query: input, response_mode: 'blocking', user: { $from: 'conversation_id' } },
        conversation_id: { $from: 'session' },
      },
      response: 'answer',
      session: { path: 'conversation_id', first: '' },
      usage: { prompt_tokens: 'metadata.usage.prompt_tokens', completion_tokens: 'metadata.usage.completion_tokens' },
    },
  },
  rasa: {
    place: '/webhooks/rest/webhook',
    mapping: {
      request: { sender: { $from: 'conversation_id' }, message: input },
      response: '[*].text',
    },
  },
  'openai-chat': {
    place: '/chat/completions',
    mapping: {
      request: { messages: { $from: 'messages' } },
      response: ['choices[0].message.content', 'choices[0].message.content[*].text'],
      join: '',
      error: 'error.message',
      tool_calls: {
        path: 'choices[0].message.tool_calls',
        ...{ id: 'id', name: 'function.name', args: 'function.arguments', result: 'result' },
      },
      usage: { prompt_tokens: 'usage.prompt_tokens', completion_tokens: 'usage.completion_tokens' },
      model: 'model',
    },
  },
};

export interface Service extends Omit<HttpDriver, 'preset' | 'mapping' | 'base_endpoint' | 'type' | 'body'> {
  body?: HttpDriver['body'];
  /** Undefined: it speaks our own protocol. */
  mapping: ServiceMapping | undefined;
  /** Where turns go: a path behind the address, with places to fill. */
  place: string;
}

/** Whether the service is asked in words of its own, and runs its tools itself. */
export const isMapped = ({ preset, mapping }: HttpDriver): boolean => preset !== undefined || mapping !== undefined;

/** The service as it is called: what the preset says, and above it what the driver says. */
export function settledService({ preset, mapping, headers, body, ...driver }: HttpDriver): Service {
  const { type: _type, base_endpoint: _base, ...rest } = driver;
  const given = { ...(body === undefined ? {} : { body }), ...(headers === undefined ? {} : { headers }) };
  if (preset === undefined) return { ...rest, ...given, mapping, place: '' };
  const { mapping: usual, headers: usualHeaders, body: usualBody, ...rules } = presets[preset];
  return {
    ...rules,
    ...rest,
    ...{ headers: { ...usualHeaders, ...headers }, body: { ...usualBody, ...body } },
    mapping: { ...usual, ...mapping },
  };
}
