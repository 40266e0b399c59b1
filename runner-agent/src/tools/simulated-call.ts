import type { ToolDefinition } from '@proofmark/contracts/agent-file';
import type { JsonValue } from '@proofmark/contracts/canonical-json';
import type { CassetteEntry } from '@proofmark/contracts/cassette';
import type { MockSimulation } from '@proofmark/contracts/mocks';
import type { CallResult } from '../models/model-port.ts';

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

/** Answers recorded in this run, beside those that the work brings along. */
export interface Cassette {
  find: (key: string) => CassetteEntry | undefined;
  keep: (entry: CassetteEntry) => void;
}

export type SimulateTool = (question: SimulatedQuestion) => Promise<CallResult<CassetteEntry>>;
