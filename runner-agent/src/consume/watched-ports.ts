import { gatherEmbeddings } from '../models/gather-embeddings.ts';
import type { Permits } from '../permits/permits.ts';
import { EndpointWatch } from '../permits/watch-endpoints.ts';
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
