import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { ProcessMetrics } from '@proofmark/process/process-metrics';

const largestSilenceMs = 12_000;
const largestLagMs = 5_000;

export interface ProbeState {
  silentMs: number | null;
  isDraining: boolean;
  details: Readonly<Record<string, unknown>>;
}

/** `/healthz`: this process is not stuck. `/readyz`: it hears the coordinator and takes work. `/metrics`: what Prometheus reads. */
export async function serveProbes(options: {
  port: number;
  host: string;
  state: () => ProbeState;
  metrics: Pick<ProcessMetrics<'runner'>, 'read'>;
}): Promise<{ port: number } & AsyncDisposable> {
  let tickedAt = performance.now();
  const ticking = setInterval(() => {
    tickedAt = performance.now();
  }, 500);
  const server = createServer((request, response) => {
    if (request.url === '/metrics') return void showMetrics(response, options.metrics);
    answerProbe({ request, response }, options.state(), performance.now() - tickedAt < largestLagMs);
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

type Asked = { request: IncomingMessage; response: ServerResponse };

function answerProbe({ request, response }: Asked, state: ProbeState, isHealthy: boolean): void {
  const { silentMs, isDraining, details } = state;
  const isReady = isHealthy && !isDraining && silentMs !== null && silentMs <= largestSilenceMs;
  const isOk = request.url === '/healthz' ? isHealthy : request.url === '/readyz' ? isReady : undefined;
  response.writeHead(isOk === undefined ? 404 : isOk ? 200 : 503, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
  });
  response.end(JSON.stringify({ ok: isOk ?? false, silentMs, isDraining, ...details }));
}

async function showMetrics(response: ServerResponse, metrics: Pick<ProcessMetrics<'runner'>, 'read'>): Promise<void> {
  const registry = metrics.read();
  const body = await registry.metrics();
  response.writeHead(200, { 'content-type': registry.contentType, 'cache-control': 'no-store' }).end(body);
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
