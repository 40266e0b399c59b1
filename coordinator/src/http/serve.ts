import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { refuse, respond } from './respond.ts';

export type Route = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

type ServeOptions = {
  host: string;
  port: number;
  /** By exact path. A path that ends in `/*` answers everything below it. */
  routes: Readonly<Record<string, Route>>;
  onError: (error: unknown, path: string) => void;
};

export type HttpServer = AsyncDisposable & {
  port: number;
  /** Takes no new connections, lets open requests end within the grace, then closes what is left. */
  close: (graceMs: number) => Promise<void>;
};

/** Listens and sends each request to the route of its path; unknown paths are 404. */
export async function serve({ host, port, routes, onError }: ServeOptions): Promise<HttpServer> {
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 5000 });
  server.maxConnections = 2000;
  server.on('request', (request, response) => {
    const path = pathOf(request);
    const route = findRoute(routes, path);
    if (route === undefined) return respond(response, { status: 404, body: 'Not found\n' });
    answer(route, request, response).catch((error: unknown) => {
      onError(error, path);
      refuse(response, { status: 500, code: 'INTERNAL', message: 'Unexpected error.' });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const close = (graceMs: number) => closeServer(server, graceMs);
  return { port: portOf(server), close, [Symbol.asyncDispose]: () => close(0) };
}

async function answer(route: Route, request: IncomingMessage, response: ServerResponse): Promise<void> {
  await route(request, response);
}

function pathOf(request: IncomingMessage): string {
  const target = request.url ?? '/';
  const end = target.indexOf('?');
  return end === -1 ? target : target.slice(0, end);
}

function findRoute(routes: Readonly<Record<string, Route>>, path: string): Route | undefined {
  if (Object.hasOwn(routes, path)) return routes[path];
  const prefix = Object.keys(routes).find((pattern) => pattern.endsWith('/*') && path.startsWith(pattern.slice(0, -1)));
  return prefix === undefined ? undefined : routes[prefix];
}

function portOf(server: Server): number {
  const address = server.address();
  if (!isAddress(address)) throw new Error('the server listens on no port');
  return address.port;
}

function isAddress(address: string | AddressInfo | null): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}

async function closeServer(server: Server, graceMs: number): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(deadline);
}
