import { createModelClient } from '@proofmark/runner-agent/model-client';
import { pause } from '@proofmark/runner-agent/pause';
import type { CasePorts } from '@proofmark/runner-agent/run-case';
import type { ModelKeys } from '../environment.ts';

/** The outside world of cases in this process; closing it ends the connections to models. */
export interface OpenPorts extends AsyncDisposable {
  ports: CasePorts;
}

export function openPorts(keys: ModelKeys): OpenPorts {
  const models = createModelClient({ keys, now: () => new Date() });
  return {
    ports: {
      models,
      clock: { now: () => new Date(), monotonicMs: () => performance.now() },
      random: Math.random,
      pause,
    },
    [Symbol.asyncDispose]: () => models[Symbol.asyncDispose](),
  };
}
