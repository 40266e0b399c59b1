// A model as bare as it can be, in a process of its own: prints its address and serves until it is ended.
// `GET /seen` tells how many questions came, when the first and the last one did, and how many were under way at most; `GET /first` tells the same once there was a question; `GET /calls` tells when each of them began and ended; `DELETE /seen` begins anew.
import { createServer, type ServerResponse } from 'node:http';

const latencyMs = Number(process.argv[2] ?? 0);

const answer = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'bare-model',
  choices: [{ index: 0, message: { role: 'assistant', content: 'We are open from 9 to 17.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 40, completion_tokens: 9, total_tokens: 49 },
});
const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) };

/** Times of the machine's clock, which all processes share. */
const seen = { calls: 0, firstMs: 0, lastMs: 0, underWay: 0, most: 0 };

/** When each question came and was answered. */
let calls: { atMs: number; endMs: number }[] = [];

/** Those that want to be told of the first question. To ask again and again would take the processor from what is measured. */
const waiting: ServerResponse[] = [];

const server = createServer((request, response) => {
  request.resume();
  if (request.url === '/first') {
    if (seen.calls === 0) waiting.push(response);
    else response.end(JSON.stringify(seen));
    return;
  }
  if (request.url === '/seen') {
    if (request.method === 'DELETE') {
      Object.assign(seen, { calls: 0, most: 0 });
      calls = [];
    }
    response.end(JSON.stringify(seen));
    return;
  }
  if (request.url === '/calls') {
    response.end(JSON.stringify(calls));
    return;
  }
  seen.lastMs = performance.timeOrigin + performance.now();
  if (seen.calls === 0) seen.firstMs = seen.lastMs;
  seen.calls += 1;
  seen.underWay += 1;
  seen.most = Math.max(seen.most, seen.underWay);
  for (const one of waiting.splice(0)) one.end(JSON.stringify(seen));
  const beganMs = seen.lastMs;
  const send = () => {
    response.writeHead(200, headers).end(answer);
    seen.underWay -= 1;
    calls.push({ atMs: beganMs, endMs: performance.timeOrigin + performance.now() });
  };
  request.on('end', () => (latencyMs === 0 ? send() : void setTimeout(send, latencyMs)));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
process.once('disconnect', () => process.exit());
