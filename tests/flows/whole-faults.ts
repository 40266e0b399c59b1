import { type Answer, completion, error, type Fault, good, json, scripted, send, tried } from './provider-answers.ts';

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

/** Everything a provider is known to do wrong with an answer in one piece, and what must come of it. */
export const wholeFaults: Readonly<Record<string, Fault>> = {
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
  'closed-at-once': {
    answer: (response) => void response.socket?.destroy(),
    expected: error('agent', tried),
    calls: 3,
  },
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
  'no-choices': { answer: send({ id: 'c1' }), expected: error('agent', /unexpected shape \(choices/), calls: 1 },
  'message-as-text': {
    answer: send({ choices: [{ message: 'We close at 17.', finish_reason: 'stop' }] }),
    expected: error('agent', /unexpected shape \(choices\.0\.message/),
    calls: 1,
  },
  'arguments-as-object': {
    answer: send(
      completion({ content: null, tool_calls: [{ id: 'c', function: { name: 'get_hours', arguments: {} } }] }),
    ),
    expected: error('agent', /unexpected shape \(choices\.0\.message\.tool_calls/),
    calls: 1,
  },
  'usage-as-text': {
    answer: send({ ...completion({ content: 'We close at 17.' }), usage: 'much' }),
    expected: { status: 'passed', flags: ['usage_invalid'] },
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
