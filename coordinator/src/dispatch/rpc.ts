import type { Msg } from '@nats-io/transport-node';
import {
  ClaimRequest,
  HeartbeatRequest,
  HelloRequest,
  type PermitsReply,
  PermitsRequest,
  ReleaseRequest,
  SimulatedAnswerRequest,
} from '@proofmark/contracts/control-messages';
import { readMessage } from '@proofmark/contracts/read-message';
import { RPC_PATIENCE_MS, RPC_QUEUE, RPC_SUBJECTS, type RpcCall } from '@proofmark/contracts/subjects';
import type { CallLimits } from '@proofmark/domain/call-limits';
import { deepestMessage, nestsAtMost } from '@proofmark/process/json-nesting';
import type { Logger } from 'pino';
import type { z } from 'zod';
import { isLedgerDown } from '../database/ledger-down.ts';
import { slowDownShared } from '../permits/rate-buckets.ts';
import { callQueue } from './call-queue.ts';
import type { Broker } from './connect-nats.ts';
import {
  answerClaim,
  answerHeartbeat,
  answerHello,
  answerRelease,
  answerSimulated,
  isOwn,
  type RpcPorts,
} from './rpc-answers.ts';

/** Heartbeats have turns of their own: whatever else runners ask for, their leases are renewed. */
const beatsAtOnce = 16;
const othersAtOnce = 48;
const mostWaiting = 2_000;

type Answer = (runnerId: string, request: unknown, ports: RpcPorts) => Promise<unknown>;

const calls: ReadonlyMap<string, Answer> = new Map<RpcCall, Answer>([
  ['hello', parsed(HelloRequest, answerHello)],
  ['claim', parsed(ClaimRequest, answerClaim)],
  ['heartbeat', parsed(HeartbeatRequest, answerHeartbeat)],
  ['permits', parsed(PermitsRequest, answerPermits)],
  ['release', parsed(ReleaseRequest, answerRelease)],
  ['simulated', parsed(SimulatedAnswerRequest, answerSimulated)],
]);

function parsed<Request>(
  schema: z.ZodType<Request>,
  answer: (runnerId: string, request: Request, ports: RpcPorts) => Promise<unknown>,
): Answer {
  return async (runnerId, request, ports) => {
    const read = readMessage(schema, request);
    if (!read.ok) throw read.error;
    return await answer(runnerId, read.message, ports);
  };
}

/** What a runner has asked, with who it is by the subject. */
interface Call {
  message: Msg;
  runnerId: string;
  name: string;
}

/** Answers the runners' calls, each replica its share. No answer means "ask again": that is what happens when something fails. */
export function serveRpc({ connection }: Broker, ports: RpcPorts, log: Logger): { stop: () => Promise<void> } {
  const queueOf = (atOnce: number) =>
    callQueue<Call>({
      ...{ atOnce, mostWaiting },
      patienceMs: ({ name }) => patience.get(name) ?? 0,
      answer: (call) => answerOne(call, ports, log),
      onDropped: ({ name }) => ports.countDropped(name),
    });
  const [beats, others] = [queueOf(beatsAtOnce), queueOf(othersAtOnce)];
  const subscription = connection.subscribe(RPC_SUBJECTS, {
    queue: RPC_QUEUE,
    callback: (error, message) => {
      if (error !== null) return;
      const [, , runnerId = '', name = ''] = message.subject.split('.');
      (name === 'heartbeat' ? beats : others).add({ message, runnerId, name }, performance.now());
    },
  });
  return {
    stop: async () => {
      // Hands over to the other replicas, but answers what has arrived already.
      await subscription.drain();
      await Promise.all([beats.empty(), others.empty()]);
    },
  };
}

const patience: ReadonlyMap<string, number> = new Map(Object.entries(RPC_PATIENCE_MS));

/** An inbox of this account, or one that the server keeps for an asker of another account. */
const inbox = /^(_INBOX|_R_)\./;

async function answerOne({ message, runnerId, name }: Call, ports: RpcPorts, log: Logger): Promise<void> {
  try {
    // Another subject may be an order to the broker, which would then come from here.
    if (!inbox.test(message.reply ?? '')) throw new Error(`no inbox for the answer: ${message.reply}`);
    const answer = calls.get(name);
    if (answer === undefined || !nestsAtMost(deepestMessage, message.data)) throw new Error(`no such call: ${name}`);
    message.respond(JSON.stringify(await answer(runnerId, message.json(), ports)));
  } catch (error) {
    log.warn({ error, runnerId, call: name }, 'A call of a runner was not answered');
  }
}

function limitsOf({ perSecond, burst = 1, tokensPerSecond, inFlight }: PermitsRequest): CallLimits {
  return {
    ...(perSecond === undefined ? {} : { requests: { perSecond, burst } }),
    ...(tokensPerSecond === undefined ? {} : { tokensPerSecond }),
    ...(inFlight === undefined ? {} : { inFlight }),
  };
}

/** Worth asking again after so long, by a runner whose session is gone. */
const strangerMs = 1_000;

const none = { ledger: 'up', granted: 0, firstMs: 0, spacingMs: 0, againMs: 0 } as const;

/** Turns to call a model that is limited, out of what all runners share; or its pause, when its provider has complained. */
async function answerPermits(runnerId: string, request: PermitsRequest, ports: RpcPorts): Promise<PermitsReply> {
  const { sessionId, tenantId, key, ask } = request;
  const model = { tenantId, key, limits: limitsOf(request) };
  try {
    if (!(await isOwn(runnerId, sessionId, ports))) return { ...none, againMs: strangerMs };
    if (ask.kind === 'slow-down') {
      await slowDownShared(ports.database, { ...model, pauseMs: ask.pauseMs });
      ports.countPermits({ complaints: 1 });
      return none;
    }
    // A runner of the version before counts no tokens, and has as many calls under way as it likes.
    const { want, cost = 0, settle = 0, holds = 0, wants = 0 } = ask;
    const asked = { want, cost, settle, holds, wants };
    const given = await ports.takeTurns({ ...model, sessionId, asked });
    if (want > 0) ports.countPermits(given.granted === 0 ? { empty: 1 } : { granted: given.granted });
    return { ledger: 'up', ...given };
  } catch (error) {
    if (isLedgerDown(error)) return { ledger: 'down' };
    throw error;
  }
}
