import { usualCacheFolder } from '@proofmark/runner-agent/cache-folder';
import { createFileReader } from '@proofmark/runner-agent/file-reader';
import { createModelClient } from '@proofmark/runner-agent/model-client';
import { pause } from '@proofmark/runner-agent/pause';
import { reachAgents } from '@proofmark/runner-agent/reach-agents';
import type { CasePorts } from '@proofmark/runner-agent/run-case';
import { type ModelKeys, programEnvironment } from '../environment.ts';

/** The outside world of cases in this process; closing it ends the connections to models. */
export interface OpenPorts extends AsyncDisposable {
  ports: CasePorts;
}

export interface PortsOptions {
  keys: ModelKeys;
  /** The repository, from which files of cases are read. Absent: the current folder. */
  root?: string | undefined;
}

export function openPorts({ keys, root = process.cwd() }: PortsOptions): OpenPorts {
  const now = () => new Date();
  const models = createModelClient({ keys, now });
  const clock = { now, monotonicMs: () => performance.now() };
  const { allowedOrigins } = keys;
  const files = createFileReader({ root, cacheFolder: usualCacheFolder(), allowedOrigins, clock });
  const programs = { directory: process.cwd(), environment: programEnvironment() };
  const reach = reachAgents({ keys, now, programs });
  return {
    ports: {
      models,
      reach,
      files,
      clock,
      random: Math.random,
      pause,
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([models[Symbol.asyncDispose](), reach[Symbol.asyncDispose]()]);
    },
  };
}
