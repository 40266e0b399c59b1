import { pause } from '@proofmark/process/pause';
import type { CasePorts } from '../case/case-state.ts';
import { reachAgents } from '../drivers/reach-agents.ts';
import { usualCacheFolder } from '../files/file-cache.ts';
import { createFileReader } from '../files/file-reader.ts';
import { gatherEmbeddings } from '../models/gather-embeddings.ts';
import type { KeyRing } from '../models/key-ring.ts';
import { createModelClient } from '../models/model-client.ts';
import { localPermits } from '../permits/permits.ts';
import { EndpointWatch } from '../permits/watch-endpoints.ts';
import type { Cassette } from '../tools/simulate-tool.ts';

/** The outside world of cases, and where programs of the base run when it is checked out elsewhere. */
export type RunPorts = CasePorts & { baseReach?: CasePorts['reach'] };

/** The ports of this process; closing them ends the connections to models. */
export interface OpenPorts extends AsyncDisposable {
  ports: RunPorts;
}

export interface PortsOptions {
  /** What simulated tools have answered in this run; absent: only what the work holds, and what this process remembers. */
  cassette?: Cassette | undefined;
  keys: KeyRing;
  /** The repository, from which files of cases are read. Absent: the current folder. */
  root?: string | undefined;
  /** A checkout of the base. Absent: programs of both sides run in the current folder. */
  baseFolder?: string | undefined;
  /** What programs of the repository may be given a part of. */
  environment: Readonly<Record<string, string | undefined>>;
}

/** The ports of one run whose cases all run in this process. A runner, which works on many runs, opens its own. */
export function openPorts({ keys, root = process.cwd(), baseFolder, cassette, environment }: PortsOptions): OpenPorts {
  const now = () => new Date();
  const models = createModelClient({ keys, now });
  const clock = { now, monotonicMs: () => performance.now() };
  const { allowedOrigins } = keys;
  const files = createFileReader({ root, cacheFolder: usualCacheFolder(), allowedOrigins, clock });
  const reachFrom = (directory: string) => reachAgents({ keys, now, programs: { directory, environment } });
  const watch = new EndpointWatch({ ...clock, permits: localPermits(clock) });
  const reach = reachFrom(process.cwd());
  const baseReach = baseFolder === undefined ? undefined : reachFrom(baseFolder);
  return {
    ports: {
      givenUp: (work) => watch.givenUp(work),
      models: gatherEmbeddings(watch.models(models)),
      reach: watch.reach(reach),
      // Both sides of a comparison are judged by the same code.
      code: reach,
      ...(baseReach === undefined ? {} : { baseReach: watch.reach(baseReach) }),
      files,
      ...(cassette === undefined ? {} : { cassette }),
      clock,
      random: Math.random,
      pause,
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([models, reach, baseReach].map(async (one) => await one?.[Symbol.asyncDispose]()));
    },
  };
}
