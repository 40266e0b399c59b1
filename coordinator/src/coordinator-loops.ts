import type { Logger } from 'pino';
import { type AlertPorts, deliverAlert } from './alerts/deliver-alert.ts';
import { deliveriesAtOnce, type Lanes, verdictsAtOnce } from './database/connect.ts';
import type { RowKey } from './database/row-key.ts';
import type { Broker } from './dispatch/connect-nats.ts';
import type { Publisher } from './dispatch/publisher.ts';
import type { Topology } from './dispatch/topology.ts';
import type { CoordinatorEnvironment } from './environment.ts';
import type { FeedbackPort } from './feedback/feedback-port.ts';
import { finishSuiteRun, giveUpSuiteRun } from './judging/finish-suite-run.ts';
import { closeOverdue } from './ledger/close-overdue.ts';
import { finaliseForgotten } from './ledger/finalise-forgotten.ts';
import { planStep } from './ledger/plan-steps.ts';
import type { StartRunPorts } from './start/start-run.ts';
import { startScheduledRun } from './start/start-scheduled-run.ts';
import { earlyEnds } from './upkeep/early-ends.ts';
import { feedbackProgress } from './upkeep/feedback-progress.ts';
import { forgeSweep } from './upkeep/forge-sweep.ts';
import { housekeeping } from './upkeep/housekeeping.ts';
import { missedWebhooks } from './upkeep/missed-webhooks.ts';
import { missingRunners } from './upkeep/missing-runners.ts';
import { outbox } from './upkeep/outbox.ts';
import { parkedDeliveries, retryForAccount } from './upkeep/parked-deliveries.ts';
import { type QueueState, queueWatch } from './upkeep/queue-watch.ts';
import { reaper } from './upkeep/reaper.ts';
import { republisher } from './upkeep/republisher.ts';
import { retention } from './upkeep/retention.ts';
import type { Loop } from './upkeep/run-loops.ts';
import { scheduler } from './upkeep/scheduler.ts';
import { webhooks } from './upkeep/webhooks.ts';
import { actOnWebhook, type WebhookPorts } from './webhooks/act-on-webhook.ts';

type LoopPorts = {
  environment: CoordinatorEnvironment;
  lanes: Lanes;
  broker: Broker;
  publisher: Publisher;
  topology: Topology;
  feedback: FeedbackPort | null;
  /** Names this replica among the others. */
  replica: string;
  /** Starts a pass of another loop: what was found is its work. */
  wake: (loop: string) => void;
  onCompleted: (run: RowKey) => void;
  starting: StartRunPorts;
  alerts: AlertPorts;
  onStarted: (run: RowKey) => void;
  onCancelled: (run: RowKey) => void;
  onQueuesRead: (queues: QueueState) => void;
  log: Logger;
};

/** Receivers are slow or not there at all; there are few alerts. */
const alertsAtOnce = 4;

/** Every chore of a coordinator. Each replica runs all of them, and there is no leader to lose. */
export function coordinatorLoops(ports: LoopPorts): Loop[] {
  const { environment, lanes, broker, publisher, topology, feedback, replica, wake, onCompleted, log } = ports;
  const database = lanes.loops;
  const { PROOFMARK_DATABASE_POOL: perLogin, PROOFMARK_GITHUB_WRITE_INTERVAL_MS: writeIntervalMs } = environment;
  const deliver = () => {
    wake('deliveries');
    wake('alerts');
  };
  const leaseMs = environment.PROOFMARK_LEASE_MS;
  return [
    {
      name: 'planner',
      every: 1000,
      run: async (signal) => {
        let queued = 0;
        while (!signal.aborted) {
          const step = await planStep(database);
          if (step === null) break;
          queued += step;
          wake('publisher');
        }
        return { queued };
      },
    },
    {
      name: 'publisher',
      every: ({ published = 0 }) => (published > 0 ? 250 : 1000),
      run: async () => ({ published: broker.isConnected() ? await publisher.publish() : 0 }),
    },
    reaper({
      database,
      replica,
      everyMs: environment.PROOFMARK_REAP_MS,
      leaseMs,
      isBrokerConnected: broker.isConnected,
      onRequeued: () => wake('publisher'),
      onFinished: () => wake('verdicts'),
    }),
    republisher({
      database,
      broker,
      pools: topology.pools,
      everyMs: environment.PROOFMARK_REPUBLISH_MS,
      onRepublished: () => wake('publisher'),
    }),
    {
      name: 'topology',
      every: environment.PROOFMARK_TOPOLOGY_MS,
      run: async () => ({ ...(await topology.repair()) }),
    },
    {
      name: 'deadlines',
      every: 5000,
      run: async () => {
        const finished = await closeOverdue(database);
        if (finished.length > 0) wake('verdicts');
        return { closed: finished.length };
      },
    },
    ...earlyEnds(database, wake),
    {
      name: 'finaliser',
      every: 30_000,
      run: async () => {
        const { finishedSuiteRuns, miscounted } = await finaliseForgotten(database);
        if (finishedSuiteRuns.length > 0) wake('verdicts');
        for (const { tenantId, id } of miscounted)
          log.error({ tenantId, suiteRunId: id }, 'The counters of a suite run differ from its rows');
        return { finished: finishedSuiteRuns.length, miscounted: miscounted.length };
      },
    },
    ...outbox({
      alerts: { database: lanes.forge, atOnce: alertsAtOnce },
      tellAlert: (row, signal) => deliverAlert(ports.alerts, row, signal),
      verdicts: { database, atOnce: verdictsAtOnce(perLogin) },
      deliveries: { database: lanes.forge, atOnce: deliveriesAtOnce(perLogin) },
      replica,
      leaseMs,
      feedback,
      writeIntervalMs,
      finish: (suiteRun) => finishSuiteRun(database, suiteRun),
      giveUp: (suiteRun, why) => giveUpSuiteRun(database, suiteRun, why),
      ...{ onCompleted, wake, log },
    }),
    missingRunners(database, {
      patienceMs: environment.PROOFMARK_GITHUB_PROGRESS_MS,
      wake: () => wake('deliveries'),
    }),
    queueWatch({ database, writeIntervalMs, onRead: ports.onQueuesRead }),
    parkedDeliveries({ database: lanes.forge, hasMail: ports.alerts.mail !== null, onDue: deliver }),
    ...forgeLoops(ports),
    webhooks({ database: lanes.forge, act: (work, ageMs) => actOnWebhook(webhookPorts(ports), work, ageMs), log }),
    housekeeping(database, { auditDays: environment.PROOFMARK_AUDIT_DAYS }),
    retention({ database, variables: environment, log }),
    scheduler({
      database,
      start: (suite) => startScheduledRun({ ...ports.starting, database }, suite),
      onStarted: ports.onStarted,
      log,
    }),
  ];
}

/** Chores that there are only with an App. */
function forgeLoops({ environment, lanes, feedback, wake, onCancelled, log }: LoopPorts): Loop[] {
  if (feedback === null) return [];
  const database = lanes.forge;
  const { PROOFMARK_GITHUB_PROGRESS_MS: firstMs, PROOFMARK_GITHUB_SWEEP_MS: sweepMs } = environment;
  return [
    feedbackProgress(database, firstMs),
    forgeSweep({
      database,
      everyMs: sweepMs,
      forge: feedback,
      onEnded: onCancelled,
      onDue: () => wake('deliveries'),
      log,
    }),
    missedWebhooks({ database, everyMs: 2 * sweepMs, forge: feedback }),
  ];
}

function webhookPorts(ports: LoopPorts): WebhookPorts {
  const { environment, lanes, feedback, starting, onStarted, onCancelled, wake, log } = ports;
  const [{ host }] = environment.githubServers;
  const database = lanes.forge;
  const retryParked = async (host: string, ownerExternalId: number) => {
    if ((await retryForAccount(database, host, ownerExternalId)) > 0) wake('deliveries');
  };
  return {
    ...{ database, host, forge: feedback, onStarted, onEnded: onCancelled, retryParked, log },
    starting: { ...starting, database, forge: feedback, blobQuotaBytes: environment.PROOFMARK_BLOB_QUOTA_BYTES },
    queueWaitMs: environment.PROOFMARK_GITHUB_QUEUE_MS,
  };
}
