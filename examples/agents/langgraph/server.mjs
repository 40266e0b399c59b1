// The part of a LangGraph server that Proofmark calls: threads, and runs that are waited for. PORT=0 takes a free port.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

/** The state of each thread: all its messages. */
const threads = new Map();

/** The graph: a model that looks an order up, and says what it found. */
function run(messages) {
  const id = /A-\d+/.exec(messages.at(-1).content)?.[0] ?? 'unknown';
  const call = { id: randomUUID(), name: 'find_order', args: { id } };
  return [
    { type: 'ai', content: '', tool_calls: [call] },
    { type: 'tool', tool_call_id: call.id, name: call.name, content: '{"arrives":"Friday"}' },
    {
      type: 'ai',
      content: `Order ${id} arrives on Friday.`,
      tool_calls: [],
      usage_metadata: { input_tokens: 12, output_tokens: 6 },
    },
  ];
}

const server = createServer(async (request, response) => {
  const body = await json(request);
  const answer = (status, value) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  };
  if (request.headers['x-api-key'] !== process.env.SHOP_TOKEN) return answer(403, { detail: 'Invalid API key' });
  if (request.url === '/threads') {
    const thread_id = randomUUID();
    threads.set(thread_id, []);
    return answer(200, { thread_id, status: 'idle' });
  }
  const messages = threads.get(/^\/threads\/([^/]+)\/runs\/wait$/.exec(request.url)?.[1]);
  if (!messages) return answer(404, { detail: 'Thread not found' });
  // An error of a graph arrives with a good status.
  if (body.assistant_id !== 'orders')
    return answer(200, { __error__: { error: 'ValueError', message: 'No such graph' } });
  messages.push(...body.input.messages.map(({ content }) => ({ type: 'human', content })));
  messages.push(...run(messages));
  answer(200, { messages });
});
server.listen(process.env.PORT ?? 4102, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
