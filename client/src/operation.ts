import type { z } from 'zod';

/** One request to the coordinator: its text, and the shape that its answer must have. */
export interface Operation<Variables, Answer> {
  name: string;
  text: string;
  answer: z.ZodType<Answer>;
  /** Only in the type: what the text declares. */
  readonly variables?: Variables;
}

export function operation<Variables>() {
  return <Answer>(name: string, text: string, answer: z.ZodType<Answer>): Operation<Variables, Answer> => ({
    name,
    text,
    answer,
  });
}
