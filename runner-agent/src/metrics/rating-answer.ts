import { z } from 'zod';

export interface ScoreRange {
  min: number;
  max: number;
}

const scoreKeys = { reasoning: z.string().default('') };

/** The answer of a model that rates: a whole number on the scale, or that there is nothing to rate. */
export function ratingAnswer({ min, max }: ScoreRange) {
  return z.union([
    z.strictObject({ ...scoreKeys, score: z.int().min(min).max(max), status: z.literal('scored').default('scored') }),
    z.strictObject({ ...scoreKeys, score: z.unknown().optional(), status: z.literal('not_applicable') }),
  ]);
}

/** The same as a JSON Schema for structured output; reasoning stands before the score so that it is written first. */
export const ratingSchema = {
  name: 'rating',
  schema: {
    type: 'object',
    properties: {
      reasoning: { type: 'string' },
      score: { type: ['integer', 'null'] },
      status: { type: 'string', enum: ['scored', 'not_applicable'] },
    },
    required: ['reasoning', 'score', 'status'],
    additionalProperties: false,
  },
};

/** The rules for the answer, said in the system message and once more after the data. */
export function ratingRules({ min, max }: ScoreRange): string {
  return [
    'Answer with one JSON object and nothing else: {"reasoning": "one or two sentences", "score": number or null, "status": "scored" or "not_applicable"}.',
    `The score is a whole number from ${min} to ${max}. Reason briefly, then score. Use "not_applicable" with a null score only when there is nothing to rate.`,
  ].join('\n');
}
