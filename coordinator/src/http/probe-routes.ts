import type { Readiness } from './readiness.ts';
import { respond, retrySoon } from './respond.ts';
import type { Route } from './serve.ts';

const turnMs = 500;
const mostLagMs = 5000;

/** `/healthz`: this process lives and its event loop turns. Nothing outside of it is asked, and no answer changes the next. */
export function healthRoute(): Route {
  let turnedMs = performance.now();
  setInterval(() => {
    turnedMs = performance.now();
  }, turnMs).unref();
  return (_request, response) => {
    const isHealthy = performance.now() - turnedMs < mostLagMs;
    respond(response, { status: isHealthy ? 200 : 503, body: isHealthy ? 'ok\n' : 'the event loop is blocked\n' });
  };
}

/** `/readyz`: 200 with what is degraded, or 503 with what is wrong. */
export function readyRoute(check: () => Readiness & { chaos: readonly string[] }): Route {
  return (_request, response) => {
    const { isReady, problems, degraded, chaos } = check();
    const lines = [
      ...problems,
      ...degraded.map((what) => `degraded: ${what}`),
      ...chaos.map((point) => `chaos: ${point}`),
    ];
    const body = `${(lines.length === 0 ? ['ok'] : lines).join('\n')}\n`;
    respond(response, isReady ? { status: 200, body } : { status: 503, body, headers: retrySoon });
  };
}
