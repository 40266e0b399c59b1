import type { ToolDefinition } from '@proofmark/contracts/agent-file';
import type { JsonValue } from '@proofmark/contracts/canonical-json';
import type { CassetteEntry } from '@proofmark/contracts/cassette';
import type { MockSimulation } from '@proofmark/contracts/mocks';
import type { CallResult } from '../models/model-port.ts';
import type { TrySignal } from '../retry/try-scope.ts';

/** A call of a simulated tool and what was answered. */
export interface SimulatedCall {
  tool: string;
  args: JsonValue;
  result: JsonValue;
}

/** Everything that an answer depends on, beside the model. */
export interface SimulatedQuestion {
  tool: ToolDefinition;
  args: JsonValue;
  simulation: MockSimulation;
  state: JsonValue;
  /** Of this test run, in their order. */
  earlier: readonly SimulatedCall[];
}

/** Answers of simulated tools and steps of G-Eval metrics that were recorded in this run, beside those that the work brings along. Both reject when `signal` is aborted. */
export interface Cassette {
  /** Undefined: nobody has been asked yet. */
  find: (key: string, signal: AbortSignal) => Promise<CallResult<CassetteEntry | undefined>>;
  /** The answer that counts: this one, or what somebody else recorded before. */
  keep: (entry: CassetteEntry, signal: AbortSignal) => Promise<CallResult<CassetteEntry>>;
}

/** `asking` is the try of the agent that waits for the answer. */
export type SimulateTool = (question: SimulatedQuestion, asking: TrySignal) => Promise<CallResult<CassetteEntry>>;
