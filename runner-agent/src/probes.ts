import type { Server } from 'node:http';
import { createServer } from 'node:http';

const largestSilenceMs = 12_000;
const largestLagMs = 5_000;

export interface ProbeState {
  silentMs: number | null;
  isDraining: boolean;
  details: Readonly<Record<string, unknown>>;
}

/** `/healthz`: this process is not stuck. `/readyz`: it hears the coordinator and takes work. */
export async function serveProbes(options: {
  port: number;
  host: string;
  state: () => ProbeState;
}): Promise<{ port: number } & AsyncDisposable> {
  let tickedAt = performance.now();
  const ticking = setInterval(() => {
    tickedAt = performance.now();
  }, 500);
  const server = createServer((request, response) => {
    const isHealthy = performance.now() - tickedAt < largestLagMs;
    const { silentMs, isDraining, details } = options.state();
    const isReady = isHealthy && !isDraining && silentMs !== null && silentMs <= largestSilenceMs;
    const isOk = request.url === '/healthz' ? isHealthy : request.url === '/readyz' ? isReady : undefined;
    response.writeHead(isOk === undefined ? 404 : isOk ? 200 : 503, {
      'content-type': 'application/json',
      'cache-control': 'no-store',
    });
    response.end(JSON.stringify({ ok: isOk ?? false, silentMs, isDraining, ...details }));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: portOf(server),
    async [Symbol.asyncDispose]() {
      clearInterval(ticking);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
