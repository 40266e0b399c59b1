import type { NatsConnection } from '@nats-io/transport-node';
import {
  type ChunkRef,
  PermitsReply,
  type PermitsRequest,
  SimulatedAnswerReply,
} from '@proofmark/contracts/control-messages';
import { pause } from '@proofmark/process/pause';
import { gatherEmbeddings } from '../models/gather-embeddings.ts';
import type { CallResult } from '../models/model-port.ts';
import { FleetSource } from '../permits/fleet-source.ts';
import { type Permits, permitsFrom } from '../permits/permits.ts';
import { EndpointWatch } from '../permits/watch-endpoints.ts';
import { finalFailure } from '../retry/call-failure.ts';
import type { Cassette } from '../tools/simulate-tool.ts';
import { askCoordinator } from './ask-coordinator.ts';
import type { Claiming } from './claim-tasks.ts';
import type { Running } from './run-chunk.ts';

type Ports = Running['ports'];

/** More runs at once than a runner ever works on. What it knew of the oldest is forgotten, and found out again if need be. */
const mostRuns = 100;

/**
 * The ports of each run. What one run finds out about an endpoint holds for this run alone: a quota that was used up
 * yesterday may be there today, and another tenant's key is another matter altogether.
 */
export function watchedPorts(ports: Ports, permitsOf: (tenantId: string) => Permits): Running['portsOf'] {
  const known = new Map<string, Ports>();
  return ({ tenantId, runId }) => {
    const found = known.get(runId);
    if (found) return found;
    const watch = new EndpointWatch({ monotonicMs: () => ports.clock.monotonicMs(), permits: permitsOf(tenantId) });
    const { models, reach } = ports;
    const watched: Ports = {
      ...ports,
      givenUp: (work) => watch.givenUp(work),
      models: gatherEmbeddings(watch.models(models)),
      ...(reach && { reach: watch.reach(reach) }),
    };
    known.set(runId, watched);
    const [oldest] = known.keys();
    if (known.size > mostRuns && oldest !== undefined) known.delete(oldest);
    return watched;
  };
}

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

export interface FleetPermitsOptions extends Pick<Claiming, 'connection' | 'runnerId' | 'sessionId'> {
  /** Runners of the pool, as last heard. */
  fleetSize: () => number;
}

/** The limits of models, kept by all runners together: for each tenant its own. */
export function fleetPermits(options: FleetPermitsOptions): (tenantId: string) => Permits {
  const ofTenants = new Map<string, Permits>();
  return (tenantId) => {
    const known = ofTenants.get(tenantId);
    if (known !== undefined) return known;
    const permits = permitsFrom(({ key, limits }) => {
      const { requests, ...others } = limits;
      return new FleetSource(limits, {
        ask: (ask) => askForPermits(options, { tenantId, key, ...requests, ...others, ask }),
        fleetSize: options.fleetSize,
        monotonicMs: () => performance.now(),
      });
    });
    ofTenants.set(tenantId, permits);
    return permits;
  };
}

async function askForPermits(
  { connection, runnerId, sessionId }: FleetPermitsOptions,
  question: Omit<PermitsRequest, 'sessionId'>,
): Promise<PermitsReply | undefined> {
  const id = sessionId();
  if (id === undefined) return undefined;
  const request: PermitsRequest = { sessionId: id, ...question };
  return await askCoordinator(connection, {
    ...{ runnerId, call: 'permits', request },
    reply: PermitsReply,
  });
}
