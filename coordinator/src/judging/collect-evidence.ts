import type { EntityManager } from '@mikro-orm/postgresql';
import type { MeasuredJudge } from '@proofmark/contracts/judge-measurement';
import type { BaselineChoice, JudgedAgain } from '@proofmark/contracts/verdict';
import { type ChosenBaseline, placeBaseline } from '@proofmark/domain/choose-baseline';
import type { Trial, VerdictInput } from '@proofmark/domain/decide-verdict';
import { describeJudgedAgain, withJudgedAgain } from '@proofmark/domain/judge-again';
import { sql } from 'kysely';
import { caseWindows, historyTrials, lastTrials } from './case-history.ts';
import { pooledTrials, trialsOf } from './collect-trials.ts';
import { baselineQuestion, findBaselineRun } from './find-baseline-run.ts';
import type { SuiteRunToJudge } from './read-suite-run.ts';

/** A cell with everything that its verdict rests on. */
export interface Evidence {
  suiteRun: SuiteRunToJudge;
  input: VerdictInput;
  /** The earlier run of the base branch that it is held against. */
  baselineSuiteRunId: string | null;
  /** That run has answers that only another judge has judged, and none of them was judged again. */
  isJudgedOtherwise: boolean;
}

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
  const ofCell = siblings.filter(({ cellKey }) => cellKey === suiteRun.cellKey);
  const read = async (purpose: SuiteRunToJudge['purpose'], isBaseline: boolean): Promise<Trial[] | null> => {
    const found = ofCell.find((one) => one.purpose === purpose && (one.variant === 'baseline') === isBaseline);
    return found === undefined ? null : trialsOf(em, suiteRun.tenantId, found.id);
  };
  const beside = ofCell.find(({ variant, purpose }) => variant === 'baseline' && purpose === 'first') ?? null;
  const head = await trialsOf(em, suiteRun.tenantId, suiteRun.id);
  const stored = await findStoredBase(em, { suiteRun, ofCell, head });
  const compared = await previousTrials(em, suiteRun, stored?.trials ?? null);
  const concurrent = await read('first', true);
  const [freshHead, freshBase] = [await read('confirm', false), await read('confirm', true)];
  const pooled = await pooledTrials(em, suiteRun);
  return {
    suiteRun,
    baselineSuiteRunId: stored?.chosen.candidate.suiteRunId ?? null,
    isJudgedOtherwise: isJudgedOtherwise(stored, ofCell),
    input: {
      head,
      base: concurrent ?? countedTrials(stored),
      removed: await lastTrials(em, suiteRun),
      judgedAgain: stored?.judgedAgain ?? null,
      isConcurrent: concurrent !== null,
      ...(compared === null ? {} : { previous: compared }),
      afterDrift: (await read('drift', true)) ?? [],
      history: await history(em, suiteRun, { beside, stored, ofCell }),
      pooled: pooled.trials,
      pooledRuns: pooled.runs + 1,
      windows: await caseWindows(em, suiteRun),
      settings: suiteRun.settings,
      baseline: beside === null ? (stored?.chosen.choice ?? null) : await choiceOf(em, suiteRun, { beside, stored }),
      ...(suiteRun.baseName === null ? {} : { baseName: suiteRun.baseName }),
      canConfirm: beside !== null,
      fresh: freshHead === null || freshBase === null ? null : { head: freshHead, base: freshBase },
      early: suiteRun.early,
      judge,
    },
  };
}

const isJudgedOtherwise = (stored: StoredBase | null, ofCell: readonly SuiteRunToJudge[]): boolean =>
  stored !== null && stored.judgedAgain !== null && ofCell.every(({ purpose }) => purpose !== 'rejudge');

/** Heads that were merged had been selected for passing: what main took over from them is shown, and counts for nothing. */
function countedTrials(stored: StoredBase | null): readonly Trial[] | null {
  if (stored === null) return null;
  return stored.isTaken ? [] : stored.trials;
}

interface Sides {
  beside: SuiteRunToJudge | null;
  stored: StoredBase | null;
  ofCell: readonly SuiteRunToJudge[];
}

async function history(
  em: EntityManager,
  suiteRun: SuiteRunToJudge,
  { beside, stored, ofCell }: Sides,
): Promise<Trial[]> {
  const agentHash = beside?.agentHash ?? stored?.chosen.candidate.agentHash;
  if (agentHash === undefined) return [];
  const counted = ofCell.flatMap(({ id, takenFrom }) => (takenFrom === null ? [id] : [id, takenFrom.suiteRunId]));
  // Beside a base that runs now, the earlier run is history like any other.
  const without = beside === null && stored !== null ? [...counted, stored.chosen.candidate.suiteRunId] : counted;
  return historyTrials(em, { suiteRun, agentHash, without });
}

/** The base that ran beside is placed by the commit whose definitions it ran. */
async function choiceOf(
  em: EntityManager,
  suiteRun: SuiteRunToJudge,
  { beside, stored }: { beside: SuiteRunToJudge; stored: StoredBase | null },
): Promise<BaselineChoice | null> {
  const { baseCommit } = suiteRun;
  if (baseCommit === null) return stored?.chosen.choice ?? null;
  const question = await baselineQuestion(em, suiteRun);
  return placeBaseline({ commit: baseCommit, agentHash: beside.agentHash, ageDays: 0 }, question).choice;
}

/**
 * The trials of the completed run of the suite before this one: what the alert rule looks at where neither a commit nor a
 * pull request says what to compare with. Cancelled and failed runs are passed over, and so are pull requests. Those of the
 * base when there is none, or when the suite run is of the base branch or a proposal.
 */
async function previousTrials(
  em: EntityManager,
  suiteRun: SuiteRunToJudge,
  base: Trial[] | null,
): Promise<Trial[] | null> {
  const { tenantId, runId, suiteId, cellKey, createdAt, variant, isBase, pullRequest, baselineMode } = suiteRun;
  if (variant !== 'head' || isBase || pullRequest !== null || baselineMode === 'none') return base;
  const { rows } = await sql<{ id: string }>`
    select s.id from test_suite_runs s join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
    where s.tenant_id = ${tenantId} and s.suite_id = ${suiteId} and s.cell_key = ${cellKey} and s.variant = 'head'
      and s.purpose = 'first' and s.status = 'completed' and s.run_id <> ${runId} and r.pull_request is null
      and s.created_at < ${createdAt}::timestamptz
    order by s.created_at desc limit 1`.execute(em.getKysely());
  return rows[0] === undefined ? base : await trialsOf(em, tenantId, rows[0].id);
}

/** The earlier run of the base branch that a suite run is held against. */
interface StoredBase {
  chosen: ChosenBaseline;
  /** With the verdicts of the head's judge where its answers were judged again. */
  trials: Trial[];
  /** Its results are those of a pull request: shown, and counted for nothing. */
  isTaken: boolean;
  /** What was judged again, or could not be; null where the judge is the same. */
  judgedAgain: JudgedAgain | null;
}

interface Cell {
  suiteRun: SuiteRunToJudge;
  ofCell: readonly SuiteRunToJudge[];
  head: readonly Trial[];
}

/** Null when there is none. A base whose answers were judged again in this run is the base, whatever has run since. */
async function findStoredBase(em: EntityManager, { suiteRun, ofCell, head }: Cell): Promise<StoredBase | null> {
  const { tenantId } = suiteRun;
  const beside = ofCell.find(({ variant, purpose }) => variant === 'baseline' && purpose === 'first');
  const rejudged = ofCell.find(({ purpose }) => purpose === 'rejudge');
  const chosen = await findBaselineRun(em, suiteRun, {
    agentHash: beside?.agentHash ?? null,
    suiteRunId: rejudged?.takenFrom?.suiteRunId ?? null,
  });
  if (chosen === null) return null;
  const { suiteRunId, commit } = chosen.candidate;
  const stored = await trialsOf(em, tenantId, suiteRunId);
  const again = rejudged === undefined ? [] : await trialsOf(em, tenantId, rejudged.id);
  const isTaken = await hasTakenResults(em, tenantId, suiteRunId);
  const isAskedNow = beside !== undefined || isTaken;
  return {
    ...{ chosen, isTaken, trials: withJudgedAgain({ stored, again }) },
    judgedAgain: isAskedNow ? null : describeJudgedAgain({ stored, again, head, commit }),
  };
}

async function hasTakenResults(em: EntityManager, tenantId: string, suiteRunId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from test_suite_runs where tenant_id = ${tenantId} and id = ${suiteRunId} and taken_from is not null`.execute(
    em.getKysely(),
  );
  return rows.length > 0;
}
