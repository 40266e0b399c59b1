import type { NatsConnection } from '@nats-io/transport-node';
import { type ChunkRef, SimulatedAnswerReply } from '@proofmark/contracts/control-messages';
import { pause } from '@proofmark/process/pause';
import type { CallResult } from '../models/model-port.ts';
import { finalFailure } from '../retry/call-failure.ts';
import type { Cassette } from '../tools/simulate-tool.ts';
import { askCoordinator } from './ask-coordinator.ts';

const askAgainMs = 500;

/**
 * The answers of simulated tools as the ledger has them, for one attempt at a test run. A coordinator that is away is
 * waited for: an answer of one's own would not be what the other side of a comparison hears.
 */
export function shareCassette(
  connection: NatsConnection,
  runnerId: string,
  { tenantId, chunkId, attempt, sessionId }: ChunkRef & { sessionId: string },
): Cassette {
  const ask = async (
    question: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<CallResult<Extract<SimulatedAnswerReply, { lease: 'held' }>['known']>> => {
    const request = { sessionId, tenantId, chunkId, attempt, ...question };
    for (;;) {
      signal.throwIfAborted();
      const reply = await askCoordinator(connection, {
        ...{ runnerId, call: 'simulated', request },
        reply: SimulatedAnswerReply,
      });
      if (reply?.lease === 'held') return { ok: true, value: reply.known };
      if (reply?.lease === 'lost') return lost;
      await pause(askAgainMs, signal);
    }
  };
  return {
    find: async (key, signal) => {
      const found = await ask({ key }, signal);
      return found.ok ? { ok: true, value: found.value ?? undefined } : found;
    },
    keep: async (entry, signal) => {
      const kept = await ask({ key: entry.key, entry }, signal);
      return kept.ok ? { ok: true, value: kept.value ?? entry } : kept;
    },
  };
}

const lost: CallResult<never> = {
  ok: false,
  failure: finalFailure('mock', 'the test run is no longer held by this runner'),
};
