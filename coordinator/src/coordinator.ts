import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { EnrolmentPorts } from './access/enroll-repository.ts';
import { signInLinks } from './access/sign-in-links.ts';
import { signInProvider } from './access/sign-in-provider.ts';
import { keyFor } from './access/signing-secret.ts';
import { jobTokenVerifiers, type VerifyJobToken } from './access/verify-job-token.ts';
import type { AlertPorts } from './alerts/deliver-alert.ts';
import { blobLinks } from './blobs/blob-links.ts';
import { coordinatorLoops } from './coordinator-loops.ts';
import type { Lanes } from './database/connect.ts';
import type { RowKey } from './database/row-key.ts';
import type { Database } from './database/transactions.ts';
import type { Broker } from './dispatch/connect-nats.ts';
import { runChanges } from './dispatch/run-changes.ts';
import { startDispatch } from './dispatch/start-dispatch.ts';
import type { Topology } from './dispatch/topology.ts';
import type { CoordinatorEnvironment } from './environment.ts';
import { createFeedback } from './feedback/feedback.ts';
import type { FeedbackPort } from './feedback/feedback-port.ts';
import type { GraphqlPorts } from './graphql/context.ts';
import { downloadLinks } from './graphql/runs/download-links.ts';
import { countSubscriptions } from './graphql/runs/open-subscriptions.ts';
import { printSchema } from './graphql/schema.ts';
import { graphqlExecutor } from './graphql/yoga.ts';
import { blobRoute } from './http/blob-route.ts';
import { browserOf } from './http/browser.ts';
import type { CoordinatorMetrics } from './http/coordinator-metrics.ts';
import { downloadRoute } from './http/download-route.ts';
import { graphqlEndpoint } from './http/graphql-endpoint.ts';
import { identifier } from './http/identify.ts';
import { type Readiness, readinessOf, tryLedger } from './http/readiness.ts';
import { schemaRoute } from './http/schema-route.ts';
import type { Route } from './http/serve.ts';
import { sessionRoutes } from './http/session-routes.ts';
import { webhookRoute } from './http/webhook-route.ts';
import type { StartRunPorts } from './start/start-run.ts';
import { type Loops, runLoops } from './upkeep/run-loops.ts';
import { signatureReader, webhookReceiver } from './webhooks/receive-webhook.ts';

const runDeadlineMs = 3_600_000;

export interface Coordinator extends AsyncDisposable {
  graphql: Route;
  /** Files of cases. */
  blobs: Route;
  /** The schema as text. */
  schema: Route;
  /** Results of runs as files. */
  downloads: Route;
  /** Signing browsers in and out, and links that do. */
  sessions: ReturnType<typeof sessionRoutes>;
  /** Null: no secret is configured, so nothing that arrives could be trusted. */
  webhooks: Route | null;
  readiness: () => Readiness;
  /** Stops what works in the background, each at the end of what it has at hand. */
  stop: () => Promise<void>;
}

type CoordinatorOptions = {
  environment: CoordinatorEnvironment;
  /** What keys are derived from. */
  secret: string;
  lanes: Lanes;
  broker: Broker;
  topology: Topology;
  metrics: CoordinatorMetrics;
  log: Logger;
  /** Told with every pass of a loop that has written to the ledger. */
  ledgerAnswers: () => void;
  /** Aborted when the process is asked to end. */
  draining: AbortSignal;
};

/** Puts the parts together: dispatch and loops run from here on, and GraphQL answers. */
export function startCoordinator(options: CoordinatorOptions): Coordinator {
  const { environment, secret, lanes, broker, topology, metrics, log, draining, ledgerAnswers } = options;
  const database = lanes.requests;
  const feedback = feedbackOf(environment, lanes.forge, metrics.github);
  let loops: Loops | undefined;
  const wake = (...names: string[]) => {
    for (const name of names) loops?.wake(name);
  };
  const links = blobLinks(keyFor('blobs', secret), environment.PUBLIC_URL);
  const verify = verifierOf(environment);
  const installations = environment.PROOFMARK_ENROLL === 'installed' ? feedback : null;
  const browser = browserOf(environment.PUBLIC_URL, Date.now);
  const identify = identifier({ database, verify, installations }, browser);
  const trustsAdmins = environment.PROOFMARK_ALLOW_ADMIN_ENROLL;
  const enrolment = { database, verify, installations: feedback, trustsAdmins };
  const dispatch = startDispatch({
    broker,
    database: lanes.runners,
    topology,
    links,
    leaseMs: environment.PROOFMARK_LEASE_MS,
    heartbeatMs: environment.PROOFMARK_HEARTBEAT_MS,
    log,
    wake,
    count: metrics.countResults,
    countPermits: metrics.countPermits,
    countAttempts: metrics.countAttempts,
    countDropped: metrics.countDroppedCall,
  });
  const starting = startingPorts(environment, database, feedback);
  const alerts = alertPorts(options, lanes.forge, feedback);
  const runCancelled = (run: RowKey) => {
    dispatch.runEnded('run-cancelled', run);
    wake('deadlines', 'verdicts', 'deliveries');
  };
  const running = runLoops(
    coordinatorLoops({
      environment,
      lanes,
      broker,
      publisher: dispatch.publisher,
      topology,
      feedback,
      alerts,
      replica: randomUUID(),
      ...{ wake, starting, onStarted: dispatch.runStarted, onCancelled: runCancelled, log },
      onQueuesRead: metrics.setQueues,
      onCompleted: (run) => {
        dispatch.runEnded('run-finished', run);
        wake('deliveries');
      },
    }),
    { log, random: Math.random, onPass: passesTold(metrics, ledgerAnswers) },
  );
  loops = running;
  metrics.watch({ loops: running.states, isBrokerConnected: broker.isConnected, connections: lanes.connections });
  const trial = tryLedger(lanes.loops);
  const stop = async () => void (await Promise.all([dispatch.stop(), running.stop(), trial.stop()]));
  return {
    webhooks: webhooksOf(options, wake),
    graphql: graphqlRoute({
      ...{ ...options, feedback, starting, runStarted: dispatch.runStarted, runCancelled, identify, enrolment },
      alerts: { ...alerts, wake: () => wake('alerts') },
    }),
    blobs: blobRoute({ database, identify, links, quotaBytes: environment.PROOFMARK_BLOB_QUOTA_BYTES }),
    schema: schemaRoute({ print: printSchema, identify, isTold: environment.PROOFMARK_GRAPHQL_INTROSPECTION }),
    sessions: sessionRoutes({
      ...{ database, browser },
      links: signInLinks(keyFor('sign-in', secret), { publicUrl: environment.PUBLIC_URL, now: Date.now }),
      byName: byNameOf(options),
    }),
    downloads: downloadRoute({ database, links: downloadsOf(options) }),
    readiness: () =>
      readinessOf(
        {
          takesWrites: trial.takesWrites,
          isBrokerConnected: broker.isConnected,
          collector: dispatch.collector,
          loops: running.states,
          isDraining: () => draining.aborted,
        },
        performance.now(),
      ),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function alertPorts(
  { environment, secret }: CoordinatorOptions,
  database: Database,
  feedback: FeedbackPort | null,
): AlertPorts {
  const { PROOFMARK_SMTP_URL: mailUrl, PROOFMARK_SMTP_FROM: from, PUBLIC_URL: publicUrl } = environment;
  const sender = from ?? `proofmark@${new URL(publicUrl).hostname}`;
  return {
    ...{ database, feedback, publicUrl, nowMs: Date.now },
    ...alertKeys(secret),
    mail: mailUrl === undefined ? null : { url: mailUrl, from: sender },
    allowedOrigins: new Set(environment.PROOFMARK_ALERT_URL_ALLOW),
  };
}

const alertKeys = (secret: string) => ({
  sealingKey: keyFor('alert addresses', secret),
  signingKey: keyFor('alert signatures', secret),
});

function startingPorts(
  environment: CoordinatorEnvironment,
  database: Database,
  forge: FeedbackPort | null,
): StartRunPorts {
  return {
    database,
    forge,
    deadlineMs: runDeadlineMs,
    forkBudgetUsd: environment.PROOFMARK_FORK_BUDGET_USD,
    mostOpenTestRuns: environment.PROOFMARK_MAX_OPEN_TEST_RUNS,
    allowsPrograms: environment.PROOFMARK_ALLOW_COMMAND_AGENTS,
  };
}

function passesTold(metrics: CoordinatorMetrics, ledgerAnswers: () => void): CoordinatorMetrics['countPass'] {
  return (loop, pass) => {
    metrics.countPass(loop, pass);
    // Its first step writes to the ledger, whatever there is to do.
    if (loop === 'reaper' && pass.counts !== null) ledgerAnswers();
  };
}

function feedbackOf(
  environment: CoordinatorEnvironment,
  database: Database,
  told: CoordinatorMetrics['github'],
): FeedbackPort | null {
  const settings = {
    told,
    publicUrl: environment.PUBLIC_URL,
    writeIntervalMs: environment.PROOFMARK_GITHUB_WRITE_INTERVAL_MS,
    rereadMs: environment.PROOFMARK_GITHUB_REREAD_MS,
  };
  const servers = environment.githubServers.flatMap(({ app, host, serverUrl, apiUrl, graphqlUrl }) =>
    app === null ? [] : [{ ...settings, ...app, appId: app.id, host, serverUrl, apiUrl, graphqlUrl }],
  );
  return servers.length === 0 ? null : createFeedback(database, servers);
}

function byNameOf({ environment, secret }: CoordinatorOptions): Parameters<typeof sessionRoutes>[0]['byName'] {
  const { PROOFMARK_SIGN_IN_ISSUER: issuer, PROOFMARK_SIGN_IN_CLIENT_ID: clientId } = environment;
  if (issuer === undefined || clientId === undefined) return null;
  const settings = {
    ...{ issuer, clientId, clientSecret: environment.PROOFMARK_SIGN_IN_CLIENT_SECRET ?? null },
    ...{ claim: environment.PROOFMARK_SIGN_IN_CLAIM, redirectUri: `${environment.PUBLIC_URL}/session/callback` },
  };
  const rules = {
    tenant: environment.PROOFMARK_SIGN_IN_TENANT,
    newcomers: environment.PROOFMARK_SIGN_IN_NEWCOMERS ?? null,
  };
  return { provider: signInProvider(settings, keyFor('sign-in', secret), Date.now), rules };
}

type Identify = ReturnType<typeof identifier>;

function verifierOf(environment: CoordinatorEnvironment): VerifyJobToken {
  const { OIDC_AUDIENCE: audience, githubServers } = environment;
  return jobTokenVerifiers(githubServers.map(({ host, oidc }) => ({ ...oidc, audience, host })));
}

const downloadsOf = ({ environment, secret }: Pick<CoordinatorOptions, 'environment' | 'secret'>) =>
  downloadLinks(keyFor('downloads', secret), environment.PUBLIC_URL);

function webhooksOf({ environment, lanes }: CoordinatorOptions, wake: (loop: string) => void): Route | null {
  const servers = environment.githubServers
    .filter(({ webhookSecrets }) => webhookSecrets.length > 0)
    .map(({ host, webhookSecrets }) => ({ host, signature: signatureReader(webhookSecrets) }));
  if (servers.length === 0) return null;
  const receive = webhookReceiver(lanes.requests, () => wake('webhooks'));
  return webhookRoute({ servers, receive });
}

/** Where people see the files of a server; of one that is not configured any more, where it would be. */
function forgeUrls({ githubServers }: CoordinatorEnvironment): GraphqlPorts['forgeUrl'] {
  return (host) => {
    if (host === null) return githubServers[0].serverUrl;
    return githubServers.find((server) => server.host === host)?.serverUrl ?? `https://${host}`;
  };
}

type RouteOptions = CoordinatorOptions & {
  feedback: FeedbackPort | null;
  starting: StartRunPorts;
  runStarted: () => 'IMMEDIATE' | 'DELAYED';
  runCancelled: (run: RowKey) => void;
  identify: Identify;
  enrolment: EnrolmentPorts;
  alerts: GraphqlPorts['alerts'];
};

function graphqlRoute(options: RouteOptions): Route {
  const { environment, secret, lanes, broker, log, draining, feedback, starting, runStarted, runCancelled, identify } =
    options;
  const { enrolment, alerts } = options;
  const ports: GraphqlPorts = {
    database: lanes.requests,
    publicUrl: environment.PUBLIC_URL,
    forgeUrl: forgeUrls(environment),
    starting,
    cursorKey: keyFor('cursors', secret),
    subscriptions: countSubscriptions(),
    downloads: downloadsOf(options),
    hasApp: (host) => feedback?.hasApp(host) ?? false,
    settingVariables: environment,
    enrolment,
    alerts,
    runStarted,
    runCancelled: (tenantId, id) => runCancelled({ tenantId, id }),
    runChanges: (tenantId, runId, signal) =>
      runChanges(broker, { tenantId, runId, signal: AbortSignal.any([signal, draining]) }),
  };
  return graphqlEndpoint({
    origins: environment.PROOFMARK_CORS_ORIGINS,
    identify,
    execute: graphqlExecutor({
      ports,
      allowIntrospection: environment.PROOFMARK_GRAPHQL_INTROSPECTION,
      sessionsKnownOnly: environment.PROOFMARK_SESSIONS_KNOWN_ONLY,
      report: (error, errorId) => log.error({ error, errorId }, 'A request failed'),
    }),
  });
}
