import { PermitsReply, type PermitsRequest } from '@proofmark/contracts/control-messages';
import { FleetSource } from '../permits/fleet-source.ts';
import { type Permits, permitsFrom } from '../permits/permits.ts';
import { askCoordinator } from './ask-coordinator.ts';
import type { Claiming } from './claim-tasks.ts';

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
