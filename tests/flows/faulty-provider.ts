import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../stack/listen.ts';

type Answer = (response: ServerResponse, call: { earlier: number; body: string }) => void;

/** How a test run that meets a fault must end. */
export type Expected =
  | { status: 'passed'; flags?: string[] }
  | { status: 'error'; errorKind: 'agent' | 'timeout' | 'limit'; message: RegExp };

export interface Fault {
  answer: Answer;
  expected: Expected;
  /** How often the provider is asked. */
  calls: number;
}

const json = { 'content-type': 'application/json' };
const send = (body: unknown, status = 200, headers: Record<string, string> = {}): Answer => {
  const sent = typeof body === 'string' ? body : JSON.stringify(body);
  return (response) => void response.writeHead(status, { ...json, ...headers }).end(sent);
};

const usage = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 };
const completion = (message: object, finish_reason = 'stop') => ({
  id: 'c1',
  object: 'chat.completion',
  model: 'served',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
  usage,
});
const good = send(completion({ content: 'We close at 17.' }));
const scripted = (status: number, headers: Record<string, string> = {}): Answer =>
  send({ error: { message: `scripted ${status}`, type: 'error', code: null } }, status, headers);
const error = (errorKind: 'agent' | 'timeout' | 'limit', message: RegExp): Expected => ({
  ...{ status: 'error', errorKind, message },
});
const tried = /^Failed after 3 attempts: /;

const drip: Answer = (response) => {
  response.writeHead(200, json);
  const timer = setInterval(() => response.write(' '), 50);
  response.once('close', () => clearInterval(timer));
};
const half: Answer = (response) => {
  response.writeHead(200, { ...json, 'content-length': '1000' });
  response.write('{"choices":[{"message":{"content":"We cl', () => response.destroy());
};
const toolCall = completion(
  { content: null, tool_calls: [{ id: 'c', type: 'function', function: { name: 'get_hours', arguments: '{}' } }] },
  'tool_calls',
);

/** Everything a provider is known to do wrong, and what must come of it. */
export const faults: Readonly<Record<string, Fault>> = {
  '429': { answer: scripted(429), expected: error('agent', tried), calls: 3 },
  '429-with-retry-after': {
    answer: (response, call) => (call.earlier === 0 ? scripted(429, { 'retry-after': '1' }) : good)(response, call),
    expected: { status: 'passed' },
    calls: 2,
  },
  '429-for-a-day': {
    answer: scripted(429, { 'retry-after': '86400' }),
    expected: error('agent', /asks to wait 86400 s/),
    calls: 1,
  },
  '429-no-quota': {
    answer: send({ error: { message: 'no money', code: 'insufficient_quota' } }, 429),
    expected: error('agent', /no money/),
    calls: 1,
  },
  '401': { answer: scripted(401), expected: error('agent', /401/), calls: 1 },
  '500': { answer: scripted(500), expected: error('agent', tried), calls: 3 },
  '503': { answer: scripted(503), expected: error('agent', tried), calls: 3 },
  hang: { answer: () => undefined, expected: error('timeout', tried), calls: 3 },
  'slow-body': { answer: drip, expected: error('timeout', tried), calls: 3 },
  'half-stream': { answer: half, expected: error('agent', tried), calls: 3 },
  '200-with-error': {
    answer: send({ error: { message: 'overloaded' } }),
    expected: error('agent', /overloaded/),
    calls: 1,
  },
  html: {
    answer: send('<html>Bad gateway</html>', 200, { 'content-type': 'text/html' }),
    expected: error('agent', /text\/html instead of JSON/),
    calls: 1,
  },
  'html-as-json': { answer: send('<html></html>'), expected: error('agent', /is not JSON/), calls: 1 },
  'empty-choices': {
    answer: send({ ...completion({}), choices: [] }),
    expected: error('agent', /unexpected shape/),
    calls: 1,
  },
  'number-as-content': {
    answer: send(completion({ content: 17 })),
    expected: error('agent', /unexpected shape/),
    calls: 1,
  },
  '20-mb': {
    answer: send(completion({ content: `17${'x'.repeat(20 * 1024 * 1024)}` })),
    expected: error('limit', /too large/),
    calls: 1,
  },
  'nul-and-lone-surrogates': {
    answer: send(completion({ content: 'We close\0 at 17.\ud800' })),
    expected: { status: 'passed', flags: ['text_replaced'] },
    calls: 1,
  },
  'tool-calls-for-ever': { answer: send(toolCall), expected: error('limit', /32 tool calls/), calls: 33 },
  redirect: {
    answer: (response, call) => send('', 307, { location: '/stolen' })(response, call),
    expected: error('agent', /redirect/),
    calls: 1,
  },
};

export type FaultyProvider = AsyncDisposable & {
  origin: string;
  /** How often each path was asked. */
  calls: Map<string, number>;
};

/** A provider with one base URL per fault, `/<fault>/v1`; every other path answers as it should. */
export async function startFaultyProvider(): Promise<FaultyProvider> {
  const calls = new Map<string, number>();
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const name = request.url?.split('/')[1] ?? '';
    const earlier = calls.get(name) ?? 0;
    calls.set(name, earlier + 1);
    (faults[name]?.answer ?? good)(response, { earlier, body });
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  const { origin, close } = await listen(server);
  return { origin, calls, [Symbol.asyncDispose]: close };
}
