import { aggregateCheck, type CheckOutput, plainSummary, suiteCheck } from '@proofmark/domain/check-output';
import { commentBody, summaryMarkdown } from '@proofmark/domain/comment';
import { type WantedComment, wantedComment } from '@proofmark/domain/comment-update';
import { headline, runOutcome, worstCell } from '@proofmark/domain/outcome';
import type { RunReport } from '@proofmark/domain/run-report';
import { type WantedCheck, wantedChecks } from '@proofmark/domain/wanted-checks';
import { sql } from 'kysely';
import { z } from 'zod';
import { inTenant, readInTenant } from '../../database/transactions.ts';
import type { CommentQuestion, CommentReading } from '../../feedback/read-comment-report.ts';
import { type RunAsRead, readInParts } from '../../feedback/read-in-parts.ts';
import { readRunReports } from '../../feedback/read-run-report.ts';
import { builder } from '../builder.ts';
import type { GraphqlContext } from '../context.ts';
import { graphqlError } from '../graphql-error.ts';
import { byRow, listBy } from '../loaders.ts';
import { ConclusionType, enumOf } from '../words.ts';
import type { RunView } from './read-runs.ts';

type Annotation = CheckOutput['annotations'][number];

/**
 * A run as it is told. What is told of it is made as soon as it is read, and nothing else of it is kept: a list of runs is read
 * part by part. What needs no case reads none, unless something beside it does.
 */
export interface RunFeedback {
  /** By what suites came to, without their cases. */
  brief: <Told>(tell: (report: RunReport) => Told) => Promise<Told>;
  /** By everything, beside the comment. */
  whole: <Told>(tell: (report: RunReport, checkName: string) => Told) => Promise<Told>;
  /** By the comment that the run shares with other jobs; null where there is no result that it could be about. */
  comment: <Told>(
    tell: (report: RunReport, together: CommentReading | null, commentKey: string) => Told,
  ) => Promise<Told>;
}

const Settings = z.object({
  checkName: z.string().catch('proofmark'),
  commentKey: z.string().catch('pr'),
});

/** What is read of a run to tell it. */
type Read = RunAsRead & z.infer<typeof Settings>;

interface Question {
  needs: 'brief' | 'whole' | 'comment';
  tell: (read: Read) => unknown;
}

interface AskedFeedback {
  run: RunView;
  settings: unknown;
  questions: readonly Question[];
}

/** Of what a request is told of runs, beside the first. */
const mostCharacters = 20_000_000;

/** How far the telling of a request is. */
interface Telling {
  characters: number;
  /** Ends with the reading before: only one of a request holds reports. */
  before: Promise<unknown>;
}
const tellings = new WeakMap<GraphqlContext, Telling>();

const tooMuch = () =>
  graphqlError(
    'QUERY_TOO_COMPLEX',
    `What is told of these runs takes more than ${mostCharacters} characters together. Ask for the feedback of fewer runs at once, such as with a smaller "first".`,
  );

/** What the fields of runs say, in the order of the questions of each, of all that ask for more than headlines at once. */
const wholeFeedback = byRow(
  async (database, tenantId, asked: readonly AskedFeedback[], context): Promise<(unknown[] | Error)[]> => {
    const { signal, ports } = context;
    const places = { publicUrl: ports.publicUrl, forgeUrl: ports.forgeUrl, signal };
    const telling = tellings.get(context) ?? { characters: 0, before: Promise.resolve() };
    tellings.set(context, telling);
    const runs = asked.map(({ run, settings, questions }) => {
      const keys = Settings.parse(settings ?? {});
      const isAsked = questions.some(({ needs }) => needs === 'comment');
      return { runId: run.id, comment: isAsked ? questionOf(run, keys.commentKey) : null, keys, questions };
    });
    const tellAll = async () => {
      const answers: (unknown[] | Error)[] = [];
      for await (const { asked: one, read } of readInParts(database, tenantId, runs, places)) {
        const told = read === null ? gone(one.runId) : tellOf(one.questions, { ...read, ...one.keys });
        const characters = JSON.stringify(told).length;
        if (telling.characters > 0 && telling.characters + characters > mostCharacters) break;
        telling.characters += characters;
        answers.push(told);
      }
      return asked.map((_, at) => answers[at] ?? tooMuch());
    };
    const answered = telling.before.then(tellAll, tellAll);
    telling.before = answered;
    return await answered;
  },
);

const gone = (id: string) => new Error(`run ${id} vanished while it was read`);

/** One that cannot be told is an error of its own. */
const tellOf = (questions: readonly Question[], read: Read): unknown[] =>
  questions.map(({ tell }) => {
    try {
      return tell(read);
    } catch (error) {
      return error;
    }
  });

/** Reports of runs without their cases. */
const briefReport = byRow(
  async (database, tenantId, runs: readonly RunView[], context): Promise<(RunReport | Error)[]> => {
    const { publicUrl, forgeUrl } = context.ports;
    const ids = [...new Set(runs.map(({ id }) => id))];
    const readings = await inTenant(database, tenantId, (em) =>
      readRunReports(em.getKysely(), ids, { publicUrl, forgeUrl }, { isBrief: true }),
    );
    return runs.map(({ id }) => readings.get(id)?.report ?? gone(id));
  },
);

/** What checks and comment of a run say, for whoever shows it elsewhere. What is read throws for a run that does not exist. */
export function runFeedback(context: GraphqlContext, run: RunView, readSettings: () => Promise<unknown>): RunFeedback {
  let questions: Question[] = [];
  let answers: Promise<readonly unknown[]> | null = null;
  const answerAll = async (): Promise<readonly unknown[]> => {
    // All fields of the run have asked by then, and are told of the same moment.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    const asked = questions;
    questions = [];
    answers = null;
    if (asked.some(({ needs }) => needs !== 'brief'))
      return await wholeFeedback(context, { run, settings: await readSettings(), questions: asked });
    // Nobody who asks for no more looks at the rest.
    return tellOf(asked, { report: await briefReport(context, run), together: null, ...Settings.parse({}) });
  };
  const ask = async <Told>(needs: Question['needs'], tell: (read: Read) => Told): Promise<Told> => {
    const at = questions.push({ needs, tell }) - 1;
    answers ??= answerAll();
    const answer = (await answers)[at];
    if (answer instanceof Error) throw answer;
    return answer as Told; // what its own question has told
  };
  return {
    brief: (tell) => ask('brief', ({ report }) => tell(report)),
    whole: (tell) => ask('whole', ({ report, checkName }) => tell(report, checkName)),
    comment: (tell) => ask('comment', ({ report, together, commentKey }) => tell(report, together, commentKey)),
  };
}

const outcomesOf = ({ suites }: RunReport) => suites.map((suite) => worstCell(suite).outcome);

const annotationsOf = (report: RunReport): Annotation[] => [
  ...aggregateCheck(report).annotations,
  ...report.suites.flatMap((suite) => suiteCheck(report, suite).annotations),
];

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
    outcome: t.string({
      description: 'The worst outcome of its suites, such as regressed, below-minimum or running.',
      resolve: ({ brief }) => brief(runOutcome),
    }),
    headline: t.string({ description: 'One line for people.', resolve: ({ brief }) => brief(headline) }),
    markdown: t.string({
      description: 'The whole story as GitHub Markdown, for a job summary.',
      resolve: ({ whole }) => whole(summaryMarkdown),
    }),
    comment: t.string({
      description: 'The same within the limits of a comment; its first line is the marker.',
      resolve: ({ comment }) =>
        comment((report, together, commentKey) => commentBody(together?.report ?? report, commentKey)),
    }),
    text: t.string({
      description: 'The same in plain lines, for a log.',
      resolve: ({ whole }) => whole(plainSummary),
    }),
    costUsd: t.float({
      nullable: true,
      description: 'What it cost in US dollars; null when no price is known.',
      resolve: ({ brief }) => brief(({ costUsd }) => costUsd),
    }),
    suitesTotal: t.int({
      description: 'How many suites there are.',
      resolve: ({ brief }) => brief(({ suites }) => suites.length),
    }),
    suitesAffected: t.int({
      description: 'How many of them the change can affect.',
      resolve: ({ brief }) => brief((report) => outcomesOf(report).filter((one) => one !== 'unaffected').length),
    }),
    annotations: t.field({
      type: [AnnotationType],
      description: 'Remarks on lines of suite files.',
      resolve: ({ whole }) => whole(annotationsOf),
    }),
    checks: t.field({
      type: [WantedCheckType],
      description: 'Every check run as it should look now, the aggregate first.',
      resolve: ({ whole }) => whole((report, checkName) => wantedChecks(report, { checkName, runId: report.runId })),
    }),
    wantedComment: t.field({
      type: WantedCommentType,
      nullable: true,
      description: 'What is wanted of the comment; null when it stays as it is.',
      resolve: ({ comment }) =>
        comment((_, together, commentKey) => together && wantedComment(together.report, commentKey, together.mode)),
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
