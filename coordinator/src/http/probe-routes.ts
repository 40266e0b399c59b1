import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Readiness } from './readiness.ts';
import { respond, retrySoon } from './respond.ts';
import type { Route } from './serve.ts';

const mostLagMs = 5000;

/** `/healthz`: this process lives and its event loop turns. Nothing outside of it is asked. */
export function healthRoute(): Route {
  const lag = monitorEventLoopDelay({ resolution: 100 });
  lag.enable();
  return (_request, response) => {
    const isHealthy = lag.max / 1e6 < mostLagMs;
    lag.reset();
    respond(response, { status: isHealthy ? 200 : 503, body: isHealthy ? 'ok\n' : 'the event loop is blocked\n' });
  };
}

/** `/readyz`: 200 with what is degraded, or 503 with what is wrong. */
export function readyRoute(check: () => Promise<Readiness & { chaos: readonly string[] }>): Route {
  return async (_request, response) => {
    const { isReady, problems, degraded, chaos } = await check();
    const lines = [
      ...problems,
      ...degraded.map((what) => `degraded: ${what}`),
      ...chaos.map((point) => `chaos: ${point}`),
    ];
    const body = `${(lines.length === 0 ? ['ok'] : lines).join('\n')}\n`;
    respond(response, isReady ? { status: 200, body } : { status: 503, body, headers: retrySoon });
  };
}
