import type { WantedComment } from '@proofmark/domain/comment-update';
import type { WantedCheck } from '@proofmark/domain/wanted-checks';
import { builder } from '../builder.ts';
import type { Annotation, RunFeedback } from '../read/run-feedback.ts';
import { ConclusionType } from './conclusion.ts';

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

const WantedCheckType = builder.objectRef<WantedCheck>('WantedCheck').implement({
  description: 'A check run as it should look, for a job that writes it with its own token.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the check run.' }),
    externalId: t.exposeString('externalId', { description: 'By which it is found again.' }),
    onlyAfterRed: t.exposeBoolean('onlyAfterRed', {
      description: 'Written only where it exists, or where the last check of this name on the commit was not green.',
    }),
    conclusion: t.field({
      type: ConclusionType,
      nullable: true,
      description: 'How it ended; null while it runs.',
      resolve: ({ output }) => output.conclusion,
    }),
    title: t.string({ description: 'One line.', resolve: ({ output }) => output.title }),
    summary: t.string({
      description: 'Markdown within the limits of the forge.',
      resolve: ({ output }) => output.summary,
    }),
    text: t.string({
      description: 'The details, likewise; empty while it runs.',
      resolve: ({ output }) => output.text,
    }),
    annotations: t.field({
      type: [AnnotationType],
      description: 'Remarks on lines of files.',
      resolve: ({ output }) => output.annotations,
    }),
  }),
});

const WantedCommentType = builder.objectRef<WantedComment>('WantedComment').implement({
  description: 'What a run wants of the one comment of its pull request.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'Another key is another comment.' }),
    body: t.exposeString('body', { description: 'The whole comment; its first line is the marker.' }),
    resolvedBody: t.exposeString('resolvedBody', {
      nullable: true,
      description: 'Instead of it where a regression is shown; null when nothing is resolved.',
    }),
    createsComment: t.exposeBoolean('createsComment', {
      description: 'Whether there shall be a comment where none is yet.',
    }),
    hides: t.exposeBoolean('hides', { description: 'Whether one from before is to be folded away.' }),
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
    checks: t.field({
      type: [WantedCheckType],
      description: 'Every check run as it should look now, the aggregate first.',
      resolve: ({ checks }) => checks,
    }),
    wantedComment: t.field({
      type: WantedCommentType,
      nullable: true,
      description: 'What is wanted of the comment; null when it stays as it is.',
      resolve: ({ wantedComment }) => wantedComment,
    }),
  }),
});
