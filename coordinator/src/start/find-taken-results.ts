import type { EntityManager } from '@mikro-orm/postgresql';
import type { StartRunInput, Trigger } from '@proofmark/contracts/start-run-input';
import type { EarlyStop } from '@proofmark/contracts/verdict';
import type { PlannedSuiteRun } from '@proofmark/domain/plan-run';
import { sql } from 'kysely';
import type { TakenFrom } from '../database/json-columns.ts';
import type { TakenResult } from '../ledger/new-test-run.ts';
import type { PreparedPlan } from './prepare-plan.ts';

/** Results that a suite run takes over: one for each test run that would be given to a runner, or it is none. */
export interface TakenResults {
  from: TakenFrom;
  /** Why the comparison that they come from was over before all of it was measured; null: it was not. */
  early: EarlyStop | null;
  /** Null: it was not needed there, and is not here. */
  resultOf: (testRun: { caseKey: string; repetition: number }) => TakenResult | null;
}

interface Question {
  repositoryId: string | null;
  trigger: Trigger;
  settings: Pick<StartRunInput['settings'], 'reuse'>;
  isBase: boolean;
  /** Repeats something that was stored: it is measured again. */
  isRepeat: boolean;
}

const mostDays = 14;

/** How results may be taken over; null when they may not: a re-run, a schedule and a dispatch measure anew. */
export function mayTake({ repositoryId, trigger, settings, isBase, isRepeat }: Question): TakenFrom['how'] | null {
  const { event, workflowRunAttempt } = trigger;
  const isRerun = isRepeat || (workflowRunAttempt !== null && workflowRunAttempt !== '1');
  if (repositoryId === null || !settings.reuse || isRerun) return null;
  if (event === 'push') return isBase ? 'promoted' : null;
  return event === 'pull_request' || event === 'merge_group' ? 'reused' : null;
}

interface Source {
  id: string;
  runId: string;
  fingerprint: string;
  isBaseline: boolean;
  pullRequest: number | null;
  early: EarlyStop | null;
}

/** By test run; null: an early end made it needless. */
type Results = ReadonlyMap<string, TakenResult | null>;

/**
 * For each suite run the results that a completed pull request of the same repository has for equal content, newest run
 * first; absent where none has all of them. Which run is taken never depends on how its test runs ended. A comparison that
 * was certain before its end is as certain again; what was not measured is no base for others.
 */
export async function findTakenResults(
  em: EntityManager,
  suiteRuns: readonly PlannedSuiteRun[],
  { fingerprints: byPrint, ...question }: Question & Pick<PreparedPlan, 'fingerprints'>,
): Promise<Map<PlannedSuiteRun, TakenResults>> {
  const how = mayTake(question);
  if (how === null) return new Map();
  const prints = [...new Set(byPrint.values())].filter((print) => print !== null);
  if (prints.length === 0) return new Map();
  const sources = (await readSources(em, question, prints)).filter(({ early }) => how === 'reused' || early === null);
  const results = await readResults(em, sources);
  const taken = new Map<PlannedSuiteRun, TakenResults>();
  for (const sides of Map.groupBy(suiteRuns, cellOf).values()) {
    for (const [planned, found] of fromOneRun(sides, { sources, results, byPrint, how })) taken.set(planned, found);
  }
  return taken;
}

const cellOf = ({ suitePath, cellKey }: PlannedSuiteRun): string => JSON.stringify([suitePath, cellKey]);

interface Known {
  /** Newest first. */
  sources: readonly Source[];
  results: ReadonlyMap<string, Results>;
  byPrint: ReadonlyMap<PlannedSuiteRun, string | null>;
  how: TakenFrom['how'];
}

/** Both sides of a cell come from one run or are measured: only trials that ran beside each other share what drifts. */
function fromOneRun(
  sides: readonly PlannedSuiteRun[],
  { sources, results, byPrint, how }: Known,
): [PlannedSuiteRun, TakenResults][] {
  for (const runId of new Set(sources.map((source) => source.runId))) {
    const found = sides.flatMap((planned): [PlannedSuiteRun, TakenResults][] => {
      const source = sources.find(
        (one) =>
          one.runId === runId &&
          one.fingerprint === byPrint.get(planned) &&
          one.isBaseline === (planned.variant === 'baseline') &&
          covers(results.get(one.id), planned),
      );
      return source === undefined ? [] : [[planned, takenFrom(source, how, results.get(source.id))]];
    });
    if (found.length === sides.length) return found;
  }
  return [];
}

function takenFrom(
  { id: suiteRunId, runId, pullRequest, early }: Source,
  how: TakenFrom['how'],
  results: Results | undefined,
): TakenResults {
  return {
    from: { suiteRunId, runId, pullRequest, how },
    early,
    resultOf: (testRun) => {
      const result = results?.get(keyOf(testRun));
      if (result === undefined) throw new Error(`${suiteRunId} has no ${keyOf(testRun)}`);
      return result;
    },
  };
}

const keyOf = ({ caseKey, repetition }: { caseKey: string; repetition: number }): string => `${repetition} ${caseKey}`;

function covers(results: Results | undefined, { testRuns }: PlannedSuiteRun): boolean {
  return results !== undefined && testRuns.every((testRun) => testRun.decided !== null || results.has(keyOf(testRun)));
}

/**
 * A run in which anything went wrong is no source: an error is worth another try. What a fork measured counts for its own
 * pull request alone.
 */
async function readSources(
  em: EntityManager,
  { repositoryId, trigger }: Question,
  prints: readonly string[],
): Promise<Source[]> {
  const { rows } = await sql<Source>`
    select s.id, s.run_id as "runId", s.fingerprint, s.variant = 'baseline' as "isBaseline", r.pull_request as "pullRequest",
      s.early
    from test_suite_runs s join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
    where s.fingerprint = any(${prints}::text[]) and s.taken_from is null and s.purpose = 'first'
      and s.status = 'completed' and s.errored_cases = 0 and s.created_at > now() - ${mostDays} * interval '1 day'
      and r.repository_id = ${repositoryId} and r.event = 'pull_request' and r.pull_request is not null
      and ((r.trigger ->> 'isFork' is distinct from 'true' and r.trigger -> 'approval' is null) or r.pull_request = ${trigger.pullRequest})
      and r.status = 'completed' and r.head_sha is distinct from ${trigger.headSha}
    order by s.created_at desc limit 200`.execute(em.getKysely());
  return rows;
}

async function readResults(em: EntityManager, sources: readonly Source[]): Promise<Map<string, Results>> {
  if (sources.length === 0) return new Map();
  const { rows } = await sql<ResultRow>`
    select id, run_id as "suiteRunId", case_key as "caseKey", repetition, status from test_case_results
    where run_id = any(${sources.map(({ id }) => id)}::uuid[])
      and (status in ('passed', 'failed') or (status = 'skipped' and skip_reason = 'early_stop'))`.execute(
    em.getKysely(),
  );
  const bySuiteRun = Map.groupBy(rows, ({ suiteRunId }) => suiteRunId);
  return new Map(
    [...bySuiteRun].map(([suiteRunId, all]) => [
      suiteRunId,
      new Map(all.map(({ id, status, ...key }) => [keyOf(key), status === 'skipped' ? null : { id, status }])),
    ]),
  );
}

interface ResultRow {
  id: string;
  suiteRunId: string;
  caseKey: string;
  repetition: number;
  status: TakenResult['status'] | 'skipped';
}
