import { setTimeout as pause } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';
import type { HelloRequest } from '@proofmark/contracts/control-messages';
import { HelloReply } from '@proofmark/contracts/control-messages';
import type { WaitLog } from '@proofmark/process/wait-log';
import { askCoordinator } from './ask-coordinator.ts';

export type Session = Extract<HelloReply, { ok: true }>;

/** The coordinator speaks other protocol versions than this runner: trying again cannot help. */
export class ProtocolRefused extends Error {
  override readonly name = 'ProtocolRefused';
}

/** Says hello until a coordinator answers. Rejects with `ProtocolRefused`, or with the signal's reason. */
export async function openSession(
  connection: NatsConnection,
  {
    runnerId,
    hello,
    waiting,
    signal,
  }: { runnerId: string; hello: HelloRequest; waiting: WaitLog; signal: AbortSignal },
): Promise<Session> {
  for (;;) {
    signal.throwIfAborted();
    const reply = await askCoordinator(connection, {
      runnerId,
      call: 'hello',
      request: hello,
      reply: HelloReply,
    });
    if (reply?.ok) {
      waiting.over();
      return reply;
    }
    if (reply) {
      const known = reply.protocols.join(', ');
      throw new ProtocolRefused(
        `${reply.message} (this runner speaks protocol ${hello.protocol}, the coordinator ${known})`,
      );
    }
    waiting.failed('none answers at this broker');
    await pause(500, undefined, { signal });
  }
}
