import type { EntityManager } from '@mikro-orm/postgresql';
import type { MeasuredJudge } from '@proofmark/contracts/judge-measurement';
import type { BaselineChoice } from '@proofmark/contracts/verdict';
import { placeBaseline } from '@proofmark/domain/choose-baseline';
import type { Trial, VerdictInput } from '@proofmark/domain/decide-verdict';
import { caseWindows, historyTrials, lastTrials } from './case-history.ts';
import { pooledTrials, trialsOf } from './collect-trials.ts';
import { baselineQuestion } from './find-baseline-run.ts';
import { findStoredBase, type StoredBase } from './find-stored-base.ts';
import { previousTrials } from './previous-trials.ts';
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
