/** How far a number may be from the expected one: either limit suffices. */
export type Tolerance = {
  readonly relative: number;
  readonly absolute: number;
  /** Absolute limits of single fields, by name. */
  readonly byField?: Readonly<Record<string, number>>;
};

/** One example: what the product is asked and what it must answer. */
export type Vector = {
  readonly file: string;
  readonly name: string;
  readonly kind: string;
  readonly input: unknown;
  readonly expected: unknown;
  readonly tolerance: Tolerance;
};

/** The README's rule; the tiny absolute part is for a 0 that rounding missed. */
export const usualTolerance: Tolerance = { relative: 1e-9, absolute: 1e-12 };

export const vectorTitle = ({ file, name }: Pick<Vector, 'file' | 'name'>) => `${file} / ${name}`;
