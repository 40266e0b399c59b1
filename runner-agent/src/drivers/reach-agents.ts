import { Agent } from 'undici';
import type { KeyRing } from '../models/choose-key.ts';
import { chooseKeyless } from '../models/choose-key.ts';
import { describeBrokenCall, describeStatus } from '../models/describe-failure.ts';
import { lightFetch } from '../models/light-fetch.ts';
import { maskKeys } from '../models/mask-keys.ts';
import type { CallResult } from '../models/model-port.ts';
import { guardedAgent } from '../models/public-address.ts';
import type { CallFailure } from '../retry/call-failure.ts';
import { finalFailure } from '../retry/call-failure.ts';
import type { AgentReach } from './agent-reach.ts';
import type { ProgramOptions } from './start-program.ts';
import { startProgram } from './start-program.ts';

export interface ReachOptions {
  keys: KeyRing;
  now: () => Date;
  /** Null: programs from the repository are not run here. */
  programs: ProgramOptions | null;
}

/** Services and programs of the team, under the same rules as models: no key, public addresses or what the operator allows. */
export function reachAgents({ keys, now, programs }: ReachOptions): AgentReach & AsyncDisposable {
  const connections = { open: new Agent(), guarded: guardedAgent() };
  const secrets = [...keys.values.values()].filter((key) => key !== undefined);
  const failed = (failure: CallFailure): CallResult<never> => ({
    ok: false,
    failure: { ...failure, message: maskKeys(failure.message, secrets).slice(0, 500).toWellFormed() },
  });
  return {
    async post(url, body, signal) {
      const allowed = chooseKeyless(url, keys);
      if (!allowed.ok) return failed(finalFailure('agent', allowed.message));
      const fetch = lightFetch(allowed.isTrusted ? connections.open : connections.guarded);
      try {
        const headers = { 'content-type': 'application/json' };
        const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal });
        if (answer.ok) return { ok: true, value: await answer.json() };
        const header = (name: string): string | null => answer.headers.get(name);
        const message = `${answer.status} ${await answer.text()}`;
        const error = { status: answer.status, message, code: null, requestId: null, header };
        return failed(describeStatus(error, now(), 'The service'));
      } catch (error) {
        signal.throwIfAborted();
        return failed(describeBrokenCall(error));
      }
    },
    start(command) {
      if (programs) return { ok: true, value: startProgram(command, programs) };
      return failed(finalFailure('agent', 'Agents that are commands run on your own machine only: proofmark run'));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([connections.open.destroy(), connections.guarded.destroy()]);
    },
  };
}
