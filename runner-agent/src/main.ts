import { Chaos } from '@proofmark/process/chaos';
import { listenForEnd, type ProcessEnd } from '@proofmark/process/listen-for-end';
import { maskedLog } from '@proofmark/process/masked-log';
import { ProcessMetrics } from '@proofmark/process/process-metrics';
import { startTelemetry } from '@proofmark/process/start-telemetry';
import { telemetrySettings } from '@proofmark/process/tracing-variables';
import { waitLog } from '@proofmark/process/wait-log';
import { type Logger, pino } from 'pino';
import manifest from '../package.json' with { type: 'json' };
import { withChaos } from './consume/chaos.ts';
import { connectRunner } from './consume/connect-nats.ts';
import { ProtocolRefused } from './consume/open-session.ts';
import { Runner } from './consume/runner.ts';
import { reachAgents } from './drivers/reach-agents.ts';
import { type RunnerEnvironment, readRunnerEnvironment } from './environment.ts';
import { createFileReader } from './files/file-reader.ts';
import { createModelClient } from './models/model-client.ts';
import { serveProbes } from './probes.ts';
import { countedModels, countOutcome, tellStatus } from './runner-metrics.ts';

/** Exit codes: 78 is a wrong configuration, 1 everything else that keeps a runner from working. */
const wrongConfiguration = 78;
const startWithinMs = 60_000;

/** Something that a runner cannot do without did not answer in time. */
class NotReached extends Error {
  override readonly name = 'NotReached';
}

const addressesOf = (urls: string): string =>
  urls
    .split(',')
    .map((url) => new URL(url.trim()).host)
    .join(', ');

async function run(environment: RunnerEnvironment, log: Logger, ending: ProcessEnd): Promise<void> {
  const { keys, PROOFMARK_RUNNER_ID: runnerId, PROOFMARK_POOLS: pools } = environment;
  const { NATS_URL, PROOFMARK_NATS_SEED, PROOFMARK_NATS_CA_FILE } = environment;
  const login = { NATS_URL, PROOFMARK_NATS_SEED, PROOFMARK_NATS_CA_FILE };
  const chaos = new Chaos(environment.PROOFMARK_CHAOS_AT);
  if (chaos.points.length > 0)
    log.warn({ points: chaos.points }, 'PROOFMARK_CHAOS_AT is set: this process will fail on purpose');
  let missing = `NATS (${addressesOf(NATS_URL)})`;
  const late = setTimeout(() => ending.fail(new NotReached(`${missing} did not answer within 60 s`)), startWithinMs);
  let runner: Runner | undefined;

  const metrics = new ProcessMetrics('runner');
  metrics.onRead(() => tellStatus(metrics, runner?.status));
  await using closing = new AsyncDisposableStack();
  const { problem, ...telemetry } = telemetrySettings(environment);
  if (problem !== null && telemetry.endpoint !== undefined) log.warn(problem);
  const receiver = {
    ...{ serviceName: 'proofmark-runner', version: manifest.version },
    ...telemetry,
    onTrouble: (reason: string) => log.warn({ reason }, 'Traces or metrics do not reach their receiver'),
  };
  closing.use(await startTelemetry(metrics, receiver));
  const probes = closing.use(
    await serveProbes({
      port: environment.PORT,
      host: environment.PROOFMARK_HOST,
      state: () => ({
        silentMs: runner?.status.silentMs ?? null,
        isDraining: ending.signal.aborted,
        details: { ...runner?.status, chaos: chaos.points },
      }),
      metrics,
    }),
  );
  const broker = waitLog(log, missing);
  const connection = await connectRunner(login, {
    ...{ runnerId, name: runnerId, signal: ending.signal },
    onTrouble: broker.failed,
    onConnected: broker.over,
    onRefused: (what) =>
      log.warn(
        `NATS does not allow ${what}: was the key of this runner made for the name ${runnerId} and the pools ${pools.join(', ')}?`,
      ),
  });
  missing = 'A coordinator';
  closing.defer(() => connection.close());
  const beforeCall = (signal: AbortSignal) => (runner?.isOpen === false ? runner.whenOpen(signal) : undefined);
  const models = closing.use(createModelClient({ keys, now: () => new Date(), beforeCall }));
  const reach = closing.use(reachAgents({ keys, now: () => new Date(), programs: environment.programs }));
  const clock = { now: () => new Date(), monotonicMs: () => performance.now() };
  const files = createFileReader({
    cacheFolder: environment.PROOFMARK_CACHE_DIR,
    allowedOrigins: keys.allowedOrigins,
    clock,
  });
  runner = closing.use(
    new Runner({
      connection,
      login,
      runnerId,
      pools,
      slots: environment.PROOFMARK_SLOTS,
      version: manifest.version,
      ports: {
        models: countedModels(withChaos(models, chaos), metrics, clock.monotonicMs),
        ...{ reach, code: reach, files, clock, random: Math.random },
      },
      onOutcome: (outcome, how) => countOutcome(metrics, outcome, how),
      chaos,
      log,
      onDrain: () => ending.end('the coordinator asks this runner to end'),
      onFailure: (error) => ending.fail(error),
    }),
  );
  await runner.start(ending.signal);
  clearTimeout(late);
  process.stdout.write(`${JSON.stringify({ ready: true, runner: runnerId, port: probes.port })}\n`);

  log.info({ reason: await ending.ended, ...runner.status }, 'Draining');
  await runner.drain(environment.PROOFMARK_RUNNER_GRACE_MS);
}

async function main(): Promise<number> {
  const read = readRunnerEnvironment();
  if (!read.ok) {
    process.stderr.write(`The runner cannot start:\n${read.problems.join('\n')}\n`);
    return wrongConfiguration;
  }
  const { environment } = read;
  const output = pino.destination({ sync: true });
  const log = makeRunnerLog(environment, (line) => output.write(line));
  const ending = listenForEnd({ onHaste: (reason) => log.error({ reason }, 'Ended with work at hand') });
  try {
    await run(environment, log, ending);
    log.info('Ended');
    return 0;
  } catch (error) {
    if (ending.isAsked()) {
      log.info('Ended before it was ready');
      return 0;
    }
    if (error instanceof NotReached || error instanceof ProtocolRefused) log.fatal(error.message);
    else log.fatal({ error }, 'The runner ends');
    return error instanceof ProtocolRefused ? wrongConfiguration : 1;
  }
}

// The exit code is set and the process left at once: a worker thread or a socket must not keep a failed runner alive.
process.exit(await main());

/** The log of a runner: lines of JSON, without model keys and the login at the broker. */
function makeRunnerLog(environment: RunnerEnvironment, write: (line: string) => void): Logger {
  const { PROOFMARK_LOG_LEVEL: level, PROOFMARK_RUNNER_ID: runner, NATS_URL: natsUrls, keys } = environment;
  const headers = Object.values(environment.OTEL_EXPORTER_OTLP_HEADERS);
  const secrets = [...keys.values.values(), ...headers, environment.PROOFMARK_NATS_SEED];
  return maskedLog({ level, base: { runner }, secrets, urls: natsUrls.split(',') }, write);
}
