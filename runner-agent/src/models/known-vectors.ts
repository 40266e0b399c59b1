/** Numbers that are remembered per model, 16 MB. */
const mostNumbers = 2_000_000;

/** Vectors by text; the one that was used longest ago is forgotten first. */
export class KnownVectors {
  readonly #vectors = new Map<string, number[]>();
  #numbers = 0;

  has(text: string): boolean {
    return this.#vectors.has(text);
  }

  get(text: string): number[] | undefined {
    const vector = this.#vectors.get(text);
    if (vector === undefined) return undefined;
    this.#vectors.delete(text);
    this.#vectors.set(text, vector);
    return vector;
  }

  add(text: string, vector: number[] | undefined): void {
    if (vector === undefined || this.#vectors.has(text)) return;
    this.#vectors.set(text, vector);
    this.#numbers += vector.length;
    for (const [oldest, { length }] of this.#vectors) {
      if (this.#numbers <= mostNumbers) return;
      this.#vectors.delete(oldest);
      this.#numbers -= length;
    }
  }
}
