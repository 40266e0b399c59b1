import type { ToolDefinition } from '@proofmark/contracts/agent-file';
import type { MockUse, ToolCall } from '@proofmark/contracts/case-outcome';
import type { CaseWork } from '@proofmark/contracts/case-work';
import type { CassetteEntry } from '@proofmark/contracts/cassette';
import { cutError, cutName } from '@proofmark/domain/kept-text';
import { pause } from '@proofmark/process/pause';
import type { ToolBox, ToolRequest } from '../drivers/agent-driver.ts';
import type { ReportedCall } from '../drivers/agent-protocol.ts';
import { runsOwnTools } from '../drivers/runs-tools.ts';
import type { CallResult } from '../models/model-port.ts';
import { type CallFailure, finalFailure } from '../retry/call-failure.ts';
import {
  answerFromMocks,
  errorAnswer,
  freshMemory,
  type MockAnswer,
  type MockMemory,
  unusedEntries,
} from './mock-answer.ts';
import type { SimulateTool } from './simulate-tool.ts';

const callsPerTurn = 32;
const callsPerTestRun = 200;
const noLiveTool = 'no_live_tool';

type ToolAnswer = Pick<ToolCall, 'result' | 'error' | 'source' | 'entry'>;

/** The tools of one test run: every call is kept, and a turn that is tried again starts from where it first started. */
export class MockedTools implements ToolBox {
  readonly #work: CaseWork;
  readonly #clock: { monotonicMs(): number };
  readonly #simulate: SimulateTool;
  /** Answers by key that this test run got from a model, beside those that its task came with. */
  #recorded: Map<string, CassetteEntry> | undefined;
  #simulationFault: CallFailure | null = null;
  #calls: readonly ToolCall[] = [];
  /** A name, an id or an error of a call was too long to be kept whole. */
  #isCut = false;
  #memory: MockMemory;
  #unmatched: readonly string[] = [];
  #turn = 0;
  #turnStart: { calls: readonly ToolCall[]; memory: MockMemory; unmatched: readonly string[] };
  /** How the mocks were used when the calls were made; undefined unless they are recalled. */
  #recalled: MockUse | null | undefined;

  constructor(work: CaseWork, clock: { monotonicMs(): number }, simulate: SimulateTool) {
    this.#work = work;
    this.#clock = clock;
    this.#simulate = simulate;
    this.#memory = freshMemory(work.instrument.mocks, work.instrument.mockSettings);
    this.#turnStart = { calls: this.#calls, memory: this.#memory, unmatched: this.#unmatched };
  }

  get calls(): readonly ToolCall[] {
    return this.#calls;
  }

  /** Names of declared tools that were called although no mock entry fitted. */
  get unmatched(): readonly string[] {
    return this.#unmatched;
  }

  /** What a reader of the result must know about its tools. */
  get flags(): string[] {
    const lacksLiveTool = this.#calls.some(({ error }) => error?.startsWith(`${noLiveTool}:`) ?? false);
    return [
      ...(this.#unmatched.length > 0 ? ['unmatched_tool_call'] : []),
      ...(lacksLiveTool ? ['no_live_tool'] : []),
      ...(this.#isCut ? ['evidence_cut'] : []),
    ];
  }

  /** Null when the suite has no mocks and no call lacked one. */
  get mockUse(): MockUse | null {
    if (this.#recalled !== undefined) return this.#recalled;
    if (this.#work.instrument.mocks.length === 0 && this.#unmatched.length === 0) return null;
    const recorded = [...(this.#recorded?.values() ?? [])];
    return {
      unusedEntries: unusedEntries(this.#memory),
      unmatchedCalls: [...this.#unmatched],
      ...(recorded.length > 0 && { recorded }),
    };
  }

  /** Why a simulated tool gave no answer: what came of the turn then is no fault of the agent. Null: each has answered. */
  get simulationFault(): CallFailure | null {
    return this.#simulationFault;
  }

  /** Takes the calls of another time for its own. Nothing is called. */
  recall(calls: readonly ToolCall[], use: MockUse | null): void {
    this.#calls = calls;
    this.#unmatched = use?.unmatchedCalls ?? [];
    this.#recalled = use;
  }

  startTurn(turn: number): void {
    this.#turn = turn;
    this.#turnStart = { calls: this.#calls, memory: this.#memory, unmatched: this.#unmatched };
  }

  /** Forgets what the failed try of this turn did. */
  rewindTurn(): void {
    this.#calls = this.#turnStart.calls;
    this.#memory = this.#turnStart.memory;
    this.#unmatched = this.#turnStart.unmatched;
  }

  /** Forgets everything: the test run begins anew. */
  startOver(): void {
    this.#simulationFault = null;
    this.#calls = [];
    this.#memory = freshMemory(this.#work.instrument.mocks, this.#work.instrument.mockSettings);
    this.#unmatched = [];
    this.startTurn(0);
  }

  async call(asked: ToolRequest, signal: AbortSignal): Promise<CallResult<ToolCall>> {
    // A try that was given up must not go on changing what the next one sees.
    signal.throwIfAborted();
    const inTurn = this.#calls.length - this.#turnStart.calls.length;
    if (inTurn >= callsPerTurn) return tooMany(`${callsPerTurn} tool calls in one turn`);
    if (this.#calls.length >= callsPerTestRun) return tooMany(`${callsPerTestRun} tool calls in one test run`);
    const request = { ...asked, ...this.#named(asked) };
    const startedAt = this.#clock.monotonicMs();
    const answered = await this.#answer(request, signal);
    const call: ToolCall = {
      ...request,
      ...(answered.ok ? answered.value : unanswered(answered.failure)),
      turn: this.#turn,
      durationMs: Math.max(0, this.#clock.monotonicMs() - startedAt),
    };
    // Also a call that nobody could answer was made: left out, the agent would be blamed for not calling the tool.
    this.#calls = [...this.#calls, call];
    return answered.ok ? { ok: true, value: call } : answered;
  }

  /** Whether this turn has run a tool outside of here: what it did there cannot be taken back. */
  get hasGoneLive(): boolean {
    return this.#calls.some(({ source, turn }) => source === 'live' && turn === this.#turn);
  }

  report({ args, result, ...reported }: ReportedCall): void {
    const { id, name } = this.#named(reported);
    const error = this.#kept(reported.error ?? null, cutError);
    const asked = this.#calls.find((call) => call.source === 'live' && call.id === id && call.turn === this.#turn);
    if (asked !== undefined) {
      const told = { ...asked, result, error };
      this.#calls = this.#calls.map((call) => (call === asked ? told : call));
      return;
    }
    const call: ToolCall = {
      id,
      name,
      args,
      argsError: null,
      result,
      error,
      source: 'reported',
      turn: this.#turn,
      durationMs: 0,
    };
    this.#calls = [...this.#calls, call].slice(0, callsPerTestRun);
  }

  /** As whoever calls has named it, which goes on under its own id, however long that is. */
  #named({ id, name }: Pick<ToolRequest, 'id' | 'name'>): Pick<ToolRequest, 'id' | 'name'> {
    return { id: this.#kept(id, cutName), name: this.#kept(name, cutName) };
  }

  #kept<Text extends string | null>(text: Text, cut: (text: string) => string): Text | string {
    if (text === null) return text;
    const kept = cut(text);
    this.#isCut ||= kept !== text;
    return kept;
  }

  async #answer(request: ToolRequest, signal: AbortSignal): Promise<CallResult<ToolAnswer>> {
    const tool = this.#work.agent.tools.findLast(({ name }) => name === request.name);
    if (tool === undefined) return refused('unknown_tool', `There is no tool named ${request.name}`);
    if (request.argsError !== null) return refused('invalid_arguments', request.argsError);
    const { mocks, mockSettings } = this.#work.instrument;
    if (mockSettings.mode === 'live') return this.#goLive(request.name);
    const answer = answerFromMocks(mocks, this.#memory, {
      tool: request.name,
      args: request.args,
      variables: this.#work.resolvedVariables.values,
    });
    if (answer.kind === 'broken') return { ok: false, failure: finalFailure('mock', answer.message) };
    this.#memory = answer.memory;
    if (answer.kind === 'unmatched') return this.#answerUnmatched(request.name);
    if (answer.kind === 'simulate') return this.#play(tool, request.args, answer, signal);
    if (answer.delayMs > 0) await pause(answer.delayMs, signal);
    const { result, error, entry } = answer;
    return { ok: true, value: { result, error, source: 'mock', entry } };
  }

  /** What a model says in place of the tool. */
  async #play(
    tool: ToolDefinition,
    args: ToolRequest['args'],
    { memory, entry, simulation }: Extract<MockAnswer, { kind: 'simulate' }>,
    signal: AbortSignal,
  ): Promise<CallResult<ToolAnswer>> {
    const { state, simulated } = memory;
    const played = await this.#simulate({ tool, args, simulation, state, earlier: simulated }, signal);
    if (!played.ok) {
      this.#simulationFault = played.failure;
      return played;
    }
    const { key, result } = played.value;
    if (!this.#work.instrument.cassette?.some((known) => known.key === key)) {
      this.#recorded ??= new Map();
      this.#recorded.set(key, played.value);
    }
    // The agent's time may have run out meanwhile; the next try finds the answer recorded.
    signal.throwIfAborted();
    this.#memory = { ...memory, simulated: [...simulated, { tool: tool.name, args, result }] };
    return { ok: true, value: { result, error: null, source: 'mock', entry } };
  }

  /** The agent runs the tool itself, and reports under the id of the request what came of it. */
  #goLive(name: string): CallResult<ToolAnswer> {
    if (!runsOwnTools(this.#work.agent.driver)) {
      return refused(noLiveTool, `This agent has no live tool behind ${name}`);
    }
    return { ok: true, value: { result: null, error: null, source: 'live' } };
  }

  #answerUnmatched(name: string): CallResult<ToolAnswer> {
    const { mode, unmatched } = this.#work.instrument.mockSettings;
    if (mode === 'mixed') return this.#goLive(name);
    this.#unmatched = [...this.#unmatched, name];
    if (unmatched === 'invalid') return { ok: false, failure: finalFailure('mock', `No mock fits a call of ${name}`) };
    return refused('no_mock', `No mock fits this call of ${name}`);
  }
}

/** What is kept of a call that ends the test run; the agent is told nothing any more. */
const unanswered = ({ message }: CallFailure): ToolAnswer => ({
  ...errorAnswer('mock_fault', message),
  source: 'none',
});

function refused(code: string, message: string): CallResult<ToolAnswer> {
  return { ok: true, value: { ...errorAnswer(code, message), source: 'none' } };
}

function tooMany(what: string): CallResult<ToolCall> {
  return { ok: false, failure: finalFailure('limit', `The agent made more than ${what}`) };
}
