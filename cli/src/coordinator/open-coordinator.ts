import { setTimeout as sleep } from 'node:timers/promises';
import { type CoordinatorClient, coordinatorClient, isSecureUrl } from '@proofmark/client/coordinator-client';
import type { ClientError } from '@proofmark/client/send-operation';
import type { CommandContext } from '../arguments/command.ts';
import { plain } from '../output/terminal.ts';

/** A coordinator to whom the command shows its API token. */
export interface OpenCoordinator {
  /** Without a slash at its end. */
  url: string;
  /** Goes on for a while when there is no answer, unless the command is interrupted. */
  patient: CoordinatorClient;
  /** Tries each request once, and gives it up when the command is interrupted. */
  quick: CoordinatorClient;
  /** For what is still to be done after an interruption. */
  lasting: CoordinatorClient;
  /** Ends early, and quietly, when the command is interrupted. */
  pause: (ms: number) => Promise<void>;
}

type OpenedCoordinator = { ok: true; coordinator: OpenCoordinator } | { ok: false; usage: string };

const lastingMs = 10_000;

/** The coordinator that was typed, else that of PROOFMARK_COORDINATOR. Nothing is sent yet. */
export function openCoordinator(typed: string | undefined, context: CommandContext): OpenedCoordinator {
  const { environment, signal, terminal } = context;
  const found = typed ?? environment.coordinator;
  if (found === null) return refuse('Name the coordinator: --coordinator URL, or PROOFMARK_COORDINATOR.');
  if (!isSecureUrl(found)) {
    return refuse(`The coordinator must be an https URL (http only on this machine), not ${found}.`);
  }
  const { token } = environment;
  if (token === null) return refuse('PROOFMARK_TOKEN is not set. It holds an API token of the coordinator.');
  const url = found.replace(/\/+$/, '');
  const bearer = async () => ({ ok: true as const, answer: token });
  const pause = interruptiblePause(signal);
  const onRetry = tellOnce((message) => terminal.writeError(`Trying again: ${plain(message)}\n`));
  const random = Math.random;
  // After an interruption no time is left, so that nothing is tried again.
  const now = () => (signal.aborted ? Number.POSITIVE_INFINITY : Date.now());
  const retry = { now, random, pause, onRetry };
  const calm = { now: Date.now, random, pause: async (ms: number) => await sleep(ms), forMs: lastingMs };
  return {
    ok: true,
    coordinator: {
      url,
      pause,
      patient: coordinatorClient({ url, bearer, retry: { ...retry, forMs: environment.retryMs } }),
      quick: coordinatorClient({ url, bearer, signal, retry: { ...retry, forMs: 0 } }),
      lasting: coordinatorClient({ url, bearer, retry: calm }),
    },
  };
}

const refuse = (usage: string): OpenedCoordinator => ({ ok: false, usage });

/** A coordinator that is gone stays so for many tries: only what is new is told. */
function tellOnce(tell: (message: string) => void): (message: string) => void {
  let told: string | undefined;
  return (message) => {
    if (message !== told) tell(message);
    told = message;
  };
}

function interruptiblePause(signal: AbortSignal): (ms: number) => Promise<void> {
  return async (ms) => {
    if (signal.aborted) return;
    await sleep(ms, undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  };
}

/** Why a request to a coordinator failed, for the person who typed the command. A refused token names its variable. */
export function errorWords({ code, message }: Pick<ClientError, 'code' | 'message'>): string {
  if (code !== 'UNAUTHENTICATED') return message;
  return 'The coordinator does not know the token of PROOFMARK_TOKEN, or it is revoked or expired.';
}
