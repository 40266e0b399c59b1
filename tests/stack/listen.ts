import { once } from 'node:events';
import type { Server } from 'node:http';

type Listening = { origin: string; port: number; close: () => Promise<void> };

/** Binds to loopback, at a free port when none is given. `close` also ends the connections that are still open. */
export async function listen(server: Server, port = 0): Promise<Listening> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const close = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { origin: `http://127.0.0.1:${address.port}`, port: address.port, close };
}
