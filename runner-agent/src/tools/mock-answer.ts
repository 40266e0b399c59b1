import type { JsonValue } from '@proofmark/contracts/canonical-json';
import type { ToolCall } from '@proofmark/contracts/case-outcome';
import type { MockEntry, MockFault, MockSettings, MockSimulation } from '@proofmark/contracts/mocks';
import type { VariableValue } from '@proofmark/contracts/variables';
import { isObject, matchValue } from '../checks/match-value.ts';
import { type Found, fillTemplate, stepInto, type TemplateRoots } from '../drivers/fill-template.ts';
import type { SimulatedCall } from './simulate-tool.ts';

type Patch = MockEntry['set'][number];

/** The state after the entry's patches (JSON Patch add, replace, remove); the given state is never changed. */
function patchState(state: JsonValue, patches: readonly Patch[], roots: TemplateRoots): Found {
  if (patches.length === 0) return { ok: true, value: state };
  const next = structuredClone(state);
  for (const patch of patches) {
    const problem = apply(next, patch, roots);
    if (problem !== undefined) return { ok: false, missing: problem };
  }
  return { ok: true, value: next };
}

/** Changes the state in place; what is missing when it could not. */
function apply(state: JsonValue, patch: Patch, roots: TemplateRoots): string | undefined {
  if (patch.op !== 'remove' && patch.value === undefined) return `the value to ${patch.op}`;
  const keys = fillTemplate(patch.path.map(asTemplate), roots);
  if (!keys.ok) return keys.missing;
  const value = fillTemplate(patch.value ?? null, roots);
  if (!value.ok) return value.missing;
  const path = Array.isArray(keys.value) ? keys.value.map(asKey) : [];
  const parent = path.slice(0, -1).reduce<JsonValue | undefined>((at, key) => at && stepInto(at, key), state);
  const last = path.at(-1);
  const isChanged =
    last !== undefined && typeof parent === 'object' && parent !== null && change(parent, last, patch.op, value.value);
  return isChanged ? undefined : path.join('.');
}

function asTemplate(part: Patch['path'][number]): JsonValue {
  return typeof part === 'object' ? { $from: part.$from } : part;
}

function asKey(value: JsonValue): string | number {
  return typeof value === 'number' || typeof value === 'string' ? value : JSON.stringify(value);
}

/** False when there is nothing at the place that `replace` or `remove` means. */
function change(
  parent: JsonValue[] | { [key: string]: JsonValue },
  key: string | number,
  op: Patch['op'],
  value: JsonValue,
): boolean {
  if (op !== 'add' && stepInto(parent, key) === undefined) return false;
  if (Array.isArray(parent)) return changeList(parent, key, op, value);
  if (op === 'remove') delete parent[key];
  // Defining keeps `__proto__` an ordinary key.
  else Object.defineProperty(parent, key, { value, writable: true, enumerable: true, configurable: true });
  return true;
}

function changeList(list: JsonValue[], key: string | number, op: Patch['op'], value: JsonValue): boolean {
  const index = key === '-' ? list.length : positionOf(key);
  if (index > list.length) return false;
  list.splice(index, op === 'add' ? 0 : 1, ...(op === 'remove' ? [] : [value]));
  return true;
}

/** Beyond every list when the key is no position: `Number('')` would be the first one. */
function positionOf(key: string | number): number {
  return /^\d+$/.test(String(key)) ? Number(key) : Number.POSITIVE_INFINITY;
}

/** How often each entry was used and what the tools have changed so far: plain data, so that a turn can be put back. */
export interface MockMemory {
  readonly uses: readonly number[];
  readonly callsOfTool: ReadonlyMap<string, number>;
  readonly state: JsonValue;
  /** What simulated tools were asked and answered. */
  readonly simulated: readonly SimulatedCall[];
}

export type MockAnswer =
  | { kind: 'answer'; memory: MockMemory; entry: number; result: JsonValue; error: string | null; delayMs: number }
  /** A model has to answer; the state in `memory` is that after the call's changes. */
  | { kind: 'simulate'; memory: MockMemory; entry: number; simulation: MockSimulation }
  | { kind: 'unmatched'; memory: MockMemory }
  | { kind: 'broken'; message: string };

interface MockQuestion {
  tool: string;
  args: ToolCall['args'];
  variables: Readonly<Record<string, VariableValue>>;
}

const noCalls: ReadonlyMap<string, number> = new Map();

export function freshMemory(mocks: readonly MockEntry[], settings: MockSettings): MockMemory {
  return { uses: mocks.map(() => 0), callsOfTool: noCalls, state: settings.state, simulated: [] };
}

/** What the first entry that still fits says, and the memory afterwards. A template that leads nowhere is the mock's fault. */
export function answerFromMocks(mocks: readonly MockEntry[], memory: MockMemory, question: MockQuestion): MockAnswer {
  const call = (memory.callsOfTool.get(question.tool) ?? 0) + 1;
  const callsOfTool = new Map(memory.callsOfTool).set(question.tool, call);
  const index = mocks.findIndex((entry, at) => fits(entry, memory.uses[at] ?? 0, question));
  const entry = mocks[index];
  if (!entry) return { kind: 'unmatched', memory: { ...memory, callsOfTool } };

  const roots = {
    args: question.args,
    state: memory.state,
    previous: memory.state,
    variables: question.variables,
    call,
  };
  const used = memory.uses[index] ?? 0;
  const step = entry.sequence?.[used] ?? entry;
  const state = patchState(memory.state, doesItsWork(step) ? entry.set : [], roots);
  if (!state.ok) return broken(entry, index, state.missing);
  const after = { ...memory, uses: memory.uses.with(index, used + 1), callsOfTool, state: state.value };
  if (entry.simulate) return { kind: 'simulate', entry: index, memory: after, simulation: entry.simulate };
  const returns = fillTemplate(step.returns ?? null, { ...roots, state: state.value });
  if (!returns.ok) return broken(entry, index, returns.missing);
  return { kind: 'answer', entry: index, memory: after, ...answerOfStep(step.fault, returns.value) };
}

/** Positions of the entries that no call has used. */
export function unusedEntries({ uses }: MockMemory): number[] {
  return [...uses.entries()].flatMap(([index, used]) => (used === 0 ? [index] : []));
}

function fits(entry: MockEntry, used: number, { tool, args }: MockQuestion): boolean {
  if (entry.tool !== tool || used >= usesOf(entry)) return false;
  return entry.when === undefined || (isObject(args) && matchValue(entry.when, args));
}

function usesOf(entry: MockEntry): number {
  if (entry.sequence) return entry.sequence.length;
  return entry.times === 'always' ? Number.POSITIVE_INFINITY : entry.times;
}

/** A tool that fails changes nothing; one that is merely slow does. */
function doesItsWork({ fault }: Pick<MockEntry, 'fault'>): boolean {
  return fault === undefined || fault.kind === 'slow';
}

type StepAnswer = Pick<Extract<MockAnswer, { kind: 'answer' }>, 'result' | 'error' | 'delayMs'>;

function answerOfStep(fault: MockFault | undefined, returns: JsonValue): StepAnswer {
  return fault ? faultAnswer(fault, returns) : { result: returns, error: null, delayMs: 0 };
}

function faultAnswer(fault: MockFault, returns: JsonValue): StepAnswer {
  const delayMs = fault.delay_ms ?? 0;
  switch (fault.kind) {
    case 'slow':
      return { result: returns, error: null, delayMs };
    case 'empty':
      return { result: null, error: null, delayMs };
    case 'malformed':
      return { result: fault.message ?? '{"broken": ', error: null, delayMs };
    case 'timeout':
      return { ...errorAnswer('timeout', fault.message ?? 'The tool did not answer in time'), delayMs };
    case 'http_error':
      return {
        ...errorAnswer(
          `http_${fault.status ?? 500}`,
          fault.message ?? `The tool answered with status ${fault.status ?? 500}`,
        ),
        delayMs,
      };
  }
}

/** The object an agent gets instead of a result. */
export function errorAnswer(code: string, message: string): { result: JsonValue; error: string } {
  return { result: { error: { code, message } }, error: `${code}: ${message}` };
}

function broken(entry: MockEntry, index: number, missing: string): MockAnswer {
  const place = `The mock of ${entry.tool} (mocks.${index})`;
  return { kind: 'broken', message: `${place} refers to ${missing}, which does not exist` };
}
