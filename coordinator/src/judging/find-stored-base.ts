import type { EntityManager } from '@mikro-orm/postgresql';
import type { JudgedAgain } from '@proofmark/contracts/verdict';
import type { ChosenBaseline } from '@proofmark/domain/choose-baseline';
import type { Trial } from '@proofmark/domain/decide-verdict';
import { describeJudgedAgain, withJudgedAgain } from '@proofmark/domain/judge-again';
import { sql } from 'kysely';
import { trialsOf } from './collect-trials.ts';
import { findBaselineRun } from './find-baseline-run.ts';
import type { SuiteRunToJudge } from './read-suite-run.ts';

/** The earlier run of the base branch that a suite run is held against. */
export interface StoredBase {
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
export async function findStoredBase(em: EntityManager, { suiteRun, ofCell, head }: Cell): Promise<StoredBase | null> {
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
