import type { EntityManager } from '@mikro-orm/postgresql';
import type { Verdict } from '@proofmark/contracts/verdict';
import { decideCells } from '@proofmark/domain/decide-cells';
import { decideVerdict } from '@proofmark/domain/decide-verdict';
import { sql } from 'kysely';
import { storableJson } from '../database/storable.ts';
import { collectEvidence, type Evidence } from './collect-evidence.ts';
import { followUp } from './follow-up.ts';
import { readMeasuredJudge } from './read-measured-judge.ts';
import type { SuiteRunToJudge } from './read-suite-run.ts';
import { chooseShownCases } from './shown-cases.ts';
import { summariseCases } from './summarise-cases.ts';
import { updateFlakiness } from './update-flakiness.ts';

/** Of the cases of a base run, the share that must be scored before others may be compared with it. */
const leastScored = 0.8;

/** Judges the cells of a suite together and stores each verdict once. All suite runs have ended and are locked. */
export async function judgeSuite(em: EntityManager, all: readonly SuiteRunToJudge[]): Promise<void> {
  const siblings = all.filter(({ purpose }) => purpose !== 'calibrate');
  const cells = siblings.filter(isJudgedAlone);
  if (cells.every(({ isJudged }) => isJudged)) return;
  const judge = await readMeasuredJudge(em, all);
  const evidence: Evidence[] = [];
  for (const cell of cells) evidence.push(await collectEvidence(em, cell, { siblings, judge }));
  const verdicts = decideCells(evidence.map(({ input }) => input));
  if (await askAgain(em, { evidence, verdicts, siblings })) return;
  await summariseCases(em, siblings);
  for (const [index, { suiteRun, baselineSuiteRunId }] of evidence.entries()) {
    const verdict = verdicts[index];
    if (verdict === undefined || suiteRun.isJudged) continue;
    await storeVerdict(em, suiteRun, verdict, baselineSuiteRunId);
    if (isEligible(suiteRun, verdict)) await storeBaseline(em, suiteRun);
  }
  await updateFlakiness(em, cells);
}

/**
 * Stores for every cell that has no verdict yet that there is none and why, without reading a result: what could not be
 * judged so often is not tried once more. Nothing that went missing is ever green.
 */
export async function storeNoVerdict(em: EntityManager, all: readonly SuiteRunToJudge[], why: string): Promise<void> {
  for (const suiteRun of all.filter(isJudgedAlone)) {
    const nothing = decideVerdict({ head: [], base: null, settings: suiteRun.settings });
    const told = { title: 'The suite could not be judged', paragraph: ['The coordinator gave up: ', { code: why }] };
    await storeVerdict(em, suiteRun, { ...nothing, ...told }, null);
  }
}

interface Judged {
  evidence: readonly Evidence[];
  verdicts: readonly Verdict[];
  siblings: readonly SuiteRunToJudge[];
}

/** Cells are judged together, so all of them wait while one of them is asked again. */
async function askAgain(em: EntityManager, { evidence, verdicts, siblings }: Judged): Promise<boolean> {
  let isAsked = false;
  for (const [index, { suiteRun, isJudgedOtherwise, baselineSuiteRunId }] of evidence.entries()) {
    const verdict = verdicts[index];
    if (verdict === undefined || suiteRun.isJudged) continue;
    const ofCell = siblings.filter(({ cellKey }) => cellKey === suiteRun.cellKey);
    const judgeAgain = isJudgedOtherwise ? baselineSuiteRunId : null;
    if (await followUp(em, { suiteRun, ofCell, judgeAgain }, verdict)) isAsked = true;
  }
  return isAsked;
}

/** A base beside and the reruns that settle a suspicion are part of what the first candidate is judged by. */
const isJudgedAlone = ({ variant, purpose, status }: SuiteRunToJudge): boolean =>
  variant !== 'baseline' && purpose === 'first' && status !== 'cancelled';

async function storeVerdict(
  em: EntityManager,
  suiteRun: SuiteRunToJudge,
  verdict: Verdict,
  baselineSuiteRunId: string | null,
): Promise<void> {
  const { tenantId, id } = suiteRun;
  const shown = await chooseShownCases(em, suiteRun, { verdict, baselineSuiteRunId });
  await sql`
    update test_suite_runs
    set verdict = ${verdict.word}, verdict_detail = ${storableJson(verdict)}, baseline_suite_run_id = ${baselineSuiteRunId},
      shown_cases = ${storableJson(shown)}
    where tenant_id = ${tenantId} and id = ${id} and verdict is null`.execute(em.getKysely());
}

/** Whether later runs may be compared with it: a complete run of the base branch in which enough could be judged. */
function isEligible({ isBase, status, variant, headSha }: SuiteRunToJudge, { cases }: Verdict): boolean {
  if (!isBase || status !== 'completed' || variant !== 'head' || headSha === null) return false;
  const executed = cases.filter(({ head }) => head !== null);
  const scored = executed.filter(({ headStatus }) => headStatus === 'passed' || headStatus === 'failed');
  return scored.length > 0 && scored.length >= executed.length * leastScored;
}

async function storeBaseline(em: EntityManager, suiteRun: SuiteRunToJudge): Promise<void> {
  const { tenantId, id, suiteId, cellKey, headSha, agentHash } = suiteRun;
  // A commit that is run again, by a schedule for instance, has its newest run as baseline.
  await sql`
    insert into baselines (tenant_id, suite_id, cell_key, commit_sha, suite_run_id, agent_hash)
    values (${tenantId}, ${suiteId}, ${cellKey}, ${headSha}, ${id}, ${agentHash})
    on conflict (tenant_id, suite_id, cell_key, commit_sha) do update
      set suite_run_id = excluded.suite_run_id, agent_hash = excluded.agent_hash, created_at = now()`.execute(
    em.getKysely(),
  );
}
