import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

interface SeenRequest {
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

type Reply = (answer: ServerResponse, request: SeenRequest) => void;

/** A local OpenAI-compatible server for tests: gives the replies in turn, the last one again and again. */
export interface ModelDouble extends AsyncDisposable {
  baseUrl: string;
  seen: SeenRequest[];
}

export async function startModelDouble(...replies: Reply[]): Promise<ModelDouble> {
  const seen: SeenRequest[] = [];
  const server = createServer((incoming, answer) => {
    void text(incoming).then((body) => {
      const request = { path: incoming.url ?? '', headers: incoming.headers, body: JSON.parse(body) };
      const reply = replies[Math.min(seen.length, replies.length - 1)];
      seen.push(request);
      reply?.(answer, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { baseUrl: `http://127.0.0.1:${portOf(server)}/v1`, seen, [Symbol.asyncDispose]: () => stop(server) };
}

/** An answer with this status and body; an object is sent as JSON. */
export function replyWith(
  body: unknown,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): Reply {
  return (answer) => {
    answer.writeHead(status, { 'content-type': 'application/json', ...headers });
    answer.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** A chat completion with this text. */
export function replyText(content: string, choice: Record<string, unknown> = {}): Reply {
  return replyWith(completion({ message: { role: 'assistant', content }, finish_reason: 'stop', ...choice }));
}

/** A chat completion that asks for these tool calls. */
export function replyCalls(...calls: { name: string; args: string }[]): Reply {
  const tool_calls = calls.map(({ name, args }, index) => ({
    id: `call_${index}`,
    type: 'function',
    function: { name, arguments: args },
  }));
  return replyWith(
    completion({ message: { role: 'assistant', content: null, tool_calls }, finish_reason: 'tool_calls' }),
  );
}

/** A stream of these events: objects are chunks, texts are sent as they are. */
export function replyEvents(...events: (object | string)[]): Reply {
  return (answer) => {
    answer.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    answer.end(events.map(asEvent).join(''));
  };
}

/** The end of a stream that is whole. */
export const done = 'data: [DONE]\n\n';

export const asEvent = (event: object | string): string =>
  typeof event === 'string' ? event : `data: ${JSON.stringify(event)}\n\n`;

/** One chunk of a streamed completion. */
export const chunk = (delta: object, finish_reason: string | null = null): object => ({
  ...{ id: 'c1', object: 'chat.completion.chunk', model: 'served-model' },
  choices: [{ index: 0, delta, finish_reason }],
});

/** The chunk behind the last choice, which only counts. */
export const usageChunk = (usage: unknown = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 }): object => ({
  ...{ id: 'c1', object: 'chat.completion.chunk', model: 'served-model' },
  ...{ choices: [], usage },
});

function completion(choice: Record<string, unknown>): unknown {
  return {
    id: 'c1',
    object: 'chat.completion',
    model: 'served-model',
    choices: [{ index: 0, ...choice }],
    usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server listens on no port');
  return address.port;
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
