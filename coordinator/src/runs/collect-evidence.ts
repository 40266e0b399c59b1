import type { EntityManager } from '@mikro-orm/postgresql';
import type { BaselineChoice } from '@proofmark/contracts/verdict';
import { type ChosenBaseline, placeBaseline } from '@proofmark/domain/choose-baseline';
import type { Trial, VerdictInput } from '@proofmark/domain/decide-verdict';
import { sql } from 'kysely';
import { caseWindows, historyTrials } from './case-history.ts';
import { pooledTrials, trialsOf } from './collect-trials.ts';
import { baselineQuestion, findBaselineRun } from './find-baseline-run.ts';
import { previousTrials } from './previous-trials.ts';
import type { SuiteRunToJudge } from './read-suite-run.ts';

/** A cell with everything that its verdict rests on. */
export interface Evidence {
  suiteRun: SuiteRunToJudge;
  input: VerdictInput;
  /** The earlier run of the base branch that it is held against. */
  baselineSuiteRunId: string | null;
}

/** Reads what the verdict on one cell needs; `siblings` are all suite runs of its suite in the run. */
export async function collectEvidence(
  em: EntityManager,
  suiteRun: SuiteRunToJudge,
  siblings: readonly SuiteRunToJudge[],
): Promise<Evidence> {
  const ofCell = siblings.filter(({ cellKey }) => cellKey === suiteRun.cellKey);
  const read = async (purpose: SuiteRunToJudge['purpose'], isBaseline: boolean): Promise<Trial[] | null> => {
    const found = ofCell.find((one) => one.purpose === purpose && (one.variant === 'baseline') === isBaseline);
    return found === undefined ? null : trialsOf(em, suiteRun.tenantId, found.id);
  };
  const beside = ofCell.find(({ variant, purpose }) => variant === 'baseline' && purpose === 'first') ?? null;
  const stored = await findBaselineRun(em, suiteRun, beside?.agentHash ?? null);
  const previous = stored && (await trialsOf(em, suiteRun.tenantId, stored.candidate.suiteRunId));
  const compared = await previousTrials(em, suiteRun, previous);
  const concurrent = await read('first', true);
  const [freshHead, freshBase] = [await read('confirm', false), await read('confirm', true)];
  const pooled = await pooledTrials(em, suiteRun);
  return {
    suiteRun,
    baselineSuiteRunId: stored?.candidate.suiteRunId ?? null,
    input: {
      head: await trialsOf(em, suiteRun.tenantId, suiteRun.id),
      base: concurrent ?? (await countedTrials(em, suiteRun.tenantId, stored, previous)),
      isConcurrent: concurrent !== null,
      ...(compared === null ? {} : { previous: compared }),
      afterDrift: (await read('drift', true)) ?? [],
      history: await history(em, suiteRun, { beside, stored, ofCell }),
      pooled: pooled.trials,
      pooledRuns: pooled.runs + 1,
      windows: await caseWindows(em, suiteRun),
      settings: suiteRun.settings,
      baseline: beside === null ? (stored?.choice ?? null) : await choiceOf(em, suiteRun, { beside, stored }),
      ...(suiteRun.baseName === null ? {} : { baseName: suiteRun.baseName }),
      canConfirm: beside !== null,
      fresh: freshHead === null || freshBase === null ? null : { head: freshHead, base: freshBase },
      early: suiteRun.early,
    },
  };
}

/** Heads that were merged had been selected for passing: what main took over from them is shown, and counts for nothing. */
async function countedTrials(
  em: EntityManager,
  tenantId: string,
  stored: ChosenBaseline | null,
  trials: Trial[] | null,
): Promise<Trial[] | null> {
  const { rows } = await sql`
    select 1 from test_suite_runs
    where tenant_id = ${tenantId} and id = ${stored?.candidate.suiteRunId ?? null} and taken_from is not null`.execute(
    em.getKysely(),
  );
  return rows.length === 0 ? trials : [];
}

interface Sides {
  beside: SuiteRunToJudge | null;
  stored: ChosenBaseline | null;
  ofCell: readonly SuiteRunToJudge[];
}

async function history(
  em: EntityManager,
  suiteRun: SuiteRunToJudge,
  { beside, stored, ofCell }: Sides,
): Promise<Trial[]> {
  const agentHash = beside?.agentHash ?? stored?.candidate.agentHash;
  if (agentHash === undefined) return [];
  const counted = ofCell.flatMap(({ id, takenFrom }) => (takenFrom === null ? [id] : [id, takenFrom.suiteRunId]));
  // Beside a base that runs now, the earlier run is history like any other.
  const without = beside === null && stored !== null ? [...counted, stored.candidate.suiteRunId] : counted;
  return historyTrials(em, { suiteRun, agentHash, without });
}

/** The base that ran beside is placed by the commit whose definitions it ran. */
async function choiceOf(
  em: EntityManager,
  suiteRun: SuiteRunToJudge,
  { beside, stored }: { beside: SuiteRunToJudge; stored: ChosenBaseline | null },
): Promise<BaselineChoice | null> {
  const { baseCommit } = suiteRun;
  if (baseCommit === null) return stored?.choice ?? null;
  const question = await baselineQuestion(em, suiteRun);
  return placeBaseline({ commit: baseCommit, agentHash: beside.agentHash, ageDays: 0 }, question).choice;
}
