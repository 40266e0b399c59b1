import type { VerdictWord } from '@proofmark/contracts/gate';
import type { Conclusion } from '@proofmark/contracts/verdict';
import { type RawBuilder, sql } from 'kysely';

/** One invocation as callers see it, with the sums over its suite runs. */
export interface RunView {
  id: string;
  status: 'pending' | 'running' | 'completed' | 'failed' | 'cancelled';
  triggeredBy: 'manual' | 'schedule' | 'ci' | 'api';
  event: string | null;
  repositoryId: string | null;
  repository: string | null;
  host: string | null;
  /** Number of the repository on its host. */
  externalId: string | null;
  /** Whether the App is installed on the repository. */
  hasInstallation: boolean;
  headSha: string | null;
  baseSha: string | null;
  mergeBaseSha: string | null;
  pullRequest: number | null;
  ref: string | null;
  isBase: boolean;
  workflowRunId: string | null;
  runSeed: string;
  rerunOf: string | null;
  requested: unknown;
  settings: unknown;
  environment: unknown;
  notes: string | null;
  verdict: VerdictWord | null;
  conclusion: Conclusion | null;
  createdBy: string;
  createdAt: string;
  startedAt: string | null;
  completedAt: string | null;
  deadlineAt: string | null;
  totalCases: number;
  passedCases: number;
  failedCases: number;
  erroredCases: number;
  skippedCases: number;
  totalSuiteRuns: number;
  finishedSuiteRuns: number;
  position: string[];
}

/** The columns of a run view; the caller adds the conditions on `r`. */
export function selectRuns(conditions: RawBuilder<unknown>): RawBuilder<RunView> {
  return sql<RunView>`
    select r.id, r.status, r.triggered_by as "triggeredBy", r.event, r.repository_id as "repositoryId",
      p.full_name as repository, p.host, p.external_id as "externalId", p.installation_id is not null as "hasInstallation", r.head_sha as "headSha", r.base_sha as "baseSha",
      r.merge_base_sha as "mergeBaseSha", r.pull_request as "pullRequest", r.ref, r.is_base as "isBase",
      r.trigger ->> 'workflowRunId' as "workflowRunId",
      r.run_seed as "runSeed", r.rerun_of as "rerunOf", r.requested, r.settings, r.environment, r.notes, r.verdict, r.conclusion,
      u.login as "createdBy", r.created_at as "createdAt", r.started_at as "startedAt",
      r.completed_at as "completedAt", r.deadline_at as "deadlineAt",
      s.total as "totalCases", s.passed as "passedCases", s.failed as "failedCases",
      s.errored as "erroredCases", s.skipped as "skippedCases",
      s.suite_runs as "totalSuiteRuns", s.finished as "finishedSuiteRuns",
      array[r.created_at::text, r.id::text] as position
    from runs r
    left join users u on u.tenant_id = r.tenant_id and u.id = r.created_by
    left join repositories p on p.tenant_id = r.tenant_id and p.id = r.repository_id
    cross join lateral (
      select coalesce(sum(total_cases), 0)::int total, coalesce(sum(passed_cases), 0)::int passed,
        coalesce(sum(failed_cases), 0)::int failed, coalesce(sum(errored_cases), 0)::int errored,
        coalesce(sum(skipped_cases), 0)::int skipped, count(*)::int suite_runs,
        (count(*) filter (where status in ('completed', 'failed', 'cancelled')))::int finished
      from test_suite_runs where tenant_id = r.tenant_id and run_id = r.id and purpose <> 'calibrate') s
    ${conditions}`;
}
