import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** What a wire does with what comes along: all of it passes, the answers of the server are swallowed, or all of it is. */
type Passing = 'everything' | 'questions' | 'nothing';

/** A wire to a server on loopback that can be cut while both ends believe that it is whole, as a lost network does. */
export type Wire = AsyncDisposable & {
  port: number;
  cut: (passing: Exclude<Passing, 'everything'>) => void;
  /** Whole again. Connections of before are gone, as after a router that has forgotten them. */
  heal: () => void;
};

export async function startWire(port: number): Promise<Wire> {
  const state: { passing: Passing; sockets: Set<Socket> } = { passing: 'everything', sockets: new Set() };
  const keep = (socket: Socket) => {
    state.sockets.add(socket);
    socket.once('close', () => state.sockets.delete(socket));
    // A reset is what a test wants; the other end is told by its own socket.
    socket.on('error', () => socket.destroy());
  };
  const server = createServer((client) => {
    const target = connect(port, '127.0.0.1');
    keep(client);
    keep(target);
    client.on('data', (bytes) => state.passing !== 'nothing' && target.write(bytes));
    target.on('data', (bytes) => state.passing === 'everything' && client.write(bytes));
    client.once('close', () => target.destroy());
    target.once('close', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const hangUp = () => {
    for (const socket of state.sockets) socket.resetAndDestroy();
  };
  return {
    port: (server.address() as AddressInfo).port, // It listens on TCP.
    cut: (passing) => {
      state.passing = passing;
    },
    heal: () => {
      state.passing = 'everything';
      hangUp();
    },
    [Symbol.asyncDispose]: async () => {
      hangUp();
      server.close();
      await once(server, 'close');
    },
  };
}
