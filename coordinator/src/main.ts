import { listenForEnd } from '@proofmark/process/listen-for-end';
import { startTelemetry } from '@proofmark/process/start-telemetry';
import { telemetrySettings } from '@proofmark/process/tracing-variables';
import { pino } from 'pino';
import { signingSecret } from './access/signing-secret.ts';
import { type Coordinator, startCoordinator } from './coordinator.ts';
import { armChaos, armedChaos } from './database/chaos.ts';
import { type CoordinatorEnvironment, readCoordinatorEnvironment } from './environment.ts';
import { type CoordinatorMetrics, coordinatorMetrics } from './http/coordinator-metrics.ts';
import { dashboardRoutes } from './http/dashboard-routes.ts';
import { graphiqlRoutes } from './http/graphiql-routes.ts';
import { healthRoute, readyRoute } from './http/probe-routes.ts';
import { refuse, respond, retrySoon } from './http/respond.ts';
import { type Route, serve } from './http/serve.ts';
import { makeCoordinatorLog } from './make-log.ts';
import type { Outages } from './outage-hook.ts';
import { prepareBroker, prepareLedger, StartRefused } from './prepare-start.ts';
import { effectiveSettings } from './settings/effective-setting.ts';
import { version } from './start/version.ts';

const wrongSettings = 78;
const requestGraceMs = 5000;
const endGraceMs = 20_000;

function complain(problems: readonly string[]): number {
  process.stderr.write(`${problems.map((problem) => `proofmark coordinator: ${problem}`).join('\n')}\n`);
  return wrongSettings;
}

/** Serves until the process is asked to end; the answer is its exit code. */
async function run(environment: CoordinatorEnvironment): Promise<number> {
  const output = pino.destination({ sync: true });
  const { log, outages } = makeCoordinatorLog(environment, (line) => output.write(line));
  for (const { warning } of effectiveSettings({ stored: {}, variables: environment })) {
    if (warning !== null) log.warn(warning);
  }
  armChaos(environment.PROOFMARK_CHAOS_AT);
  if (armedChaos().length > 0)
    log.warn({ points: armedChaos() }, 'PROOFMARK_CHAOS_AT is set: this process will fail on purpose');
  const { signal: draining } = listenForEnd({
    onFirst: (signal) => log.info({ signal }, 'Draining'),
    withinMs: endGraceMs,
    onHaste: (reason) =>
      log.error({ reason }, 'Ended with work at hand; another replica or the next start takes it up'),
  });
  try {
    await serveUntilDrained(environment, { log, outages, draining });
    log.info('Ended');
    return 0;
  } catch (error) {
    if (error instanceof StartRefused) return complain(error.problems);
    if (draining.aborted) {
      log.info('Ended before it was ready');
      return 0;
    }
    log.fatal({ error }, 'The coordinator cannot start');
    return 1;
  }
}

type Serving = { log: pino.Logger; outages: Outages; draining: AbortSignal };

async function serveUntilDrained(
  environment: CoordinatorEnvironment,
  { log, outages, draining }: Serving,
): Promise<void> {
  const metrics = coordinatorMetrics();
  const started: Started = {};
  await using closing = new AsyncDisposableStack();
  const { problem, ...telemetry } = telemetrySettings(environment);
  if (problem !== null && telemetry.endpoint !== undefined) log.warn(problem);
  const receiver = {
    ...{ serviceName: 'proofmark-coordinator', version },
    ...telemetry,
    onTrouble: (reason: string) => log.warn({ reason }, 'Traces or metrics do not reach their receiver'),
  };
  closing.use(await startTelemetry(metrics, receiver));

  // The port is open while the dependencies come up: `/readyz` says what is missing.
  const http = closing.use(
    await serve({
      host: environment.PROOFMARK_HOST,
      port: environment.PORT,
      onError: (error, path) => log.error({ error, path }, 'A request failed'),
      routes: {
        ...routesOf(started, metrics, draining),
        ...graphiqlRoutes(environment.PROOFMARK_GRAPHIQL),
      },
    }),
  );
  const lanes = await prepareLedger(environment, log, draining);
  closing.defer(() => lanes.close());
  const { broker, topology } = await prepareBroker(environment, { log, signal: draining, watch: outages });
  closing.defer(() => broker.close());
  started.coordinator = closing.use(
    startCoordinator({
      secret: await signingSecret(lanes.requests, environment.PROOFMARK_SECRET),
      ...{ environment, lanes, broker, topology, metrics, log, draining },
      ledgerAnswers: outages.ledgerAnswers,
    }),
  );

  const address = `http://${environment.PROOFMARK_HOST}:${http.port}`;
  process.stdout.write(`${JSON.stringify({ ready: true, url: address })}\n`);
  await aborted(draining);
  await http.close(requestGraceMs);
}

/** What exists by now: the port is open before the coordinator is. */
type Started = { coordinator?: Coordinator };

function routesOf(started: Started, metrics: CoordinatorMetrics, draining: AbortSignal): Record<string, Route> {
  const whenStarted = (pick: (coordinator: Coordinator) => Route): Route => {
    return async (request, response) => {
      const { coordinator } = started;
      const route = coordinator === undefined || draining.aborted ? notReady : pick(coordinator);
      await route(request, response);
    };
  };
  return {
    ...dashboardRoutes(),
    '/healthz': healthRoute(),
    '/readyz': readyRoute(() => ({
      ...(started.coordinator?.readiness() ?? notStarted),
      chaos: armedChaos(),
    })),
    '/metrics': async (_request, response) => {
      const registry = metrics.read();
      respond(response, { status: 200, body: await registry.metrics(), type: registry.contentType });
    },
    '/webhooks/github': async (request, response) => {
      const route = started.coordinator === undefined ? notReady : started.coordinator.webhooks;
      if (route === null) return respond(response, { status: 404, body: 'Not found\n' });
      await route(request, response);
    },
    '/blobs/*': whenStarted(({ blobs }) => blobs),
    '/schema.graphql': whenStarted(({ schema }) => schema),
    '/downloads/*': whenStarted(({ downloads }) => downloads),
    '/session': whenStarted(({ sessions }) => sessions.session),
    '/session/link': whenStarted(({ sessions }) => sessions.link),
    '/session/provider': whenStarted(({ sessions }) => sessions.provider),
    '/session/callback': whenStarted(({ sessions }) => sessions.callback),
    '/graphql': async (request, response) => {
      response.once('finish', () => metrics.countRequest(response.statusCode));
      await whenStarted(({ graphql }) => graphql)(request, response);
    },
  };
}

const notReady: Route = (_request, response) =>
  refuse(response, {
    status: 503,
    code: 'UNAVAILABLE',
    message: 'Not ready. Try again later.',
    headers: retrySoon,
  });

const notStarted = { isReady: false, problems: ['starting'], degraded: [] };

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

// At the end: while this line waits, nothing below it would exist, and requests are answered meanwhile.
const reading = readCoordinatorEnvironment();
if (reading.ok) process.exitCode = await run(reading.environment);
else process.exitCode = complain(reading.problems);
