import type { JsonValue } from '@proofmark/contracts/canonical-json';
import type { CaseWork } from '@proofmark/contracts/case-work';
import type { CassetteEntry } from '@proofmark/contracts/cassette';
import { contentHash } from '@proofmark/contracts/content-hash';
import { compileJsonSchema } from '@proofmark/contracts/json-schema';
import type { MockSimulation } from '@proofmark/contracts/mocks';
import { z } from 'zod';
import type { CaseContext } from '../case/case-state.ts';
import { measuringCall } from '../checks/measuring-call.ts';
import { askStructured } from '../judge/ask-structured.ts';
import { markData } from '../judge/data-blocks.ts';
import { shareAnswer } from '../judge/share-answer.ts';
import { parseWholeJson } from '../judge/whole-json.ts';
import { badAnswer } from '../models/bad-answer.ts';
import type { CallResult, ChatRequest } from '../models/model-port.ts';
import { finalFailure } from '../retry/call-failure.ts';
import type { Tried } from '../retry/try-again.ts';
import type { TrySignal } from '../retry/try-scope.ts';
import { sanitizeForStorage } from '../sanitize-for-storage.ts';
import { placeWithin } from '../slots/case-place.ts';
import type { SimulatedQuestion, SimulateTool } from './simulated-call.ts';
import { simulationData, simulationRole, simulationRules, simulationSchema } from './simulation-template.ts';

const outputTokens = 8_000;
const mostCharacters = 20_000;
const Answer = z.strictObject({ result_json: z.string() });

/** The key of an answer: equal for equal calls after equal calls, whoever asks. Null without a model. */
function simulationKey({ instrument }: Pick<CaseWork, 'instrument'>, question: SimulatedQuestion): string | null {
  const settings = instrument.simulator?.model;
  if (settings === undefined) return null;
  const { provider, model, base_url } = settings;
  const { tool, args, simulation, state, earlier } = question;
  return contentHash({ model: { provider, model, base_url }, tool: tool.name, args, simulation, state, earlier });
}

/**
 * Answers in place of tools: what is recorded, else what the simulator's model says, once per run. A model that gives no
 * usable answer is a fault of the mock, never of the agent.
 */
export function toolSimulator(context: Omit<CaseContext, 'tools'>): SimulateTool {
  const { work } = context;
  const { cassette = [], mockSettings } = work.instrument;
  const recorded = new Map(cassette.map((entry) => [entry.key, entry]));
  return async (question, asking) => {
    const { name } = question.tool;
    const key = simulationKey(work, question);
    if (key === null) return broken(name, 'the suite has no `simulator`');
    const committed = recorded.get(key);
    if (committed !== undefined) return { ok: true, value: inOneOrder(committed) };
    if (mockSettings.cassette_mode === 'replay_only') return broken(name, 'the cassette has no answer to this call');
    const heard = await hearOnce(key, question, within(asking, context));
    return heard.ok ? { ok: true, value: inOneOrder(heard.value) } : broken(name, heard.failure.message);
  };
}

/** The simulator is asked while the agent's try is under way: what the one waits, the other does. */
const within = (asking: TrySignal, { ports, ...context }: Omit<CaseContext, 'tools'>) => ({
  ...context,
  ports: { ...ports, place: placeWithin(asking) },
});

/** Where answers are stored their keys lose the order they had, and an agent reads them as text. */
const inOneOrder = (entry: CassetteEntry): CassetteEntry => ({ ...entry, result: sorted(entry.result) });

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const byKey = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(byKey.map(([key, part]) => [key, sorted(part)]));
}

/** The answer that counts in this run, for all test runs of this process that ask the same at this time. */
async function hearOnce(
  key: string,
  question: SimulatedQuestion,
  context: Omit<CaseContext, 'tools'>,
): Promise<CallResult<CassetteEntry>> {
  const { work, ports, signal } = context;
  try {
    return await shareAnswer<CassetteEntry>({ ...ports, signal }, { simulates: key }, () =>
      findOrAsk(key, question, context),
    );
  } catch (error) {
    if (!signal.aborted) throw error;
    const message = `the test run took longer than ${work.limits.caseTimeoutMs} ms, waiting for it`;
    return { ok: false, failure: finalFailure('mock', message) };
  }
}

/** Recorded before the agent hears it: another process may have been faster, and then its answer is the one. */
async function findOrAsk(
  key: string,
  question: SimulatedQuestion,
  context: Omit<CaseContext, 'tools'>,
): Promise<Tried<CassetteEntry>> {
  const { ports, signal } = context;
  const found = await ports.cassette?.find(key, signal);
  if (found?.ok === false) return { ...found, retryCount: 0 };
  if (found?.value !== undefined) return { ok: true, value: found.value, latencyMs: 0, retryCount: 0 };
  const answered = await measuringCall(context, (trySignal) => ask(question, context, trySignal));
  if (!answered.ok) return answered;
  const entry = { key, tool: question.tool.name, args: question.args, result: answered.value };
  const kept = await ports.cassette?.keep(sanitizeForStorage(entry).value, signal);
  if (kept?.ok === false) return { ...kept, retryCount: answered.retryCount };
  return { ...answered, value: kept?.value ?? entry };
}

const broken = (tool: string, why: string): CallResult<never> => ({
  ok: false,
  failure: finalFailure('mock', `The simulated tool ${tool} gave no answer: ${why}`),
});

async function ask(
  question: SimulatedQuestion,
  { work, ports }: Omit<CaseContext, 'tools'>,
  signal: AbortSignal,
): Promise<CallResult<JsonValue>> {
  const settings = work.instrument.simulator?.model;
  if (settings === undefined) throw new Error('A simulated tool has no model');
  const model = { ...settings, temperature: 0 };
  const request = simulationRequest(question, ports.random);
  const answered = await askStructured(ports.models, { model, request, shape: Answer, who: 'The simulator' }, signal);
  if (!answered.ok) return answered;
  return readResult(answered.value.value.result_json, question.simulation);
}

function readResult(text: string, { schema }: MockSimulation): CallResult<JsonValue> {
  if (text.length > mostCharacters) return badAnswer(`its answer has more than ${mostCharacters} characters`);
  const json = z.json().safeParse(parseWholeJson(text));
  if (!json.success) return badAnswer('its answer is not JSON');
  const compiled = schema === undefined ? undefined : compileJsonSchema(schema);
  if (compiled !== undefined && !compiled.ok) return { ok: false, failure: finalFailure('mock', compiled.message) };
  if (compiled?.accepts(json.data) === false) return badAnswer('its answer does not fit the schema');
  // Stored as it is told, so that the calls after it have the same keys in a replay.
  return { ok: true, value: sanitizeForStorage(json.data).value };
}

function simulationRequest(
  { tool, args, simulation, state, earlier }: SimulatedQuestion,
  random: () => number,
): ChatRequest {
  const { instructions, schema } = simulation;
  const blocks = [
    { title: 'The tool', text: JSON.stringify(tool) },
    { title: 'Behaviour of the tool', text: instructions },
    ...(schema === undefined ? [] : [{ title: 'JSON Schema of its result', text: JSON.stringify(schema) }]),
    { title: 'State', text: JSON.stringify(state) },
    { title: 'Earlier calls of simulated tools', text: JSON.stringify(earlier) },
    { title: 'Arguments of this call', text: JSON.stringify(args) },
  ];
  const data = markData(blocks, random, simulationData);
  return {
    messages: [
      { role: 'system', content: [simulationRole, data.rule, simulationRules].join('\n\n') },
      { role: 'user', content: `${data.text}\n\n${simulationRules}` },
    ],
    temperature: 0,
    maxTokens: outputTokens,
    schema: simulationSchema,
  };
}
