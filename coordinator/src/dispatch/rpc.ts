import type { Msg } from '@nats-io/transport-node';
import {
  ClaimRequest,
  HeartbeatRequest,
  HelloRequest,
  PermitsRequest,
  ReleaseRequest,
  SimulatedAnswerRequest,
} from '@proofmark/contracts/control-messages';
import { readMessage } from '@proofmark/contracts/read-message';
import { RPC_QUEUE, RPC_SUBJECTS } from '@proofmark/contracts/subjects';
import { deepestMessage, nestsAtMost } from '@proofmark/process/json-nesting';
import type { Logger } from 'pino';
import type { z } from 'zod';
import { answerPermits } from './answer-permits.ts';
import type { Broker } from './connect-nats.ts';
import {
  answerClaim,
  answerHeartbeat,
  answerHello,
  answerRelease,
  answerSimulated,
  type RpcPorts,
} from './rpc-answers.ts';

/** Calls that are answered at the same time; the others wait in the client. */
const atOnce = 64;

type Answer = (runnerId: string, request: unknown, ports: RpcPorts) => Promise<unknown>;

const calls: ReadonlyMap<string, Answer> = new Map([
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

/** Answers the runners' calls, each replica its share. No answer means "ask again": that is what happens when something fails. */
export function serveRpc({ connection }: Broker, ports: RpcPorts, log: Logger): { stop: () => Promise<void> } {
  const subscription = connection.subscribe(RPC_SUBJECTS, { queue: RPC_QUEUE });
  const running = new Set<Promise<void>>();
  const ended = (async () => {
    for await (const message of subscription) {
      if (running.size >= atOnce) await Promise.race(running);
      const answering: Promise<void> = answerOne(message, ports, log).finally(() => running.delete(answering));
      running.add(answering);
    }
  })();
  return {
    stop: async () => {
      // Hands over to the other replicas, but answers what has arrived already.
      await subscription.drain();
      await ended;
      await Promise.all(running);
    },
  };
}

/** An inbox of this account, or one that the server keeps for an asker of another account. */
const inbox = /^(_INBOX|_R_)\./;

async function answerOne(message: Msg, ports: RpcPorts, log: Logger): Promise<void> {
  const [, , runnerId = '', call = ''] = message.subject.split('.');
  try {
    // Another subject may be an order to the broker, which would then come from here.
    if (!inbox.test(message.reply ?? '')) throw new Error(`no inbox for the answer: ${message.reply}`);
    const answer = calls.get(call);
    if (answer === undefined || !nestsAtMost(deepestMessage, message.data)) throw new Error(`no such call: ${call}`);
    message.respond(JSON.stringify(await answer(runnerId, message.json(), ports)));
  } catch (error) {
    log.warn({ error, runnerId, call }, 'A call of a runner was not answered');
  }
}
