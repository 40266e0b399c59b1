import { defineEntity, p } from '@mikro-orm/core';
import { RunStatus, RunTrigger } from '@proofmark/contracts/words';
import { belongsTo, count, createdAt, id, mayReferTo, partOf, tenantId, text, time } from './columns.ts';
import { indexOn } from './index-on.ts';
import { Repository } from './repository.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';
import { User } from './user.ts';

/** Why the result of another run is looked at once more: all of it, what failed, or its base. */
export const rerunKinds = ['requested', 'failed', 'baseline'] as const;

const RunSchema = defineEntity({
  name: 'Run',
  tableName: 'runs',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  uniques: [{ name: 'runs_idempotency_key', properties: ['tenantId', 'idempotencyKey'] }],
  indexes: [
    // What a list is filtered by, in the order of the list.
    ...(
      [
        ['repository', 'repository_id'],
        ['ref', 'ref'],
        ['verdict', 'verdict'],
        ['trigger', 'triggered_by'],
        ['creator', 'created_by'],
      ] as const
    ).map(([what, column]) => indexOn(`runs_of_${what}_idx`, 'runs', ['tenant_id', column, 'created_at'])),
    { name: 'runs_created_at_idx', properties: ['tenantId', 'createdAt', 'id'] },
    indexOn('runs_head_sha_idx', 'runs', ['head_sha'], 'head_sha is not null'),
    indexOn('runs_pull_request_idx', 'runs', ['repository_id', 'pull_request'], 'pull_request is not null'),
    indexOn('runs_completed_at_idx', 'runs', ['completed_at'], 'completed_at is not null'),
    {
      name: 'runs_workflow_run_idx',
      expression: `create index "runs_workflow_run_idx" on "runs" ((trigger ->> 'workflowRunId'))`,
    },
    {
      name: 'runs_pull_request_idx',
      properties: ['tenantId', 'repository', 'pullRequest'],
      where: 'pull_request is not null',
    },
    { name: 'runs_base_idx', properties: ['tenantId', 'repository', 'headSha'], where: 'is_base' },
    indexOn('runs_rerun_of_idx', 'runs', ['rerun_of'], 'rerun_of is not null'),
    { name: 'runs_active_idx', properties: ['tenantId', 'id'], where: `status in ('pending', 'running')` },
  ],
  properties: {
    tenantId,
    id: id(),
    idempotencyKey: text(),
    requestHash: text(),
    /** What was sent, whoever sent it: an active run is joined by other jobs that send the same. Null: nobody joins it. */
    contentHash: text().nullable(),
    /** The workflow runs whose jobs wait for it. The last one that is cancelled ends it. */
    jobs: p.array().columnType('text[]').defaultRaw(`'{}'`),
    /** The span that started it, as a `traceparent` header; null: nobody wants to see its trace. */
    traceParent: text().nullable(),
    /** Idempotency keys of jobs that joined it, each with the hash of its request: the same again is this run, also when it has ended. */
    joined: p.json<Record<string, string>>().defaultRaw(`'{}'`),
    status: p.enum(RunStatus.options).default('pending'),
    triggeredBy: p.enum(RunTrigger.options),
    trigger: p.json<Record<string, unknown>>(),
    repository: () => partOf(Repository, 'repository_id').nullable(),
    event: text().nullable(),
    headSha: text().nullable(),
    baseSha: text().nullable(),
    mergeBaseSha: text().nullable(),
    /** The commit whose definitions ran as the base beside this run. */
    baseCommit: text().nullable(),
    /** The merge base and its first-parent ancestors, newest first; null where nobody asked the forge. */
    baseAncestors: p.array().columnType('text[]').nullable(),
    /** The agents that stand at the merge base by its own files: suite to cell to hash; null where nobody could read them. */
    baseAgents: p.json<Record<string, Record<string, string>>>().nullable(),
    /** What the base has and this run has no longer: names of suites, and of cases by the path of their suite. Null in old runs. */
    removed: p.json<{ suites: string[]; cases: Record<string, string[]> }>().nullable(),
    /** Definitions that were sent and are not those of the commit; empty: nobody could read it. Null: nothing speaks against them. */
    unverified: p.array().columnType('text[]').nullable(),
    pullRequest: p.integer().nullable(),
    ref: text().nullable(),
    /** Its finished suite runs are what later runs are compared with. */
    isBase: p.boolean().default(false),
    runSeed: text(),
    requested: p.json<Record<string, unknown>>(),
    settings: p.json<Record<string, unknown>>(),
    environment: p.json<Record<string, unknown>>(),
    notes: text().nullable(),
    openSuiteRuns: count(),
    /** The run whose definitions, values and seeds this one repeats. */
    rerunOf: () => mayReferTo(Run, 'rerun_of'),
    /** What somebody pressed on the forge: all again, the failed cases for diagnosis, or the base beside. Null: a plain repeat. */
    rerunKind: p.enum(rerunKinds).nullable(),
    /** Pools that it waits for, because no runner of them is connected: as the loop saw it last, and as it was at the end. */
    poolsWithoutRunners: p.array().columnType('text[]').defaultRaw(`'{}'`),
    /** The worst verdict of its suite runs. */
    verdict: text().nullable(),
    conclusion: text().nullable(),
    createdBy: () => belongsTo(User, 'created_by'),
    createdAt: createdAt(),
    startedAt: time().nullable(),
    completedAt: time().nullable(),
    deadlineAt: time(),
  },
});

/** One invocation: a CI event, a call of the API, a schedule. */
export class Run extends RunSchema.class {}
RunSchema.setClass(Run);
