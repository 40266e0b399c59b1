import { aggregateCheck, type CheckOutput, plainSummary, suiteCheck } from '@proofmark/domain/check-output';
import { commentBody, summaryMarkdown } from '@proofmark/domain/comment';
import { type WantedComment, wantedComment } from '@proofmark/domain/comment-update';
import { headline, runOutcome, worstCell } from '@proofmark/domain/outcome';
import type { RunReport } from '@proofmark/domain/run-report';
import { type WantedCheck, wantedChecks } from '@proofmark/domain/wanted-checks';
import { sql } from 'kysely';
import { z } from 'zod';
import { inTenant, readInTenant } from '../../database/transactions.ts';
import { type CommentQuestion, type CommentReading, readCommentReports } from '../../feedback/read-comment-report.ts';
import { type RunReading, readRunReports, storedSizes } from '../../feedback/read-run-report.ts';
import { builder } from '../builder.ts';
import type { GraphqlContext } from '../context.ts';
import { graphqlError } from '../graphql-error.ts';
import { byRow, listBy } from '../loaders.ts';
import { ConclusionType, enumOf } from '../words.ts';
import type { RunView } from './read-runs.ts';

type Annotation = CheckOutput['annotations'][number];

/** A run as it is told. Each part is read and made when somebody asks for it: a headline needs no case. */
export interface RunFeedback {
  /** What suites came to, without their cases. */
  brief: () => Promise<RunReport>;
  whole: () => Promise<WholeFeedback>;
}

interface WholeFeedback {
  report: RunReport;
  /** Null where there is no result that a comment could be about. */
  together: CommentReading | null;
  checkName: string;
  commentKey: string;
}

const Settings = z.object({
  checkName: z.string().catch('proofmark'),
  commentKey: z.string().catch('pr'),
});

interface AskedFeedback {
  run: RunView;
  settings: unknown;
}

/** Of the cases that a request reads to tell whole runs, as they are stored: they stay in memory until it is answered. */
const mostStoredBytes = 8_000_000;

/** How much of it a request has taken. */
const taken = new WeakMap<GraphqlContext, number>();

/** Whether the cases of a run still have room beside those that the request has read. The first has it, however long. */
function hasRoom(context: GraphqlContext, bytes: number): boolean {
  const before = taken.get(context) ?? 0;
  if (before > 0 && before + bytes > mostStoredBytes) return false;
  taken.set(context, before + bytes);
  return true;
}

const tooMuch = () =>
  graphqlError(
    'QUERY_TOO_COMPLEX',
    `The cases of these runs take more than ${mostStoredBytes} bytes together. Ask for the whole feedback of fewer runs at once.`,
  );

/** What checks and comments of runs say, of all that ask for it at once. */
const wholeFeedback = byRow(
  async (database, tenantId, asked: readonly AskedFeedback[], context): Promise<(WholeFeedback | Error)[]> => {
    const { publicUrl, forgeUrl } = context.ports;
    const wanted = [...new Set(asked.map(({ run }) => run.id))];
    const sizes = await inTenant(database, tenantId, (em) => storedSizes(em.getKysely(), wanted));
    const readable = new Set(wanted.filter((id) => hasRoom(context, sizes.get(id) ?? 0)));
    const all = asked.map(({ run, settings }) => {
      const { checkName, commentKey } = Settings.parse(settings ?? {});
      return { run, checkName, commentKey, question: questionOf(run, commentKey) };
    });
    const questions = all.flatMap(({ run, question }) => (readable.has(run.id) ? (question ?? []) : []));
    const ids = [...readable];
    const places = { publicUrl, forgeUrl };
    const { readings, comments } = await inTenant(database, tenantId, async (em) => ({
      readings: await readRunReports(em.getKysely(), ids, places),
      comments: questions.length === 0 ? [] : await readCommentReports(em.getKysely(), questions, places),
    }));
    const together = new Map(questions.map((question, at) => [question, comments[at] ?? null]));
    return all.map(({ run, question, ...keys }) => {
      if (!readable.has(run.id)) return tooMuch();
      const { report } = stillThere(readings, run.id);
      return { report, ...keys, together: question && (together.get(question) ?? null) };
    });
  },
);

/** The same without their cases. */
const briefReport = byRow(
  async (database, tenantId, runs: readonly RunView[], { ports: { publicUrl, forgeUrl } }): Promise<RunReport[]> => {
    const ids = [...new Set(runs.map(({ id }) => id))];
    const readings = await inTenant(database, tenantId, (em) =>
      readRunReports(em.getKysely(), ids, { publicUrl, forgeUrl }, { isBrief: true }),
    );
    return runs.map(({ id }) => stillThere(readings, id).report);
  },
);

function stillThere(readings: ReadonlyMap<string, RunReading>, id: string): RunReading {
  const reading = readings.get(id);
  if (reading === undefined) throw new Error(`run ${id} vanished while it was read`);
  return reading;
}

/** What checks and comment of a run say, for whoever shows it elsewhere. What is read throws for a run that does not exist. */
export function runFeedback(context: GraphqlContext, run: RunView, readSettings: () => Promise<unknown>): RunFeedback {
  let whole: Promise<WholeFeedback> | null = null;
  let brief: Promise<RunReport> | null = null;
  const readWhole = async () => await wholeFeedback(context, { run, settings: await readSettings() });
  const readBrief = async (): Promise<RunReport> => {
    // Whoever asks for more besides has asked by then, and that holds this.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    return whole === null ? await briefReport(context, run) : (await whole).report;
  };
  return {
    whole: () => {
      whole ??= readWhole();
      return whole;
    },
    brief: () => {
      brief ??= readBrief();
      return brief;
    },
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
      resolve: async ({ brief }) => runOutcome(await brief()),
    }),
    headline: t.string({ description: 'One line for people.', resolve: async ({ brief }) => headline(await brief()) }),
    markdown: t.string({
      description: 'The whole story as GitHub Markdown, for a job summary.',
      resolve: async ({ whole }) => summaryMarkdown((await whole()).report),
    }),
    comment: t.string({
      description: 'The same within the limits of a comment; its first line is the marker.',
      resolve: async ({ whole }) => {
        const { report, together, commentKey } = await whole();
        return commentBody(together?.report ?? report, commentKey);
      },
    }),
    text: t.string({
      description: 'The same in plain lines, for a log.',
      resolve: async ({ whole }) => plainSummary((await whole()).report),
    }),
    costUsd: t.float({
      nullable: true,
      description: 'What it cost in US dollars; null when no price is known.',
      resolve: async ({ brief }) => (await brief()).costUsd,
    }),
    suitesTotal: t.int({
      description: 'How many suites there are.',
      resolve: async ({ brief }) => (await brief()).suites.length,
    }),
    suitesAffected: t.int({
      description: 'How many of them the change can affect.',
      resolve: async ({ brief }) => outcomesOf(await brief()).filter((outcome) => outcome !== 'unaffected').length,
    }),
    annotations: t.field({
      type: [AnnotationType],
      description: 'Remarks on lines of suite files.',
      resolve: async ({ whole }) => annotationsOf((await whole()).report),
    }),
    checks: t.field({
      type: [WantedCheckType],
      description: 'Every check run as it should look now, the aggregate first.',
      resolve: async ({ whole }) => {
        const { report, checkName } = await whole();
        return wantedChecks(report, { checkName, runId: report.runId });
      },
    }),
    wantedComment: t.field({
      type: WantedCommentType,
      nullable: true,
      description: 'What is wanted of the comment; null when it stays as it is.',
      resolve: async ({ whole }) => {
        const { together, commentKey } = await whole();
        return together && wantedComment(together.report, commentKey, together.mode);
      },
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
