import { aggregateCheck, type CheckOutput, plainSummary, suiteCheck } from '@proofmark/domain/check-output';
import { commentBody, summaryMarkdown } from '@proofmark/domain/comment';
import { type WantedComment, wantedComment } from '@proofmark/domain/comment-update';
import { headline, runOutcome, worstCell } from '@proofmark/domain/outcome';
import { type WantedCheck, wantedChecks } from '@proofmark/domain/wanted-checks';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { type Database, inTenant, readInTenant } from '../../database/transactions.ts';
import { type CommentQuestion, type CommentReading, readCommentReport } from '../../feedback/read-comment-report.ts';
import { readRunReport } from '../../feedback/read-run-report.ts';
import { builder } from '../builder.ts';
import { listBy } from '../loaders.ts';
import { ConclusionType, enumOf } from '../words.ts';
import type { RunView } from './read-runs.ts';

type Annotation = CheckOutput['annotations'][number];

export interface RunFeedback {
  outcome: string;
  headline: string;
  markdown: string;
  comment: string;
  text: string;
  costUsd: number | null;
  suitesTotal: number;
  suitesAffected: number;
  annotations: Annotation[];
  checks: WantedCheck[];
  wantedComment: WantedComment | null;
}

const Settings = z.object({
  checkName: z.string().catch('proofmark'),
  commentKey: z.string().catch('pr'),
});

type FeedbackPorts = { database: Database; publicUrl: string; forgeUrl: (host: string | null) => string };

/** What checks and comment of a run say, for whoever shows it elsewhere. Throws for a run that does not exist. */
export async function readRunFeedback(
  { database, publicUrl, forgeUrl }: FeedbackPorts,
  tenantId: string,
  run: RunView,
  settings: unknown,
): Promise<RunFeedback> {
  const { checkName, commentKey } = Settings.parse(settings ?? {});
  const { reading, together } = await inTenant(database, tenantId, async (em) => {
    const question = questionOf(run, commentKey);
    const serverUrl = forgeUrl(run.host);
    return {
      reading: await readRunReport(em.getKysely(), run.id, publicUrl, serverUrl),
      together: question && (await readTogether(em.getKysely(), question, { publicUrl, serverUrl })),
    };
  });
  if (reading === null) throw new Error(`run ${run.id} vanished while it was read`);
  const { report } = reading;
  const outcomes = report.suites.map((suite) => worstCell(suite).outcome);
  const affected = outcomes.filter((outcome) => outcome !== 'unaffected');
  return {
    outcome: runOutcome(report),
    headline: headline(report),
    markdown: summaryMarkdown(report),
    comment: commentBody(together?.report ?? report, commentKey),
    text: plainSummary(report),
    costUsd: report.costUsd,
    suitesTotal: outcomes.length,
    suitesAffected: affected.length,
    annotations: [
      ...aggregateCheck(report).annotations,
      ...report.suites.flatMap((suite) => suiteCheck(report, suite).annotations),
    ],
    checks: wantedChecks(report, { checkName, runId: run.id }),
    wantedComment: together && wantedComment(together.report, commentKey, together.mode),
  };
}

/** Null where there is no result that a comment could be about. */
async function readTogether(
  tx: Kysely<unknown>,
  question: CommentQuestion,
  places: { publicUrl: string; serverUrl: string },
): Promise<CommentReading | null> {
  const together = await readCommentReport(tx, question, places);
  return together === null || 'why' in together ? null : together;
}

/** The comment that the run shares with the other jobs of its commit; null where it is about no pull request. */
function questionOf(run: RunView, commentKey: string): CommentQuestion | null {
  const { host, externalId, pullRequest, headSha } = run;
  if (host === null || externalId === null || pullRequest === null || headSha === null) return null;
  return { host, externalId, pullRequest, commentKey, headSha };
}

interface ReportingView {
  runId: string;
  kind: 'github-check' | 'github-comment';
  name: string;
  state: 'due' | 'done' | 'parked';
  reason: string | null;
  tries: number;
}

/** What the coordinator writes to the forge for a run, and how far it has come. */
export const reportingOf = listBy(
  (database, tenantId, runIds) =>
    readInTenant(
      database,
      tenantId,
      sql<ReportingView>`
        select run_id as "runId", kind, coalesce(subject ->> 'name', subject ->> 'commentKey', '') as name, state, reason, tries
        from outbox where run_id = any(${runIds}::uuid[]) and kind in ('github-check', 'github-comment')
        order by kind, dedupe_key`,
    ),
  ({ runId }) => runId,
);

const AnnotationType = builder.objectRef<Annotation>('Annotation').implement({
  description: 'A remark on a line of a file at the commit that was run.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Path of the file.' }),
    line: t.exposeInt('line', { description: 'Number of the line, from 1.' }),
    level: t.exposeString('level', { description: 'failure, warning or notice.' }),
    title: t.exposeString('title', { description: 'Which case, and whether it broke or fails as before.' }),
    message: t.exposeString('message', { description: 'The first reason why it failed.' }),
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
    title: t.string({ description: 'The result in one line.', resolve: ({ output }) => output.title }),
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

const ReportingKindType = enumOf('ReportingKind', 'What is written to the forge.', {
  'github-check': 'A check run on the commit.',
  'github-comment': 'The comment on the pull request.',
});

const ReportingStateType = enumOf('ReportingState', 'How far the forge is behind the ledger.', {
  due: 'To be written, or written again.',
  done: 'The forge shows what the ledger wants.',
  parked: 'Given up until something changes; see the reason.',
});

export const ReportingType = builder.objectRef<ReportingView>('RunReporting').implement({
  description: 'One check or comment of a run on the forge. Trouble with it never changes the run.',
  fields: (t) => ({
    kind: t.expose('kind', { type: ReportingKindType, description: 'Whether it is a check or the comment.' }),
    name: t.exposeString('name', { description: 'Name of the check, or key of the comment.' }),
    state: t.expose('state', { type: ReportingStateType, description: 'How far it is.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it is not done.' }),
    tries: t.exposeInt('tries', { description: 'How often it was tried since it last changed.' }),
  }),
});
