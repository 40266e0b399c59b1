import { usualCacheFolder } from '@proofmark/runner-agent/file-cache';
import { createFileReader } from '@proofmark/runner-agent/file-reader';
import { gatherEmbeddings } from '@proofmark/runner-agent/gather-embeddings';
import { createModelClient } from '@proofmark/runner-agent/model-client';
import { pause } from '@proofmark/runner-agent/pause';
import { localPermits } from '@proofmark/runner-agent/permits';
import { reachAgents } from '@proofmark/runner-agent/reach-agents';
import type { CasePorts } from '@proofmark/runner-agent/run-case';
import type { Cassette } from '@proofmark/runner-agent/simulate-tool';
import { EndpointWatch } from '@proofmark/runner-agent/watch-endpoints';
import { type ModelKeys, programEnvironment } from '../environment.ts';

/** The outside world of cases, and where programs of the base run when it is checked out elsewhere. */
export type RunPorts = CasePorts & { baseReach?: CasePorts['reach'] };

/** The ports of this process; closing them ends the connections to models. */
export interface OpenPorts extends AsyncDisposable {
  ports: RunPorts;
}

export interface PortsOptions {
  /** What simulated tools have answered in this run; absent: only what the work holds, and what this process remembers. */
  cassette?: Cassette | undefined;
  keys: ModelKeys;
  /** The repository, from which files of cases are read. Absent: the current folder. */
  root?: string | undefined;
  /** A checkout of the base. Absent: programs of both sides run in the current folder. */
  baseFolder?: string | undefined;
}

export function openPorts({ keys, root = process.cwd(), baseFolder, cassette }: PortsOptions): OpenPorts {
  const now = () => new Date();
  const models = createModelClient({ keys, now });
  const clock = { now, monotonicMs: () => performance.now() };
  const { allowedOrigins } = keys;
  const files = createFileReader({ root, cacheFolder: usualCacheFolder(), allowedOrigins, clock });
  const reachFrom = (directory: string) =>
    reachAgents({ keys, now, programs: { directory, environment: programEnvironment() } });
  const watch = new EndpointWatch({ ...clock, permits: localPermits(clock) });
  const reach = reachFrom(process.cwd());
  const baseReach = baseFolder === undefined ? undefined : reachFrom(baseFolder);
  return {
    ports: {
      givenUp: (work) => watch.givenUp(work),
      models: gatherEmbeddings(watch.models(models)),
      reach: watch.reach(reach),
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
