import type { Tried } from '../retry/try-again.ts';

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
export class KnownAnswers {
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
