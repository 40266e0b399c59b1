import { randomUUID } from 'node:crypto';
import type { JsMsg } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { ClaimReply } from '@proofmark/contracts/control-messages';
import type { FetchableFile } from '@proofmark/contracts/file-content';
import type { TaskMessage, TaskTestRun } from '@proofmark/contracts/task-message';
import type { Logger } from 'pino';
import { askCoordinator } from './ask-coordinator.ts';
import type { RunnerChaos } from './chaos.ts';
import { filesWithin } from './files-within.ts';
import type { HeldAttempt, HeldAttempts } from './held-attempts.ts';
import { readTask } from './read-task.ts';

const laterMs = 30_000;
const retryMs = 2_000;

/** A test run that is now this runner's to execute. */
export interface ClaimedTestRun {
  held: HeldAttempt;
  work: TaskTestRun['work'];
  /** Local files of the case that lie with the coordinator. */
  files: readonly FetchableFile[];
}

export interface Claiming {
  connection: NatsConnection;
  runnerId: string;
  held: HeldAttempts;
  chaos: RunnerChaos;
  log: Logger;
  /** The session to claim for; undefined when there is none at the moment. */
  sessionId: () => string | undefined;
  /** The only origin that files are fetched from; undefined when the coordinator has named none. */
  filesOrigin: () => string | undefined;
}

interface Received {
  message: JsMsg;
  task: TaskMessage;
}

/**
 * Claims what the messages offer and acknowledges them: from there the ledger owns the test runs, and there is one
 * redelivery clock instead of two. One entry per message, empty where nothing of it is this runner's.
 */
export async function claimTasks(messages: readonly JsMsg[], claiming: Claiming): Promise<ClaimedTestRun[][]> {
  const received = messages.flatMap((message) => sortOut(message, claiming.log));
  const answer = await claim(received, claiming);
  if (!answer) {
    for (const { message } of received) message.nak(retryMs);
    return [];
  }
  const claimed = received.map(({ task }) =>
    hold(task, { ...claiming, ...answer, filesOrigin: claiming.filesOrigin() }),
  );
  await claiming.chaos.at('after_claim_before_ack');
  for (const { message } of received) message.ack();
  return claimed;
}

function sortOut(message: JsMsg, log: Logger): Received[] {
  const read = readTask(message.data);
  if (read.kind === 'task') return [{ message, task: read.task }];
  log.warn(
    { subject: message.subject, reason: read.reason },
    read.kind === 'later' ? 'A task is left to a newer runner' : 'A task cannot be read',
  );
  if (read.kind === 'later') message.nak(laterMs);
  else message.term();
  return [];
}

async function claim(
  received: readonly Received[],
  claiming: Claiming,
): Promise<{ sessionId: string; reply: ClaimReply } | undefined> {
  const testRunIds = received.flatMap(({ task }) => task.testRuns.map(({ testRunId }) => testRunId));
  const sessionId = claiming.sessionId();
  if (testRunIds.length === 0 || sessionId === undefined) return undefined;
  const request = { sessionId, claimId: randomUUID(), testRunIds };
  // The same claim id again: if the first answer was lost on its way, this one is the same.
  for (let tries = 0; tries < 3 && claiming.sessionId() === sessionId; tries += 1) {
    const reply = await askCoordinator(claiming.connection, {
      runnerId: claiming.runnerId,
      call: 'claim',
      request,
      reply: ClaimReply,
    });
    if (reply) return { sessionId, reply };
  }
  return undefined;
}

interface Holding {
  sessionId: string;
  reply: ClaimReply;
  held: HeldAttempts;
  filesOrigin: string | undefined;
  log: Logger;
}

function hold(task: TaskMessage, { sessionId, reply, held, filesOrigin, log }: Holding): ClaimedTestRun[] {
  return task.testRuns.flatMap(({ testRunId, suiteRunId, work }) => {
    const won = reply.claimed.find((claimed) => claimed.testRunId === testRunId);
    if (!won) return [];
    const { tenantId, runId } = task;
    const { files = [], ...attempt } = won;
    const safe = filesWithin(filesOrigin, files);
    if (safe.length < files.length) log.error({ testRunId, security: true }, 'A file lies where none may be fetched');
    return [{ held: held.add({ ...attempt, tenantId, runId, suiteRunId, sessionId }), work, files: safe }];
  });
}
