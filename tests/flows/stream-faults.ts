import type { ServerResponse } from 'node:http';
import { type Answer, error, type Fault, good, scripted, send, tried, usage } from './provider-answers.ts';

const begin = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
const event = (data: unknown): string => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const stream =
  (...data: unknown[]): Answer =>
  (response) =>
    void begin(response).end(data.map(event).join(''));
const chunk = (delta: object, finish_reason: string | null = null) => ({
  ...{ id: 'c1', object: 'chat.completion.chunk', model: 'served' },
  choices: [{ index: 0, delta, finish_reason }],
});

const text = [chunk({ role: 'assistant', content: '' }), chunk({ content: 'We close' }), chunk({ content: ' at 17.' })];
const end = chunk({}, 'stop');
const counted = { choices: [], usage };
const done = '[DONE]';
const fine = stream(...text, end, counted, done);

/** Keeps the connection open with comments, and never says a word. */
const keptAlive: Answer = (response) => {
  begin(response);
  const timer = setInterval(() => response.write(': keep-alive\n\n'), 50);
  response.once('close', () => clearInterval(timer));
};
const silent: Answer = (response) => void begin(response).write(text.map(event).join(''));
const cut: Answer = (response) => {
  begin(response).write(text.map(event).join(''), () => response.destroy());
};
const toolCall = stream(
  chunk({ tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'get_hours', arguments: '' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] }),
  chunk({}, 'tool_calls'),
  done,
);
const megabytes = (count: number, size: number): object[] =>
  Array.from({ length: (count * 1024 * 1024) / size }, () => chunk({ content: 'x'.repeat(size) }));

const table: Readonly<Record<string, Omit<Fault, 'isStream'>>> = {
  fine: { answer: fine, expected: { status: 'passed' }, calls: 1 },
  '429': { answer: scripted(429), expected: error('agent', tried), calls: 3 },
  '429-with-retry-after': {
    answer: (response, call) => (call.earlier === 0 ? scripted(429, { 'retry-after': '1' }) : fine)(response, call),
    expected: { status: 'passed' },
    calls: 2,
  },
  '503': { answer: scripted(503), expected: error('agent', tried), calls: 3 },
  'silent-in-the-middle': { answer: silent, expected: error('timeout', tried), calls: 3 },
  'kept-alive-for-ever': { answer: keptAlive, expected: error('timeout', tried), calls: 3 },
  cut: { answer: cut, expected: error('agent', tried), calls: 3 },
  'cut-once': {
    answer: (response, call) => (call.earlier === 0 ? cut : fine)(response, call),
    expected: { status: 'passed' },
    calls: 2,
  },
  'ended-in-the-middle': { answer: stream(...text), expected: error('agent', /ended in the middle/), calls: 3 },
  'without-done': { answer: stream(...text, end, counted), expected: { status: 'passed' }, calls: 1 },
  'done-and-open': {
    answer: (response) => void begin(response).write([...text, end, counted, done, 'more'].map(event).join('')),
    expected: { status: 'passed' },
    calls: 1,
  },
  'without-finish-reason': { answer: stream(...text, done), expected: error('agent', /no finish_reason/), calls: 1 },
  'without-usage': { answer: stream(...text, end, done), expected: { status: 'passed' }, calls: 1 },
  'error-in-the-middle': {
    answer: stream(...text, { error: { message: 'overloaded' } }),
    expected: error('agent', /^Failed after 3 attempts: .*overloaded/),
    calls: 3,
  },
  'error-as-json': {
    answer: send({ error: { message: 'overloaded' } }),
    expected: error('agent', /overloaded/),
    calls: 1,
  },
  'in-one-piece': { answer: good, expected: error('agent', /leave stream out/), calls: 1 },
  html: {
    answer: send('<html>Bad gateway</html>', 200, { 'content-type': 'text/html' }),
    expected: error('agent', /text\/html instead of a stream/),
    calls: 1,
  },
  'html-as-stream': { answer: stream('<html></html>', done), expected: error('agent', /not JSON/), calls: 1 },
  'empty-choices': { answer: stream(counted, done), expected: error('agent', /unexpected shape/), calls: 1 },
  'number-as-content': {
    answer: stream(chunk({ content: 17 }), end, done),
    expected: error('agent', /unexpected shape/),
    calls: 1,
  },
  '20-mb-in-one-event': {
    answer: stream(...megabytes(20, 20 * 1024 * 1024)),
    expected: error('limit', /too large/),
    calls: 1,
  },
  '20-mb-in-many-events': {
    answer: stream(...megabytes(20, 16 * 1024), done),
    expected: error('limit', /too large/),
    calls: 1,
  },
  'nul-and-lone-surrogates': {
    answer: stream(chunk({ content: 'We close\0 at 17.' }), chunk({ content: '\ud800' }), end, counted, done),
    expected: { status: 'passed', flags: ['text_replaced'] },
    calls: 1,
  },
  'tool-calls-for-ever': { answer: toolCall, expected: error('limit', /32 tool calls/), calls: 33 },
  redirect: { answer: send('', 307, { location: '/stolen' }), expected: error('agent', /redirect/), calls: 1 },
};

/** The same for a provider that is asked for a stream. */
export const streamFaults: Readonly<Record<string, Fault>> = Object.fromEntries(
  Object.entries(table).map(([name, fault]) => [`stream-${name}`, { ...fault, isStream: true as const }]),
);
