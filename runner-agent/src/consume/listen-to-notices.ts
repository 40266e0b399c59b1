import type { NatsConnection } from '@nats-io/transport-node';
import { PoolNotice } from '@proofmark/contracts/control-messages';
import { readMessage } from '@proofmark/contracts/read-message';
import { poolSubject, runnerSubject } from '@proofmark/contracts/subjects';
import { z } from 'zod';

const RunnerNotice = z.object({ kind: z.literal('drain') });

/** Hears what the coordinator tells all runners of its pools, and this one alone. What is missed comes with the next heartbeat. */
export function listenToNotices(
  connection: NatsConnection,
  {
    pools,
    runnerId,
    onNotice,
    onDrain,
  }: {
    pools: readonly string[];
    runnerId: string;
    onNotice: (notice: PoolNotice) => void;
    onDrain: () => void;
  },
): void {
  for (const pool of pools)
    connection.subscribe(poolSubject(pool), {
      callback: (error, message) => {
        const notice = error ? undefined : parse(PoolNotice, message.data);
        if (notice) onNotice(notice);
      },
    });
  connection.subscribe(runnerSubject(runnerId), {
    callback: (error, message) => {
      if (!error && parse(RunnerNotice, message.data)) onDrain();
    },
  });
}

function parse<Message>(schema: z.ZodType<Message>, bytes: Uint8Array): Message | undefined {
  try {
    const read = readMessage(schema, JSON.parse(new TextDecoder().decode(bytes)));
    return read.ok ? read.message : undefined;
  } catch {
    return undefined;
  }
}
