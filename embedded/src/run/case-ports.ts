import { createModelClient } from '@proofmark/runner-agent/model-client';
import { pause } from '@proofmark/runner-agent/pause';
import { reachAgents } from '@proofmark/runner-agent/reach-agents';
import type { CasePorts } from '@proofmark/runner-agent/run-case';
import { type ModelKeys, programEnvironment } from '../environment.ts';

/** The outside world of cases in this process; closing it ends the connections to models. */
export interface OpenPorts extends AsyncDisposable {
  ports: CasePorts;
}

export function openPorts(keys: ModelKeys): OpenPorts {
  const now = () => new Date();
  const models = createModelClient({ keys, now });
  const programs = { directory: process.cwd(), environment: programEnvironment() };
  const reach = reachAgents({ keys, now, programs });
  return {
    ports: {
      models,
      reach,
      clock: { now, monotonicMs: () => performance.now() },
      random: Math.random,
      pause,
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([models[Symbol.asyncDispose](), reach[Symbol.asyncDispose]()]);
    },
  };
}
