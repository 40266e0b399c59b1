import { builder } from '../builder.ts';
import type { Annotation, RunFeedback } from '../read/run-feedback.ts';

const AnnotationType = builder.objectRef<Annotation>('Annotation').implement({
  description: 'A remark on a line of a file at the commit that was run.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Path of the file.' }),
    line: t.exposeInt('line', { description: 'Line, from 1.' }),
    level: t.exposeString('level', { description: 'failure, warning or notice.' }),
    title: t.exposeString('title', { description: 'Which case, and whether it broke or fails as before.' }),
    message: t.exposeString('message', { description: 'The first reason.' }),
  }),
});

export const FeedbackType = builder.objectRef<RunFeedback>('RunFeedback').implement({
  description: 'A run in the words of checks and comments, as far as it has come.',
  fields: (t) => ({
    outcome: t.exposeString('outcome', {
      description: 'The worst outcome of its suites, such as regressed, below-minimum or running.',
    }),
    headline: t.exposeString('headline', { description: 'One line for people.' }),
    markdown: t.exposeString('markdown', { description: 'The whole story as GitHub Markdown, for a job summary.' }),
    comment: t.exposeString('comment', {
      description: 'The same within the limits of a comment; its first line is the marker.',
    }),
    text: t.exposeString('text', { description: 'The same in plain lines, for a log.' }),
    costUsd: t.exposeFloat('costUsd', {
      nullable: true,
      description: 'What it cost in US dollars; null when no price is known.',
    }),
    suitesTotal: t.exposeInt('suitesTotal', { description: 'How many suites there are.' }),
    suitesAffected: t.exposeInt('suitesAffected', { description: 'How many of them the change can affect.' }),
    annotations: t.field({
      type: [AnnotationType],
      description: 'Remarks on lines of suite files.',
      resolve: ({ annotations }) => annotations,
    }),
  }),
});
