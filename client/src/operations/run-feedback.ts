import { z } from 'zod';
import { operation } from '../operation.ts';
import { AnsweredAnnotation } from './annotation.ts';
import { AnsweredConclusion } from './words.ts';

const Check = z
  .looseObject({
    name: z.string(),
    externalId: z.string(),
    onlyAfterRed: z.boolean(),
    conclusion: AnsweredConclusion.nullable(),
    title: z.string(),
    summary: z.string(),
    text: z.string(),
    annotations: z.array(AnsweredAnnotation),
  })
  .transform(({ name, externalId, onlyAfterRed, conclusion, title, summary, text, annotations }) => ({
    name,
    externalId,
    onlyAfterRed,
    output: { conclusion, title, summary, text, annotations },
  }));

const Comment = z.looseObject({
  key: z.string(),
  body: z.string(),
  resolvedBody: z.string().nullable(),
  createsComment: z.boolean(),
  hides: z.boolean(),
});

/** How checks and comment of a run should look now, for a job that writes them with its own token. */
export const RunFeedback = z
  .looseObject({ checks: z.array(Check), wantedComment: Comment.nullable() })
  .transform(({ checks, wantedComment }) => ({ checks, comment: wantedComment }));
export type RunFeedback = z.infer<typeof RunFeedback>;

/** Null: there is no run with this id for this token. */
export const runFeedbackOperation = operation<{ id: string }>()(
  'RunFeedback',
  `query RunFeedback($id: UUID!) {
    run(id: $id) {
      feedback {
        checks { name externalId onlyAfterRed conclusion title summary text annotations { path line level title message } }
        wantedComment { key body resolvedBody createsComment hides }
      }
    }
  }`,
  z
    .looseObject({ run: z.looseObject({ feedback: RunFeedback }).nullable() })
    .transform(({ run }) => run?.feedback ?? null),
);
