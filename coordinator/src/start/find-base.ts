import type { EntityManager } from '@mikro-orm/postgresql';
import type { LoadedDefinitions, LoadResult } from '@proofmark/contracts/loaded';
import type { StartRunInput } from '@proofmark/contracts/start-run-input';
import { type BaseRun, type RankedBaseRun, rankBaseRuns, type TestedAgent } from '@proofmark/domain/choose-baseline';
import { planRun } from '@proofmark/domain/plan-run';
import { sql } from 'kysely';
import type { Caller } from '../access/caller.ts';
import { type Database, inTenant } from '../database/transactions.ts';
import type { FeedbackPort } from '../feedback/feedback-port.ts';
import { toRequest } from './decide-run.ts';
import type { MergeBase } from './find-commits.ts';
import type { FoundRepository } from './find-repository.ts';
import { type Base, loadBaseDefinitions } from './load-base-definitions.ts';
import { loadCommitted } from './load-committed.ts';

export interface BasePorts {
  database: Database;
  forge: Partial<Pick<FeedbackPort, 'committed'>> | null;
}

interface Question {
  caller: Caller;
  input: StartRunInput;
  /** What the files of the input say. */
  loaded: LoadResult;
  repository: FoundRepository;
  merge: MergeBase;
}

/** What is known about the base of a proposal before it is planned. */
export interface FoundBase {
  /** What runs beside the head; null: nothing can, or nothing shall. */
  base: Base | null;
  /** What stands at the merge base by its own files; null where a run of it says so, or nobody could read them. */
  atMergeBase: LoadedDefinitions | null;
  agentsAtMergeBase: readonly TestedAgent[];
}

const nothing: FoundBase = { base: null, atMergeBase: null, agentsAtMergeBase: [] };
/** Runs of which a mistake in their files leaves nothing to run: the next one down the ladder is tried. */
const mostTries = 5;

/**
 * The base of a proposal, from the best down the ladder (docs/baselines.md#which-one-is-taken): the run of the merge base, one of an
 * equal agent, the nearest ancestor, an older one. With `baseline: run` the merge base's own content comes before an
 * older run.
 */
export async function findBase(ports: BasePorts, question: Question): Promise<FoundBase> {
  const { caller, input, loaded, repository, merge } = question;
  const { suites } = loaded.definitions;
  if (suites.length === 0) return nothing;
  const { mergeBaseSha: mergeBase, ancestors } = merge;
  const runs = await inTenant(ports.database, caller.tenantId, (em) =>
    findBaseRuns(em, {
      repositoryId: repository.id,
      suiteNames: suites.map(({ suite }) => suite.name),
      suitePaths: suites.map(({ path }) => path),
      commits: [mergeBase, ...(ancestors ?? [])].filter((sha) => sha !== null),
    }),
  );
  const ladder = { mergeBase, ancestors, branch: repository.defaultBranch ?? 'the base branch' };
  const [known] = rankBaseRuns(runs, { ...ladder, agentsAtMergeBase: [] });
  const committed = known?.rung === 1 ? null : await readCommitted(ports, question);
  const agentsAtMergeBase = committed === null ? [] : agentsOf(committed, input);
  const ranked = rankBaseRuns(runs, { ...ladder, agentsAtMergeBase });
  const isFresh = input.settings.baseline === 'run' && committed !== null && committed.suites.length > 0;
  const stored = await firstThatLoads(ports.database, caller.tenantId, isFresh ? ranked.filter(counts) : ranked);
  const base =
    stored ?? (isFresh ? { definitions: committed, commit: mergeBase, checkName: null, historyTrials: 0 } : null);
  return { base, atMergeBase: committed, agentsAtMergeBase };
}

const counts = ({ rung }: RankedBaseRun): boolean => rung <= 3;

async function firstThatLoads(
  database: Database,
  tenantId: string,
  ranked: readonly RankedBaseRun[],
): Promise<Base | null> {
  for (const { run } of ranked.slice(0, mostTries)) {
    const base = await loadBaseDefinitions(database, { tenantId, runId: run.runId });
    if (base !== null) return base;
  }
  return null;
}

/** Null where nobody can read it; the forge being down must not stop a run. */
async function readCommitted(
  { forge }: BasePorts,
  { input, repository, merge }: Question,
): Promise<LoadedDefinitions | null> {
  const { mergeBaseSha } = merge;
  if (forge?.committed === undefined || mergeBaseSha === null || !repository.isReporting) return null;
  try {
    const files = await forge.committed(repository, mergeBaseSha);
    return files === null ? null : await loadCommitted(files, input);
  } catch {
    return null;
  }
}

/** The agents that a run of these definitions on the base branch would test. */
function agentsOf(definitions: LoadedDefinitions, input: StartRunInput): TestedAgent[] {
  const asked = { ...toRequest(input), cases: [], tags: [], difficulty: null };
  const planned = planRun({ definitions, request: { ...asked, compared: true, variants: ['head'] }, runSeed: '' });
  return planned.ok ? planned.plan.suiteRuns : [];
}

interface RunsQuestion {
  repositoryId: string;
  /** Of the suites that are compared. */
  suiteNames: readonly string[];
  suitePaths: readonly string[];
  /** The merge base and what came before it: their runs are wanted whatever ran since. */
  commits: readonly string[];
}

/** More than a branch can have had in the days that count. */
const mostRuns = 200;

/** Runs of the base branch that have any of these suites, newest first, with the agents that they tested. */
async function findBaseRuns(
  em: EntityManager,
  { repositoryId, suiteNames, suitePaths, commits }: RunsQuestion,
): Promise<BaseRun[]> {
  const { rows } = await sql<BaseRun>`
    select * from (
      select r.id as "runId", r.head_sha as commit, r.created_at,
        greatest(0, extract(epoch from now() - r.created_at) / 86400)::float8 as "ageDays",
        jsonb_agg(jsonb_build_object('suiteName', s.suite_name, 'cellKey', s.cell_key, 'agentHash', s.agent_hash)) as agents
      from runs r join test_suite_runs s on s.tenant_id = r.tenant_id and s.run_id = r.id
      where r.repository_id = ${repositoryId} and r.is_base and r.head_sha is not null
        and r.status in ('pending', 'running', 'completed') and s.variant = 'head' and s.purpose = 'first'
        and (s.suite_name = any(${suiteNames}::text[]) or s.suite_path = any(${suitePaths}::text[]))
      group by r.tenant_id, r.id
      order by (r.head_sha = any(${commits}::text[])) desc, r.created_at desc limit ${mostRuns}) found
    order by created_at desc`.execute(em.getKysely());
  return rows;
}
