// A model without latency, as bare as it can be, in a process of its own: prints its address and serves until it is ended.
import { createServer } from 'node:http';

const answer = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'bare-model',
  choices: [{ index: 0, message: { role: 'assistant', content: 'We are open from 9 to 17.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 40, completion_tokens: 9, total_tokens: 49 },
});
const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) };

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => response.writeHead(200, headers).end(answer));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
process.once('disconnect', () => process.exit());
