import type { z } from 'zod';

/** Asks the product one kind of question: input as it stands in the file, answer in the words of the file. */
export type Adapter = (input: unknown) => unknown;

/** Adapters by kind. */
export type Adapters = ReadonlyMap<string, Adapter>;

/** An adapter that unpacks its input by a schema; what does not fit throws, which fails the vector. */
export function adapter<Schema extends z.ZodType>(
  schema: Schema,
  answer: (input: z.infer<Schema>) => unknown,
): Adapter {
  return (input) => answer(schema.parse(input));
}
