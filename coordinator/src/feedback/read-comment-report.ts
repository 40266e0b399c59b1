import { noRunners } from '@proofmark/contracts/pool';
import { type CommentMode, commentModes, type NotEvaluated } from '@proofmark/domain/comment-update';
import { type JobReport, mergeReports } from '@proofmark/domain/merge-reports';
import { hasRegression } from '@proofmark/domain/outcome';
import type { RunReport } from '@proofmark/domain/run-report';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { type Places, type RunReading, readRunReports } from './read-run-report.ts';

/** One comment, and the commit that it is to be about. */
export interface CommentQuestion {
  host: string;
  externalId: string;
  pullRequest: number;
  commentKey: string;
  headSha: string;
}

export interface CommentReading {
  report: RunReport;
  mode: CommentMode;
}

const EndedRun = z.object({
  /** Which question it is about, from 1. */
  at: z.number(),
  id: z.uuid(),
  job: z.string(),
  headSha: z.string(),
  mode: z.enum(commentModes).catch('changes'),
});
type EndedRun = z.infer<typeof EndedRun>;

/** More jobs than a workflow has; the others are left out of the comment. */
const mostJobs = 20;

/** The runs that a comment is made of: of each job its last one. */
export interface CommentRuns {
  /** Those for the commit, and how much the comment is wanted to say. */
  ofCommit: EndedRun[];
  /** Those that it tells. */
  shown: EndedRun[];
  /** Those for another commit, which may have left a regression open. Where nothing is shown nobody asks. */
  elsewhere: EndedRun[];
}

/**
 * What all jobs of a commit that write the same comment have found, whichever of them ended last; null while none has.
 * A regression that a job has found on another commit stays open until that job has a result for this one.
 */
export async function readCommentReport(
  tx: Kysely<unknown>,
  question: CommentQuestion,
  places: Places,
): Promise<CommentReading | NotEvaluated | null> {
  const runs = await readCommentRuns(tx, [question]);
  const readings = await readRunReports(tx, idsOf(runs, 'shown'), places);
  const elsewhere = await readRunReports(tx, idsOf(runs, 'elsewhere'), places, { isBrief: true });
  const [reading = null] = runs.map((one) => commentOf(one, readings, elsewhere));
  return reading ?? (await readWhyNot(tx, question));
}

/** The runs that the comment of each question is made of, in their order. */
export async function readCommentRuns(
  tx: Kysely<unknown>,
  questions: readonly CommentQuestion[],
): Promise<CommentRuns[]> {
  if (questions.length === 0) return [];
  const ended = Map.groupBy(await readEndedRuns(tx, questions), ({ at }) => at);
  return questions.map(({ headSha }, index) => {
    const all = ended.get(index + 1) ?? [];
    const ofCommit = all.filter((run) => run.headSha === headSha);
    const shown = all.every(({ mode }) => mode === 'off') ? ofCommit : ofCommit.filter(isWanted);
    const elsewhere = all.filter((run) => isWanted(run) && run.headSha !== headSha);
    return { ofCommit, shown, elsewhere: shown.length === 0 ? [] : elsewhere };
  });
}

export const idsOf = (runs: readonly CommentRuns[], which: 'shown' | 'elsewhere'): string[] => [
  ...new Set(runs.flatMap((one) => one[which].map(({ id }) => id))),
];

/** What a comment says, by the whole reports of what it shows, and by those of the other runs without their cases; null while no job has ended. */
export function commentOf(
  { ofCommit, shown, elsewhere }: CommentRuns,
  readings: ReadonlyMap<string, RunReading>,
  readElsewhere: ReadonlyMap<string, RunReading>,
): CommentReading | null {
  const [first, ...others] = reportsOf(shown, readings);
  if (first === undefined) return null;
  const openRegressions = reportsOf(elsewhere, readElsewhere)
    .filter(({ report }) => hasRegression(report))
    .map(({ job, report }) => ({ job, headSha: report.headSha }));
  const mode = mostTalkative.find((one) => ofCommit.some((run) => run.mode === one)) ?? 'off';
  return { report: { ...mergeReports([first, ...others]), openRegressions }, mode };
}

const reportsOf = (runs: readonly EndedRun[], readings: ReadonlyMap<string, RunReading>): JobReport[] =>
  runs.flatMap(({ id, job }) => {
    const reading = readings.get(id);
    return reading === undefined ? [] : [{ job, report: reading.report }];
  });

const Stopped = z.object({ isAwaited: z.boolean(), reason: z.string().nullable(), pools: z.array(z.string()) });

/** Why the head has no result and will have none for now; null where there is something to wait for, or nothing to say. */
async function readWhyNot(
  tx: Kysely<unknown>,
  { host, externalId, pullRequest, commentKey, headSha }: CommentQuestion,
): Promise<NotEvaluated | null> {
  const { rows } = await sql`
    select coalesce(r.trigger #>> '{approval,state}' = 'awaited', false) as "isAwaited", (
      select min(s.failure_reason) from test_suite_runs s
      where s.tenant_id = r.tenant_id and s.run_id = r.id and s.status = 'cancelled') as reason,
      case when r.status in ('pending', 'running') then r.pools_without_runners else '{}' end as pools
    from runs r join repositories g on g.tenant_id = r.tenant_id and g.id = r.repository_id
    where g.host = ${host} and g.external_id = ${externalId} and r.pull_request = ${pullRequest}
      and r.settings ->> 'commentKey' = ${commentKey} and r.settings ->> 'comment' <> 'off' and r.head_sha = ${headSha}
    order by r.created_at desc, r.id desc limit 1`.execute(tx);
  const [stopped] = z.array(Stopped).parse(rows);
  if (stopped?.isAwaited === true) return { headSha, why: 'maintainer approval needed' };
  if (stopped !== undefined && stopped.pools.length > 0) return { headSha, why: noRunners(stopped.pools), waits: true };
  const isClosed = stopped?.reason?.startsWith('pull request ') === true;
  return isClosed && stopped?.reason != null ? { headSha, why: stopped.reason } : null;
}

const mostTalkative: readonly CommentMode[] = ['always', 'changes', 'regressions'];

const isWanted = ({ mode }: EndedRun): boolean => mode !== 'off';

/** Of each job its last result: that for the commit, else that for another one. Diagnoses are no results. */
async function readEndedRuns(tx: Kysely<unknown>, questions: readonly CommentQuestion[]): Promise<EndedRun[]> {
  const { rows } = await sql`
    select q.at::int as at, e.* from unnest(${questions.map(({ host }) => host)}::text[],
      ${questions.map(({ externalId }) => externalId)}::text[], ${questions.map(({ pullRequest }) => pullRequest)}::int[],
      ${questions.map(({ commentKey }) => commentKey)}::text[], ${questions.map(({ headSha }) => headSha)}::text[])
      with ordinality q(host, external_id, pull_request, comment_key, head_sha, at)
    cross join lateral (
      select distinct on (job) r.id, r.settings ->> 'checkName' as job, r.head_sha as "headSha",
        r.settings ->> 'comment' as mode
      from runs r join repositories g on g.tenant_id = r.tenant_id and g.id = r.repository_id
      where g.host = q.host and g.external_id = q.external_id and r.pull_request = q.pull_request
        and r.settings ->> 'commentKey' = q.comment_key and r.head_sha is not null
        and r.status in ('completed', 'failed') and r.conclusion is distinct from 'action_required'
        and r.rerun_kind is distinct from 'failed'
      order by job, (r.head_sha = q.head_sha) desc, r.created_at desc, r.id desc limit ${mostJobs}) e
    order by q.at, e.job`.execute(tx);
  return z.array(EndedRun).parse(rows);
}
