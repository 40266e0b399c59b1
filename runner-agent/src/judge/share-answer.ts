import type { ToolCall } from '@proofmark/contracts/case-outcome';
import { contentHash } from '@proofmark/contracts/content-hash';
import { unlessAborted } from '@proofmark/process/pause';
import type { ModelPort } from '../models/model-port.ts';
import { anyPlace, type Place } from '../retry/case-place.ts';
import type { Tried } from '../retry/try-again.ts';
import { unmetered } from './meter-models.ts';

/** More than the different questions of most runs. */
const mostAnswers = 5_000;
/** Of all answers as JSON: 16 million characters, however long a model talks. */
const mostCharacters = 16_000_000;

interface Known {
  asked: Promise<Tried<unknown>>;
  /** 0 while it is under way. */
  characters: number;
}

/** Answers by question, those under way included; the one that was used longest ago is forgotten first, and asked again if it comes back. */
class KnownAnswers {
  readonly #known = new Map<string, Known>();
  #characters = 0;

  get(question: string): Promise<Tried<unknown>> | undefined {
    const found = this.#known.get(question);
    if (found === undefined) return undefined;
    this.#known.delete(question);
    this.#known.set(question, found);
    return found.asked;
  }

  /** Whether nobody has to wait for it. */
  isThere(question: string): boolean {
    return (this.#known.get(question)?.characters ?? 0) > 0;
  }

  /** Begins to remember an answer that is under way. */
  begin(question: string, asked: Promise<Tried<unknown>>): void {
    this.#forget(question);
    this.#known.set(question, { asked, characters: 0 });
    this.#forgetOldest();
  }

  /** It is there: from now on its length counts. */
  keep(question: string, asked: Promise<Tried<unknown>>, value: unknown): void {
    const found = this.#known.get(question);
    if (found?.asked !== asked) return;
    found.characters = JSON.stringify(value)?.length ?? 0;
    this.#characters += found.characters;
    this.#forgetOldest();
  }

  /** It never came, or is of no use to others. */
  drop(question: string, asked: Promise<Tried<unknown>>): void {
    if (this.#known.get(question)?.asked === asked) this.#forget(question);
  }

  #forgetOldest(): void {
    for (const question of this.#known.keys()) {
      if (this.#known.size <= mostAnswers && this.#characters <= mostCharacters) return;
      this.#forget(question);
    }
  }

  #forget(question: string): void {
    this.#characters -= this.#known.get(question)?.characters ?? 0;
    this.#known.delete(question);
  }
}

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
