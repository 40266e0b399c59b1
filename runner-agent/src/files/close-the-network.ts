import dgram from 'node:dgram';
import dns from 'node:dns';
import net from 'node:net';

/** Takes sockets away from this whole process: Node's permission model does not know them yet. */
export function closeTheNetwork(): void {
  const refuse = (): never => {
    throw new Error('This process has no network');
  };
  net.Socket.prototype.connect = refuse;
  net.Server.prototype.listen = refuse;
  dgram.Socket.prototype.send = refuse;
  Object.assign(dns, { lookup: refuse, resolve: refuse });
  Object.assign(globalThis, { fetch: refuse, WebSocket: undefined, EventSource: undefined });
}
