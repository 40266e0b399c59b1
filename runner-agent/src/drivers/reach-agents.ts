import type { KeyRing } from '../models/key-ring.ts';
import { finalFailure } from '../retry/call-failure.ts';
import type { AgentReach } from './agent-reach.ts';
import { ServiceCaller } from './call-service.ts';
import { ProgramPool, programCommand, startMasked } from './program-pool.ts';
import type { ProgramOptions } from './start-program.ts';

export interface ReachOptions {
  keys: KeyRing;
  now: () => Date;
  /** Null: programs from the repository are not run here. */
  programs: ProgramOptions | null;
}

const refused = (what: string) => ({
  ok: false as const,
  failure: finalFailure(
    'agent',
    `${what} run where their repository is, on your own machine or in the job: proofmark run`,
  ),
});

/** Services and programs of the team, under the same rules as models: secrets and private addresses by the operator's word alone. */
export function reachAgents({ keys, now, programs }: ReachOptions): AgentReach & AsyncDisposable {
  const services = new ServiceCaller({ keys, now });
  const pool = programs && new ProgramPool(programs);
  return {
    call: (request, signal) => services.call(request, signal),
    start(program) {
      if (!programs) return refused('Agents that are programs of the repository');
      const command = programCommand(program, programs);
      return command.ok ? { ok: true, value: startMasked(command.value, programs) } : command;
    },
    async ask(program, message, signal) {
      if (pool) return await pool.ask(program, message, signal);
      return refused('Checks in code of the repository (use `type: http` for one that runs everywhere)');
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([services[Symbol.asyncDispose](), pool?.[Symbol.asyncDispose]()]);
    },
  };
}
