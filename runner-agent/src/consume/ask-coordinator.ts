import type { NatsConnection } from '@nats-io/transport-node';
import { readMessage } from '@proofmark/contracts/read-message';
import { RPC_PATIENCE_MS, type RpcCall, rpcSubject } from '@proofmark/contracts/subjects';
import type { z } from 'zod';

/**
 * The coordinator's answer, or undefined when none came: nobody listens, the connection is down, or the answer has a
 * shape that this version does not know. All three are met by asking again.
 */
export async function askCoordinator<Reply>(
  connection: NatsConnection,
  {
    runnerId,
    call,
    request,
    reply,
    timeoutMs = RPC_PATIENCE_MS[call],
  }: {
    runnerId: string;
    call: RpcCall;
    request: unknown;
    reply: z.ZodType<Reply>;
    timeoutMs?: number;
  },
): Promise<Reply | undefined> {
  try {
    const message = await connection.request(rpcSubject(runnerId, call), JSON.stringify(request), {
      timeout: timeoutMs,
    });
    const read = readMessage(reply, message.json());
    return read.ok ? read.message : undefined;
  } catch {
    return undefined;
  }
}
