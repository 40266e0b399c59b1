import type { CallResult } from '../models/model-port.ts';

/** How agents outside this process are reached. What it does not allow is refused with a reason. */
export interface AgentReach {
  /** POSTs JSON to the team's service; the answer is its JSON. */
  post(url: string, body: unknown, signal: AbortSignal): Promise<CallResult<unknown>>;
  /** Starts a program of the repository for one conversation. */
  start(command: readonly string[]): CallResult<AgentProgram>;
}

/** A running program that answers lines of JSON. */
export interface AgentProgram {
  exchange(message: unknown, signal: AbortSignal): Promise<CallResult<unknown>>;
  /** Ends it and everything that it started. */
  stop(): Promise<void>;
}
