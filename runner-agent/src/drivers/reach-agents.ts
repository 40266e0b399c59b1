import type { KeyRing } from '../models/choose-key.ts';
import { finalFailure } from '../retry/call-failure.ts';
import type { AgentReach } from './agent-reach.ts';
import { ServiceCaller } from './call-service.ts';
import type { ProgramOptions } from './start-program.ts';
import { startProgram } from './start-program.ts';

export interface ReachOptions {
  keys: KeyRing;
  now: () => Date;
  /** Null: programs from the repository are not run here. */
  programs: ProgramOptions | null;
}

/** Services and programs of the team, under the same rules as models: secrets and private addresses by the operator's word alone. */
export function reachAgents({ keys, now, programs }: ReachOptions): AgentReach & AsyncDisposable {
  const services = new ServiceCaller({ keys, now });
  return {
    call: (request, signal) => services.call(request, signal),
    start(command) {
      if (programs) return { ok: true, value: startProgram(command, programs) };
      const message = 'Agents that are programs of the repository run on your own machine only: proofmark run';
      return { ok: false, failure: finalFailure('agent', message) };
    },
    [Symbol.asyncDispose]: () => services[Symbol.asyncDispose](),
  };
}
