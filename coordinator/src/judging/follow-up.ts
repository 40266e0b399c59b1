import type { EntityManager } from '@mikro-orm/postgresql';
import type { Verdict } from '@proofmark/contracts/verdict';
import { wantsConfirmation } from '@proofmark/domain/confirm';
import { sql } from 'kysely';
import type { SuiteRunToJudge } from './read-suite-run.ts';
import { scheduleRejudging } from './schedule-rejudging.ts';
import { scheduleReruns } from './schedule-rerun.ts';

/** All suite runs of one cell of a suite. */
interface Cell {
  suiteRun: SuiteRunToJudge;
  ofCell: readonly SuiteRunToJudge[];
}

interface JudgedCell extends Cell {
  /** The suite run of the base whose answers only another judge has judged; null: the judge is the same. */
  judgeAgain: string | null;
}

const leastFresh = 3;

/**
 * Asks again what a verdict leaves open: the head's judge judges what the base said under another one, a base that
 * drifted from its history runs as often as the head, and a suspicion is confirmed where the suite wants that by itself.
 * False when nothing was asked.
 */
export async function followUp(em: EntityManager, cell: JudgedCell, verdict: Verdict): Promise<boolean> {
  const { suiteRun, judgeAgain } = cell;
  if (judgeAgain !== null && (await scheduleRejudging(em, { suiteRun, baseId: judgeAgain }))) return true;
  if (verdict.drift !== null && (await scheduleDrift(em, cell))) return true;
  return wantsConfirmation(verdict) && (await scheduleConfirmation(em, cell));
}

/** Runs all cases of both sides again, on trials that count for nothing else. False when there is no other side to run. */
export async function scheduleConfirmation(em: EntityManager, { suiteRun, ofCell }: Cell): Promise<boolean> {
  const base = ofCell.find(({ variant, purpose }) => variant === 'baseline' && purpose === 'first');
  if (base === undefined || ofCell.some(({ purpose }) => purpose === 'confirm')) return false;
  const [last, planned] = [await lastRepetition(em, ofCell), await lastRepetition(em, [suiteRun])];
  const repetitions = count(last + 1, Math.max(leastFresh, planned));
  return await scheduleReruns(
    em,
    [base, suiteRun].map((of) => ({ of, purpose: 'confirm', repetitions })),
  );
}

async function scheduleDrift(em: EntityManager, { suiteRun, ofCell }: Cell): Promise<boolean> {
  const base = ofCell.find(({ variant, purpose }) => variant === 'baseline' && purpose === 'first');
  if (base === undefined || ofCell.some(({ purpose }) => purpose === 'drift')) return false;
  const [done, wanted] = [await lastRepetition(em, [base]), await lastRepetition(em, [suiteRun])];
  return await scheduleReruns(em, [{ of: base, purpose: 'drift', repetitions: count(done + 1, wanted - done) }]);
}

const count = (from: number, length: number): number[] =>
  Array.from({ length: Math.max(0, length) }, (_, index) => from + index);

async function lastRepetition(em: EntityManager, suiteRuns: readonly SuiteRunToJudge[]): Promise<number> {
  const ids = suiteRuns.map(({ id }) => id);
  const { rows } = await sql<{ last: number }>`
    select coalesce(max(repetition), 0)::int as last from test_case_results
    where tenant_id = ${suiteRuns[0]?.tenantId ?? null} and run_id = any(${ids}::uuid[])`.execute(em.getKysely());
  return rows[0]?.last ?? 0;
}
