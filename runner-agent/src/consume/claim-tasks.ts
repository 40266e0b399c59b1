import { randomUUID } from 'node:crypto';
import type { JsMsg } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { CaseWork } from '@proofmark/contracts/case-work';
import { ClaimReply } from '@proofmark/contracts/control-messages';
import type { FetchableFile } from '@proofmark/contracts/file-content';
import { type TaskMessage, workOf } from '@proofmark/contracts/task-message';
import type { Logger } from 'pino';
import { askCoordinator } from './ask-coordinator.ts';
import type { RunnerChaos } from './chaos.ts';
import type { HeldAttempt, HeldAttempts } from './held-attempts.ts';
import { filesWithin, readTask } from './read-task.ts';

const laterMs = 30_000;
const retryMs = 2_000;

/** A test run that is now this runner's to execute. */
export interface ClaimedTestRun {
  held: HeldAttempt;
  work: CaseWork;
  /** What the coordinator calls its case. */
  testCaseId: string | undefined;
  /** Local files of the case that lie with the coordinator. */
  files: readonly FetchableFile[];
  /** The span that published its chunk; undefined where that is not traced. */
  traceParent: string | undefined;
}

/** What takes one slot: a test run, or both sides of a pair, one after the other. */
export type ClaimedTurn = readonly ClaimedTestRun[];

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

/** A chunk that somebody offers, read and not yet claimed. */
export interface OfferedChunk {
  message: JsMsg;
  task: TaskMessage;
}

/** The span that published the chunk, as a `traceparent` header; undefined where it is not traced. */
const traceParentOf = ({ headers }: JsMsg): string | undefined => headers?.get('traceparent') || undefined;

/** What the message offers; undefined, and it is somebody else's or nobody's, when it cannot be read. */
export function readOffer(message: JsMsg, log: Logger): OfferedChunk | undefined {
  const read = readTask(message.data);
  if (read.kind === 'task') return { message, task: read.task };
  log.warn(
    { subject: message.subject, reason: read.reason },
    read.kind === 'later' ? 'A task is left to a newer runner' : 'A task cannot be read',
  );
  if (read.kind === 'later') message.nak(laterMs);
  else message.term();
  return undefined;
}

/**
 * Claims the chunks with one request and acknowledges their messages: from there the ledger owns the test runs, and there is
 * one redelivery clock instead of two. Chunks that are not this runner's are left out.
 */
export async function claimTasks(offered: readonly OfferedChunk[], claiming: Claiming): Promise<ClaimedTurn[][]> {
  const answer = await claim(offered, claiming);
  if (!answer) {
    for (const { message } of offered) message.nak(retryMs);
    return [];
  }
  const claimed = offered.map(({ task, message }) =>
    hold(task, {
      ...{ ...claiming, ...answer, filesOrigin: claiming.filesOrigin() },
      traceParent: traceParentOf(message),
    }),
  );
  await claiming.chaos.at('after_claim_before_ack');
  for (const { message } of offered) message.ack();
  return claimed.filter((turns) => turns.length > 0);
}

async function claim(
  offered: readonly OfferedChunk[],
  claiming: Claiming,
): Promise<{ sessionId: string; reply: ClaimReply } | undefined> {
  const sessionId = claiming.sessionId();
  if (sessionId === undefined) return undefined;
  const chunks = offered.map(({ task: { tenantId, chunkId } }) => ({ tenantId, chunkId }));
  const request = { sessionId, claimId: randomUUID(), chunks };
  // The same claim id again: if the first answer was lost on its way, this one is the same.
  for (let tries = 0; tries < 3 && claiming.sessionId() === sessionId; tries += 1) {
    const reply = await askCoordinator(claiming.connection, {
      runnerId: claiming.runnerId,
      call: 'claim',
      request,
      reply: ClaimReply,
    });
    // Chunks of a session that was lost meanwhile are about to be given to others.
    if (reply) return claiming.sessionId() === sessionId ? { sessionId, reply } : undefined;
  }
  return undefined;
}

interface Holding {
  sessionId: string;
  reply: ClaimReply;
  held: HeldAttempts;
  filesOrigin: string | undefined;
  traceParent: string | undefined;
  log: Logger;
}

function hold(task: TaskMessage, { sessionId, reply, held, filesOrigin, traceParent, log }: Holding): ClaimedTurn[] {
  const { tenantId, runId, chunkId } = task;
  const won = reply.claimed.find((claimed) => claimed.chunkId === chunkId && claimed.tenantId === tenantId);
  if (!won) return [];
  const { files = [], attempt, solo } = won;
  const safe = filesWithin(filesOrigin, files);
  if (safe.length < files.length) log.error({ chunkId, security: true }, 'A file lies where none may be fetched');
  return task.turns.map((turn) =>
    turn.flatMap((testRun) => {
      const { at, testRunId } = testRun;
      const work = workOf(task, testRun);
      if (work === undefined) return [];
      const one = held.add({ tenantId, runId, chunkId, attempt, at, testRunId, sessionId, solo });
      return [{ held: one, work, files: filesOf(work, safe), testCaseId: testRun.testCaseId, traceParent }];
    }),
  );
}

/** Another case of the chunk may name the same path at another commit. */
const filesOf = ({ contents = [] }: CaseWork, files: readonly FetchableFile[]): FetchableFile[] =>
  files.filter((file) => contents.some(({ path, sha256 }) => path === file.path && sha256 === file.sha256));
