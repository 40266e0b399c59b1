import type { HeaderValue } from '@proofmark/contracts/service';
import type { Service } from '@proofmark/contracts/service-presets';
import type { CallResult } from '../models/model-port.ts';

/** A header with its templates filled. A secret is still a name: its value is known only to whoever sends the request. */
export type FilledHeader = string | (Extract<HeaderValue, object> & { from_env: string });

/** One request to a service of the team. */
export interface ServiceCall {
  /** What the definition says of the service: its address is what is watched and limited. */
  service: Pick<Service, 'url' | 'limits' | 'oauth' | 'tls'>;
  url: string;
  method: 'POST' | 'PUT' | 'PATCH' | 'GET';
  headers: readonly (readonly [name: string, value: FilledHeader])[];
  body: { type: string; text: string } | null;
  accept: string;
  /** The secret that signs the body. */
  sign?: string;
  /** Whether it opens a turn, and is no further question about its answer. */
  isTurn: boolean;
}

/** An answer with a good status, whole. Secrets that it repeats are masked. */
export interface ServiceReply {
  text: string;
  contentType: string;
  header: (name: string) => string | null;
  /** `NAME=value` of each cookie that was set. */
  cookies: readonly string[];
}

/** How agents outside this process are reached. What it does not allow is refused with a reason. */
export interface AgentReach {
  call(request: ServiceCall, signal: AbortSignal): Promise<CallResult<ServiceReply>>;
  /** Starts a program of the repository for one conversation. */
  start(program: Program): CallResult<AgentProgram>;
  /** Asks a program that is kept for many test runs, and knows nothing of the one before. */
  ask(program: Program, message: unknown, signal: AbortSignal): Promise<CallResult<unknown>>;
}

/** Code of the repository: a command line, or a function of a JavaScript or TypeScript file. */
export type Program =
  | { command: readonly string[] }
  | { module: string; export?: string | undefined; as: 'agent' | 'check'; sha256?: string | undefined };

/** A running program that answers lines of JSON. */
export interface AgentProgram {
  exchange(message: unknown, signal: AbortSignal): Promise<CallResult<unknown>>;
  /** Ends it and everything that it started. */
  stop(): Promise<void>;
}
