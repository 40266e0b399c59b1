import type { ToolCall } from '@proofmark/contracts/case-outcome';
import { contentHash } from '@proofmark/contracts/content-hash';
import type { ModelPort } from '../models/model-port.ts';
import type { Tried } from '../retry/try-again.ts';
import { KnownAnswers } from './known-answers.ts';
import { unmetered } from './meter-models.ts';

const known = new WeakMap<ModelPort, KnownAnswers>();

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
  answers.begin(id, asked);
  try {
    const tried = await asked;
    if (tried.ok) answers.keep(id, asked, tried.value);
    else answers.drop(id, asked);
    return tried;
  } catch (error) {
    answers.drop(id, asked);
    throw error;
  }
}

/** What of tool calls a judge sees: neither their ids nor their times. */
export const judgedCalls = (calls: readonly ToolCall[]) =>
  calls.map(({ name, args, argsError, result, error }) => ({ name, args, argsError, result, error }));

function answersOf(models: ModelPort): KnownAnswers {
  const answers = known.get(models) ?? new KnownAnswers();
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
