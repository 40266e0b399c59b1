import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ABSession } from '@proofmark/contracts/ab-session';
import type { RunRequest } from '@proofmark/domain/plan-run';
import { pause } from '@proofmark/process/pause';
import type { CasePorts } from '@proofmark/runner-agent/run-case';
import { collectDefinitions } from '../definitions/collect-definitions.ts';
import { scratchRepository } from '../scratch-repository.fixture.ts';
import { AbPair, AbSettings, type ComparisonStore, comparisonStore } from './comparison-store.ts';
import { type PairsInput, planPairs, startComparison } from './open-comparison.ts';
import { type PairFinished, runComparison } from './run-comparison.ts';

/** What a model does with one call: answer after some time, fail, or never answer. */
interface ModelTurn {
  delayMs?: number;
  text?: string;
  fails?: string;
  /** Class of the failure. */
  errorClass?: 'ServerError' | 'AuthenticationError';
  /** Whether the failure may pass; true unless said otherwise. */
  isTransient?: boolean;
  hangs?: boolean;
}

export interface ModelCall {
  model: string;
  question: string;
  startMs: number;
  endMs: number;
}

type Models = CasePorts['models'];
type Time = Pick<CasePorts, 'clock' | 'pause'>;

const realTime: Time = { clock: { now: () => new Date(), monotonicMs: () => performance.now() }, pause };

/** Time that passes only while somebody pauses: to the next end of a pause, once nothing else is to be done. */
export function countedTime(): Time {
  let nowMs = 0;
  const pauses: { endMs: number; end: () => void }[] = [];
  const passToNext = () => {
    const next = pauses.toSorted((a, b) => a.endMs - b.endMs)[0];
    if (next === undefined) return;
    pauses.splice(pauses.indexOf(next), 1);
    nowMs = next.endMs;
    next.end();
  };
  return {
    clock: { now: () => new Date(Date.UTC(2026, 0, 1) + nowMs), monotonicMs: () => nowMs },
    pause: (ms) =>
      new Promise((resolve) => {
        pauses.push({ endMs: nowMs + ms, end: resolve });
        setImmediate(passToNext);
      }),
  };
}

/** Models that follow a script, and the log of what they were asked. `turn` gets how often this model was called before. */
export function scriptedModels(
  turn: (model: string, earlier: number) => ModelTurn,
  { clock, pause: wait }: Time = realTime,
): {
  models: Models;
  calls: ModelCall[];
} {
  const calls: ModelCall[] = [];
  const chat: Models['chat'] = async ({ model }, { messages }, signal) => {
    const {
      delayMs = 0,
      text = `${model} says`,
      fails,
      errorClass,
      isTransient = true,
      hangs = false,
    } = turn(model, calls.filter((call) => call.model === model).length);
    const question = messages.at(-1)?.content ?? '';
    const call = { model, question, startMs: clock.monotonicMs(), endMs: Number.POSITIVE_INFINITY };
    calls.push(call);
    if (delayMs > 0 || hangs) await wait(hangs ? 60_000 : delayMs, signal);
    call.endMs = clock.monotonicMs();
    if (fails !== undefined) {
      return {
        ok: false,
        failure: {
          ...{ kind: 'agent', message: fails, retryable: isTransient, retryAfterMs: null },
          ...(errorClass === undefined ? {} : { errorClass }),
        },
      };
    }
    const usage = { promptTokens: 60, completionTokens: text.length };
    return { ok: true, value: { text, calls: [], usage, model: `${model}-2026`, flags: [] } };
  };
  const embed: Models['embed'] = () => Promise.reject(new Error('Nothing is embedded here'));
  return { models: { chat, embed }, calls };
}

export function portsOf(models: Models, more: Partial<CasePorts> = {}): CasePorts {
  return {
    models,
    ...realTime,
    random: () => 0,
    ...more,
  };
}

const request: RunRequest = {
  variables: {},
  assignments: [],
  preset: null,
  matrix: {},
  matrixAssignments: [],
  cases: [],
  tags: [],
  difficulty: null,
  repetitions: null,
  compared: false,
  variants: ['head'],
};

const project = `ai_configurations:
  alpha: { provider: openai, model: alpha }
  beta: { provider: openai, model: beta }
presets: { second: { AIConfiguration: beta } }
`;

export const abSuite = (cases: readonly string[]): string =>
  `name: Questions
agent: { name: Agent, instructions: Answer., ai_configuration: alpha }
cases:
${cases
  .map(
    (name) =>
      `  - { name: "${name}", input: "${name}?", difficulty: hard, tags: [short], expected_behavior: { checks: [{ type: contains_phrases, phrases: ["alpha"] }] } }\n`,
  )
  .join('')}`;

/** The pairs of a suite, model alpha against model beta unless something else is said. */
export async function pairsOf(
  cases: readonly string[],
  { suite = abSuite(cases), ...parts }: Partial<Omit<PairsInput, 'definitions'>> & { suite?: string } = {},
): Promise<ReturnType<typeof planPairs>> {
  await using repository = await scratchRepository({ 'proofmark.yaml': project, 'x.suite.yaml': suite });
  const { definitions } = collectDefinitions({ root: repository.root });
  return planPairs({
    definitions,
    request,
    baseline: { assignments: [], preset: null },
    candidate: { assignments: [{ name: 'AIConfiguration', text: 'beta' }], preset: null },
    runSeed: 'seed',
    ...parts,
  });
}

/** A folder for results, which disappears with its owner. */
export async function resultsFolder(): Promise<AsyncDisposable & { path: string; store: ComparisonStore }> {
  const path = await mkdtemp(join(tmpdir(), 'proofmark-ab-'));
  return {
    path,
    store: comparisonStore(path),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

interface AbStory {
  questions?: readonly string[];
  timeoutMs?: number;
  settings?: Partial<AbSettings>;
  turn?: (model: string, earlier: number) => ModelTurn;
  /** Absent: the time of the machine. */
  time?: Time;
  onPair?: (event: PairFinished) => void;
  signal?: AbortSignal;
  store?: ComparisonStore;
}

/** Runs one comparison from beginning to end with scripted models. */
export async function runStory({
  questions = ['One'],
  timeoutMs,
  settings = {},
  turn = () => ({}),
  time = realTime,
  ...rest
}: AbStory = {}): Promise<{ comparison: ABSession; calls: ModelCall[] }> {
  const planned = await pairsOf(questions, timeoutMs === undefined ? {} : { timeoutMs });
  if (!planned.ok) throw new Error(JSON.stringify(planned.problems));
  await using folder = await resultsFolder();
  const store = rest.store ?? folder.store;
  const opened = await startComparison(store, {
    comparisonId: 's-1',
    pairs: planned.pairs.map((pair) => AbPair.parse(pair)),
    // What is asked besides the questions is the affair of its own tests.
    settings: AbSettings.parse({ warm_up: false, ...settings }),
    sourcePath: 'agents/new.agent.yaml',
    environment: { os: 'linux', node: 'v24' },
    notes: 'a note',
    now: new Date(),
  });
  if (!opened.ok) throw new Error(opened.reason);
  const { models, calls } = scriptedModels(turn, time);
  const comparison = await runComparison({
    store,
    comparison: opened.comparison,
    plan: opened.plan,
    ports: portsOf(models, time),
    ...(rest.onPair && { onPair: rest.onPair }),
    signal: rest.signal ?? new AbortController().signal,
  });
  return { comparison, calls };
}
