import { noRunners } from '@proofmark/contracts/pool';
import { type CommentMode, commentModes, type NotEvaluated } from '@proofmark/domain/comment-update';
import { type JobReport, mergeReports } from '@proofmark/domain/merge-reports';
import { hasRegression } from '@proofmark/domain/outcome';
import type { RunReport } from '@proofmark/domain/run-report';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { type Places, readRunReports } from './read-run-report.ts';

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

/**
 * What all jobs of a commit that write the same comment have found, whichever of them ended last; null while none has.
 * A regression that a job has found on another commit stays open until that job has a result for this one.
 */
export async function readCommentReport(
  tx: Kysely<unknown>,
  question: CommentQuestion,
  places: Places,
): Promise<CommentReading | NotEvaluated | null> {
  const [reading = null] = await readCommentReports(tx, [question], places);
  return reading ?? (await readWhyNot(tx, question));
}

/** The same for each question, in their order; null also where there is a reason why there is none. */
export async function readCommentReports(
  tx: Kysely<unknown>,
  questions: readonly CommentQuestion[],
  places: Places,
): Promise<(CommentReading | null)[]> {
  const ended = Map.groupBy(await readEndedRuns(tx, questions), ({ at }) => at);
  const chosen = questions.map(({ headSha }, index) => {
    const all = ended.get(index + 1) ?? [];
    const ofCommit = all.filter((run) => run.headSha === headSha);
    const isQuiet = all.every(({ mode }) => mode === 'off');
    return {
      ofCommit,
      shown: isQuiet ? ofCommit : ofCommit.filter(isWanted),
      elsewhere: all.filter((run) => isWanted(run) && run.headSha !== headSha),
    };
  });
  // Where nothing is shown nobody asks what stands elsewhere.
  const needed = chosen.filter(({ shown }) => shown.length > 0);
  const ids = needed.flatMap(({ shown, elsewhere }) => [...shown, ...elsewhere].map(({ id }) => id));
  const readings = await readRunReports(tx, [...new Set(ids)], places);
  const reportsOf = (runs: readonly EndedRun[]): JobReport[] =>
    runs.flatMap(({ id, job }) => {
      const reading = readings.get(id);
      return reading === undefined ? [] : [{ job, report: reading.report }];
    });
  return chosen.map(({ ofCommit, shown, elsewhere }) => {
    const [first, ...others] = reportsOf(shown);
    if (first === undefined) return null;
    const openRegressions = reportsOf(elsewhere)
      .filter(({ report }) => hasRegression(report))
      .map(({ job, report }) => ({ job, headSha: report.headSha }));
    const mode = mostTalkative.find((one) => ofCommit.some((run) => run.mode === one)) ?? 'off';
    return { report: { ...mergeReports([first, ...others]), openRegressions }, mode };
  });
}

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
