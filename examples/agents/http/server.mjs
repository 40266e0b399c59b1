// A service with a token and a session, as a team may have it already. PORT=0 takes a free port.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

const findOrder = (id) => ({ id, arrives: 'Friday' });

const server = createServer(async (request, response) => {
  const isAllowed = request.headers.authorization === `Bearer ${process.env.SHOP_TOKEN}`;
  response.writeHead(isAllowed ? 200 : 401, { 'content-type': 'application/json' });
  if (!isAllowed) return response.end('{"error":"no token"}');
  const { message, session = randomUUID() } = await json(request);
  const id = /A-\d+/.exec(message)?.[0];
  const order = id && findOrder(id);
  response.end(
    JSON.stringify({
      session: session ?? randomUUID(),
      reply: order ? `Order ${id} arrives on ${order.arrives}.` : 'Which order do you mean?',
      steps: order ? [{ tool: 'find_order', input: { id }, result: order }] : [],
    }),
  );
});
server.listen(process.env.PORT ?? 4101, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
