import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { Product } from '../../tests/stack/product.ts';
import { ask } from './stack.ts';

export interface RunSize {
  cases: number;
  /** The number of its first case; cases of other numbers are other cases. */
  from?: number;
  repetitions?: number;
  /** What the model may be asked at a time; absent: anything. */
  limits?: object;
}

const casesPerSuite = 1500;
const askEveryMs = 200;

/** As few suites as the limits of a file allow. */
function suiteFiles(cases: number, from: number): { path: string; text: string }[] {
  return Array.from({ length: Math.ceil(cases / casesPerSuite) }, (_, suite) => {
    const first = suite * casesPerSuite;
    const ofSuite = Array.from({ length: Math.min(casesPerSuite, cases - first) }, (_none, at) => ({
      name: `Case ${from + first + at}`,
      input: `When are you open on day ${from + first + at}?`,
      expected_behavior: { checks: [{ type: 'contains_phrases', phrases: ['17'] }] },
    }));
    const agent = { name: 'Shop', instructions: 'You answer questions of customers of a small shop.' };
    const text = JSON.stringify({ name: `Suite ${from} ${suite}`, agent, cases: ofSuite });
    return { path: `evals/${String(suite).padStart(3, '0')}.suite.json`, text };
  });
}

const Started = z.object({ startRun: z.object({ run: z.object({ id: z.string() }) }) });
const startText = `mutation ($input: StartRunInput!) { startRun(input: $input) {
  __typename ... on StartRunSuccess { run { id } } ... on UserError { code message }
  ... on InvalidDefinitions { problems { message } } } }`;

/** Answers after which every client asks again. */
const late: ReadonlySet<string> = new Set(['TIMEOUT', 'UNAVAILABLE']);

export interface StartedRun {
  runId: string;
  /** When the request left and when its answer was there, on the clock of the machine. */
  askedMs: number;
  answeredMs: number;
  /** How often it was answered that it takes too long or cannot be done now, and asked again. */
  lateAnswers: number;
}

/** Starts a run of single-turn cases with one check each. Asks again, as every client does, where the answer takes too long. */
export async function startLargeRun(
  product: Product,
  { cases, from = 0, repetitions = 1, limits }: RunSize,
): Promise<StartedRun> {
  const suites = suiteFiles(cases, from);
  const project = { ai_configurations: { bare: { provider: 'openai', model: 'bare-model', limits } } };
  const input = {
    ...{ idempotencyKey: randomUUID(), trigger: { triggeredBy: 'API' }, repetitions },
    files: [{ path: 'proofmark.json', text: JSON.stringify(project) }, ...suites],
    ...{ projectPath: 'proofmark.json', suitePaths: suites.map(({ path }) => path) },
  };
  const askedMs = Date.now();
  for (let lateAnswers = 0; lateAnswers < 20; lateAnswers += 1) {
    const { data, errors } = await ask(product, startText, { input });
    const started = Started.safeParse(data);
    if (started.success) return { runId: started.data.startRun.run.id, askedMs, answeredMs: Date.now(), lateAnswers };
    if (!late.has(errors?.[0]?.extensions?.code ?? ''))
      throw new Error(JSON.stringify({ data, errors }).slice(0, 2000));
  }
  throw new Error('startRun took too long each time');
}

const State = z.object({
  run: z.object({
    ...{ status: z.string(), totalCases: z.int(), passedCases: z.int(), failedCases: z.int() },
    ...{ skippedCases: z.int(), openCases: z.int() },
  }),
});
export type RunState = z.infer<typeof State>['run'];

export async function stateOf(product: Product, id: string): Promise<RunState> {
  for (;;) {
    const { data, errors } = await ask(
      product,
      'query ($id: UUID!) { run(id: $id) { status totalCases passedCases failedCases skippedCases openCases } }',
      { id },
    );
    const state = State.safeParse(data);
    if (state.success) return state.data.run;
    if (!late.has(errors?.[0]?.extensions?.code ?? '')) throw new Error(JSON.stringify({ data, errors }));
  }
}

/** Resolves when the run is judged; rejects unless each of its test runs has passed. Every question costs the coordinator something, too. */
export async function waitForEnd(product: Product, id: string, withinMs: number, everyMs = askEveryMs): Promise<void> {
  for (const late = performance.now() + withinMs; performance.now() < late; await pause(everyMs)) {
    const run = await stateOf(product, id);
    if (run.status === 'PENDING' || run.status === 'RUNNING') continue;
    if (run.status === 'COMPLETED' && run.passedCases === run.totalCases) return;
    throw new Error(`The run ended as ${JSON.stringify(run)}:\n${product.coordinator.log()}`);
  }
  throw new Error(`The run did not end in ${withinMs} ms:\n${product.coordinator.log()}`);
}

export async function cancelRun(product: Product, id: string): Promise<void> {
  const { data, errors } = await ask(product, 'mutation ($id: UUID!) { cancelRun(id: $id) { __typename } }', { id });
  if (errors !== undefined) throw new Error(JSON.stringify({ data, errors }));
}
