import type { EntityManager } from '@mikro-orm/postgresql';
import {
  type BaselineCandidate,
  type BaselineQuestion,
  type ChosenBaseline,
  chooseBaseline,
} from '@proofmark/domain/choose-baseline';
import { sql } from 'kysely';
import type { SuiteRunToJudge } from './read-suite-run.ts';

/** More than the branch can have had in the days that count. */
const mostCandidates = 200;

interface Among {
  /** Where the base was executed beside the head, only a run of that agent is its earlier self. */
  agentHash: string | null;
  /** The choice is made already: its answers were judged again. */
  suiteRunId: string | null;
}

/**
 * The suite run of the base branch to compare with, from the best down the ladder. Null when there is none or nothing
 * shall be compared.
 */
export async function findBaselineRun(
  em: EntityManager,
  suiteRun: SuiteRunToJudge,
  among: Among,
): Promise<ChosenBaseline | null> {
  if (suiteRun.baselineMode === 'none') return null;
  const candidates = await readCandidates(em, suiteRun, among);
  return chooseBaseline(candidates, await baselineQuestion(em, suiteRun));
}

/** What is known about the commit that a suite run should be compared with. */
export async function baselineQuestion(em: EntityManager, suiteRun: SuiteRunToJudge): Promise<BaselineQuestion> {
  const isProposal = suiteRun.variant === 'candidate' || suiteRun.pullRequest !== null;
  const mergeBase = isProposal ? (suiteRun.mergeBaseSha ?? suiteRun.baseSha) : null;
  return {
    mergeBase,
    agentAtMergeBase:
      mergeBase === null ? null : (suiteRun.agentAtMergeBase ?? (await agentAt(em, suiteRun, mergeBase))),
    ancestors: suiteRun.baseAncestors,
    branch: suiteRun.baseName ?? 'the base branch',
  };
}

async function readCandidates(
  em: EntityManager,
  suiteRun: SuiteRunToJudge,
  { agentHash, suiteRunId }: Among,
): Promise<BaselineCandidate[]> {
  const { tenantId, id, suiteId, cellKey, createdAt, mergeBaseSha, baseSha, baseAncestors } = suiteRun;
  const commits = [mergeBaseSha ?? baseSha, ...(baseAncestors ?? [])].filter((sha) => sha !== null);
  const { rows } = await sql<BaselineCandidate>`
    select b.suite_run_id as "suiteRunId", b.commit_sha as commit, b.agent_hash as "agentHash",
      greatest(0, extract(epoch from ${createdAt}::timestamptz - b.created_at) / 86400)::float8 as "ageDays"
    from baselines b join test_suite_runs s on s.tenant_id = b.tenant_id and s.id = b.suite_run_id
    where b.tenant_id = ${tenantId} and b.suite_id = ${suiteId} and b.cell_key = ${cellKey}
      and b.suite_run_id <> ${id} and s.created_at <= ${createdAt}::timestamptz
      and (${agentHash}::text is null or b.agent_hash = ${agentHash})
      and (${suiteRunId}::uuid is null or b.suite_run_id = ${suiteRunId})
    order by (b.commit_sha = any(${commits}::text[]) or b.agent_hash is not distinct from ${suiteRun.agentAtMergeBase}) desc,
      b.created_at desc limit ${mostCandidates}`.execute(em.getKysely());
  return rows;
}

/** The agent that the base branch had at a commit, by any run that was started there, whatever became of it. */
async function agentAt(
  em: EntityManager,
  { tenantId, repositoryId, suiteId, cellKey }: SuiteRunToJudge,
  commit: string,
): Promise<string | null> {
  const { rows } = await sql<{ agentHash: string }>`
    select s.agent_hash as "agentHash" from runs r
    join test_suite_runs s on s.tenant_id = r.tenant_id and s.run_id = r.id
    where r.tenant_id = ${tenantId} and r.repository_id = ${repositoryId} and r.is_base and r.head_sha = ${commit}
      and s.suite_id = ${suiteId} and s.cell_key = ${cellKey} and s.variant = 'head'
    order by s.created_at desc limit 1`.execute(em.getKysely());
  return rows[0]?.agentHash ?? null;
}
