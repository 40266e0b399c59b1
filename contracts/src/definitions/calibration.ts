import { z } from 'zod';
import { refusal, VisibleText } from './texts.ts';

/** Fewer labels say too little about a judge. */
export const leastLabels = 30;
/** So many at least of each of the two. */
export const leastOfEach = 10;

const Label = z.enum(['passed', 'failed']);

const LabelledTurn = z.strictObject({ role: z.enum(['user', 'agent']), text: z.string() });

/** An answer, or a conversation, of which a person said whether it meets a criterion. */
export const LabelledAnswer = z
  .strictObject({
    response: VisibleText.optional(),
    transcript: z
      .array(LabelledTurn)
      .refine(
        (turns) => turns.some(({ role, text }) => role === 'agent' && text.trim() !== ''),
        refusal('invalid_value', 'must have a turn in which the agent says something'),
      )
      .optional(),
    criterion: VisibleText,
    label: Label,
  })
  .refine(
    ({ response, transcript }) => response !== undefined || transcript !== undefined,
    refusal('required', 'needs `response` or `transcript`'),
  )
  .refine(
    ({ response, transcript }) => response === undefined || transcript === undefined,
    refusal('exclusive', '`response` and `transcript` exclude each other'),
  );
export type LabelledAnswer = z.infer<typeof LabelledAnswer>;

/** A labelled answer and the line of the file on which it stands. */
export interface LabelledLine {
  line: number;
  answer: LabelledAnswer;
}

/** Labelled answers to measure a suite's judge with. */
export interface Calibration {
  /** From the root of the repository. */
  path: string;
  answers: readonly LabelledLine[];
  /** Equal for equal answers and labels. */
  digest: string;
}
