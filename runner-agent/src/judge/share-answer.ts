import type { ToolCall } from '@proofmark/contracts/case-outcome';
import { contentHash } from '@proofmark/contracts/content-hash';
import type { ModelPort } from '../models/model-port.ts';
import type { Tried } from '../retry/try-again.ts';
import { unmetered } from './meter-models.ts';

/** More than the different questions of most runs; the oldest is forgotten, and asked again if it comes back. */
const mostAnswers = 5_000;

type Answers = Map<string, Promise<Tried<unknown>>>;
const known = new WeakMap<ModelPort, Answers>();

/**
 * The answer to a measuring question, asked once per run and process however many test runs have the same answer to judge.
 * Only answers are shared: after a failure each test run asks for itself. Models that outlive the case remember them.
 */
export async function shareAnswer<T>(
  { models, signal }: { models: ModelPort; signal: AbortSignal },
  question: object,
  ask: () => Promise<Tried<T>>,
): Promise<Tried<T>> {
  const answers = answersOf(unmetered(models));
  const id = contentHash(question);
  const earlier = answers.get(id) as Promise<Tried<T>> | undefined; // equal questions have answers of one type
  if (earlier !== undefined) {
    const answered = await unlessAborted(earlier, signal);
    if (answered?.ok) return { ...answered, retryCount: 0 };
  }
  const asked = ask();
  answers.set(id, asked);
  const [oldest] = answers.keys();
  if (answers.size > mostAnswers && oldest !== undefined) answers.delete(oldest);
  let isKept = false;
  try {
    const tried = await asked;
    isKept = tried.ok;
    return tried;
  } finally {
    if (!isKept && answers.get(id) === asked) answers.delete(id);
  }
}

/** What of tool calls a judge sees: neither their ids nor their times. */
export const judgedCalls = (calls: readonly ToolCall[]) =>
  calls.map(({ name, args, argsError, result, error }) => ({ name, args, argsError, result, error }));

function answersOf(models: ModelPort): Answers {
  const answers = known.get(models) ?? new Map<string, Promise<Tried<unknown>>>();
  known.set(models, answers);
  return answers;
}

/** Undefined when the other one was given up; rejects when this one is. */
function unlessAborted<T>(other: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    other.then(resolve, () => resolve(undefined)).finally(() => signal.removeEventListener('abort', stop));
  });
}
