import type { EntityManager } from '@mikro-orm/postgresql';
import type { MeasuredJudge } from '@proofmark/contracts/judge-measurement';
import type { BaselineChoice } from '@proofmark/contracts/verdict';
import { type ChosenBaseline, placeBaseline } from '@proofmark/domain/choose-baseline';
import type { Trial } from '@proofmark/domain/decide-verdict';
import {
  type CellEvidence,
  type CellSides,
  evidenceOf,
  type StoredBase,
  sidesOfCell,
} from '@proofmark/domain/judge-cells';
import { sql } from 'kysely';
import { caseWindows, historyTrials, lastTrials } from './case-history.ts';
import { pooledTrials, trialsOf } from './collect-trials.ts';
import { baselineQuestion, findBaselineRun } from './find-baseline-run.ts';
import type { SuiteRunToJudge } from './read-suite-run.ts';

/** A cell with everything that its verdict rests on. */
export interface Evidence extends CellEvidence {
  sides: Sides;
  /** The earlier run of the base branch that it is held against. */
  baselineSuiteRunId: string | null;
}

export type Sides = CellSides<SuiteRunToJudge>;

/** What the cells of a suite have in common. */
interface JudgedTogether {
  /** All suite runs of the suite in the run. */
  siblings: readonly SuiteRunToJudge[];
  /** What labelled answers say about its judge. */
  judge: MeasuredJudge | null;
}

/** Reads what the verdict on one cell needs. */
export async function collectEvidence(
  em: EntityManager,
  suiteRun: SuiteRunToJudge,
  { siblings, judge }: JudgedTogether,
): Promise<Evidence> {
  const sides = sidesOfCell(suiteRun, siblings);
  const { beside, fresh, drift } = sides;
  const read = ({ tenantId, id }: SuiteRunToJudge): Promise<Trial[]> => trialsOf(em, tenantId, id);
  const found = await findStoredBase(em, sides);
  const previous = await previousTrials(em, suiteRun);
  const pooled = await pooledTrials(em, suiteRun);
  const evidence = evidenceOf({
    head: await read(suiteRun),
    beside: beside && (await read(beside)),
    stored: found?.stored ?? null,
    besideChoice: beside && (await choiceOf(em, suiteRun, beside)),
    removed: await lastTrials(em, suiteRun),
    ...(previous === null ? {} : { previous }),
    afterDrift: drift === null ? [] : await read(drift),
    history: await history(em, sides, found?.chosen ?? null),
    pooled: pooled.trials,
    pooledRuns: pooled.runs + 1,
    windows: await caseWindows(em, suiteRun),
    settings: suiteRun.settings,
    ...(suiteRun.baseName === null ? {} : { baseName: suiteRun.baseName }),
    canRerun: true,
    fresh: fresh && { head: await read(fresh.head), base: await read(fresh.base) },
    early: suiteRun.early,
    judge,
  });
  return { ...evidence, sides, baselineSuiteRunId: found?.chosen.candidate.suiteRunId ?? null };
}

async function history(
  em: EntityManager,
  { head, beside, all }: Sides,
  chosen: ChosenBaseline | null,
): Promise<Trial[]> {
  const agentHash = beside?.agentHash ?? chosen?.candidate.agentHash;
  if (agentHash === undefined) return [];
  const counted = all.flatMap(({ id, takenFrom }) => (takenFrom === null ? [id] : [id, takenFrom.suiteRunId]));
  // Beside a base that runs now, the earlier run is history like any other.
  const without = beside === null && chosen !== null ? [...counted, chosen.candidate.suiteRunId] : counted;
  return historyTrials(em, { suiteRun: head, agentHash, without });
}

/** The base that ran beside is placed by the commit whose definitions it ran; null where nobody knows that. */
async function choiceOf(
  em: EntityManager,
  suiteRun: SuiteRunToJudge,
  beside: SuiteRunToJudge,
): Promise<BaselineChoice | null> {
  const { baseCommit } = suiteRun;
  if (baseCommit === null) return null;
  const question = await baselineQuestion(em, suiteRun);
  return placeBaseline({ commit: baseCommit, agentHash: beside.agentHash, ageDays: 0 }, question).choice;
}

/**
 * The trials of the completed run of the suite before this one: what the alert rule looks at where neither a commit nor a
 * pull request says what to compare with. Cancelled and failed runs are passed over, and so are pull requests, repeats of
 * another run, and runs that were asked for other cases: a few that were picked, mostly because they failed, say nothing about
 * the suite. Null when there is none, or when the suite run is a repeat, or of the base branch or a proposal.
 */
async function previousTrials(em: EntityManager, suiteRun: SuiteRunToJudge): Promise<Trial[] | null> {
  const { tenantId, runId, suiteId, cellKey, createdAt, variant, isBase, pullRequest, baselineMode } = suiteRun;
  if (variant !== 'head' || isBase || pullRequest !== null || baselineMode === 'none') return null;
  const { rows } = await sql<{ id: string }>`
    select s.id from test_suite_runs s join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
    where s.tenant_id = ${tenantId} and s.suite_id = ${suiteId} and s.cell_key = ${cellKey} and s.variant = 'head'
      and s.purpose = 'first' and s.status = 'completed' and s.run_id <> ${runId} and r.pull_request is null
      and r.rerun_of is null and s.created_at < ${createdAt}::timestamptz
      and ${askedCases} = (select ${askedCases} from runs r
        where r.tenant_id = ${tenantId} and r.id = ${runId} and r.rerun_of is null)
    order by s.created_at desc limit 1`.execute(em.getKysely());
  return rows[0] === undefined ? null : await trialsOf(em, tenantId, rows[0].id);
}

/** Which cases of its suites a run `r` was asked for: equal however they were listed, and of two runs of all cases. */
const askedCases = sql`jsonb_build_array(
  array(select distinct jsonb_array_elements_text(coalesce(r.requested #> '{selection,cases}', '[]')) order by 1),
  array(select distinct jsonb_array_elements_text(coalesce(r.requested #> '{selection,tags}', '[]')) order by 1),
  r.requested #> '{selection,difficulty}')`;

/** Null when there is none. A base whose answers were judged again in this run is the base, whatever has run since. */
async function findStoredBase(
  em: EntityManager,
  { head, beside, rejudged }: Sides,
): Promise<{ chosen: ChosenBaseline; stored: StoredBase } | null> {
  const { tenantId } = head;
  const chosen = await findBaselineRun(em, head, {
    agentHash: beside?.agentHash ?? null,
    suiteRunId: rejudged?.takenFrom?.suiteRunId ?? null,
  });
  if (chosen === null) return null;
  const { suiteRunId, commit } = chosen.candidate;
  const stored = {
    commit,
    choice: chosen.choice,
    trials: await trialsOf(em, tenantId, suiteRunId),
    again: rejudged && (await trialsOf(em, tenantId, rejudged.id)),
    isTaken: await hasTakenResults(em, tenantId, suiteRunId),
  };
  return { chosen, stored };
}

async function hasTakenResults(em: EntityManager, tenantId: string, suiteRunId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from test_suite_runs where tenant_id = ${tenantId} and id = ${suiteRunId} and taken_from is not null`.execute(
    em.getKysely(),
  );
  return rows.length > 0;
}
