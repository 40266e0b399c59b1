import type { ToolCall } from '@proofmark/contracts/case-outcome';
import { contentHash } from '@proofmark/contracts/content-hash';
import type { ModelPort } from '../models/model-port.ts';
import { unlessAborted } from '../retry/pause.ts';
import type { Tried } from '../retry/try-again.ts';
import { anyPlace, type Place } from '../slots/case-place.ts';
import { KnownAnswers } from './known-answers.ts';
import { unmetered } from './meter-models.ts';

const known = new WeakMap<ModelPort, KnownAnswers>();

/**
 * The answer to a measuring question, asked once per run and process however many test runs have the same answer to judge.
 * Only answers are shared: after a failure each test run asks for itself. Models that outlive the case remember them.
 */
export async function shareAnswer<T>(
  { models, signal, place = anyPlace }: { models: ModelPort; signal: AbortSignal; place?: Place | undefined },
  question: object,
  ask: () => Promise<Tried<T>>,
): Promise<Tried<T>> {
  const answers = answersOf(unmetered(models));
  const id = contentHash(question);
  const earlier = answers.get(id);
  if (earlier !== undefined) {
    // Without a slot: whoever asks may be waiting for one.
    const answered = await (answers.isThere(id)
      ? answerOf(earlier, signal)
      : place.aside(() => answerOf(earlier, signal), signal));
    // Equal questions have answers of one type.
    if (answered?.ok) return { ...(answered as Extract<Tried<T>, { ok: true }>), retryCount: 0 };
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
const answerOf = (answer: Promise<Tried<unknown>>, signal: AbortSignal): Promise<Tried<unknown> | undefined> => {
  const unlessGivenUp = answer.catch(() => undefined); // its own case hears why
  return unlessAborted(unlessGivenUp, signal);
};
