import type { EntityManager } from '@mikro-orm/postgresql';
import type { PassCount, Verdict } from '@proofmark/contracts/verdict';
import { namedCases } from '@proofmark/domain/decide-alerts';
import { decideVerdict } from '@proofmark/domain/decide-verdict';
import { hasBecomeFlaky, measureFlakiness } from '@proofmark/domain/flakiness';
import { hasVerdict, type JudgedCell, judgeCells } from '@proofmark/domain/judge-cells';
import { sql } from 'kysely';
import { raiseAlert, raiseOfVerdict } from '../alerts/raise-alerts.ts';
import { keysOf } from '../database/row-key.ts';
import { storableJson } from '../database/storable.ts';
import { type Columns, unnest } from '../database/unnest.ts';
import { noteAlert } from '../ledger/facets.ts';
import { caseWindows } from './case-history.ts';
import { collectEvidence, type Evidence } from './collect-evidence.ts';
import { followUp } from './follow-up.ts';
import { readMeasuredJudge } from './read-measured-judge.ts';
import type { SuiteRunToJudge } from './read-suite-run.ts';
import { chooseShownCases } from './shown-cases.ts';

/** Of the cases of a base run, the share that must be scored before others may be compared with it. */
const leastScored = 0.8;

/** A suite run that is worse than the one before by the alert rule of its suite. */
export interface FiredAlert extends Pick<SuiteRunToJudge, 'tenantId' | 'runId' | 'suiteId' | 'cellKey'> {
  suiteRunId: string;
  /** Percentage points; null: only cases that began to fail. */
  dropPoints: number | null;
  newlyFailing: number;
}

/**
 * Judges the cells of a suite together and stores each verdict once. All suite runs have ended and are locked. Returns
 * the alerts of the verdicts that it stored.
 */
export async function judgeSuite(em: EntityManager, all: readonly SuiteRunToJudge[]): Promise<FiredAlert[]> {
  const siblings = all.filter(({ purpose }) => purpose !== 'calibrate');
  const cells = siblings.filter(isJudgedAlone);
  if (cells.every(({ isJudged }) => isJudged)) return [];
  const judge = await readMeasuredJudge(em, all);
  const evidence: Evidence[] = [];
  for (const cell of cells) evidence.push(await collectEvidence(em, cell, { siblings, judge }));
  const judged = judgeCells(evidence);
  if (await askAgain(em, evidence, judged)) return [];
  await summariseCases(em, siblings);
  const alerts: FiredAlert[] = [];
  for (const [index, { sides, baselineSuiteRunId }] of evidence.entries()) {
    const [suiteRun, verdict] = [sides.head, judged[index]?.verdict];
    if (verdict === undefined || suiteRun.isJudged) continue;
    await storeVerdict(em, suiteRun, verdict, baselineSuiteRunId);
    await raiseOfVerdict(em, suiteRun, verdict);
    if (verdict.alert.fired) {
      await noteAlert(em, suiteRun);
      alerts.push(firedAlert(suiteRun, verdict));
    }
    if (isEligible(suiteRun, verdict)) await storeBaseline(em, suiteRun);
  }
  await updateFlakiness(em, cells);
  return alerts;
}

const firedAlert = ({ tenantId, runId, id, suiteId, cellKey }: SuiteRunToJudge, { alert }: Verdict): FiredAlert => ({
  ...{ tenantId, runId, suiteRunId: id, suiteId, cellKey },
  ...{ dropPoints: alert.dropPoints, newlyFailing: alert.newlyFailing.length },
});

/**
 * Stores for every cell that has no verdict yet that there is none and why, without reading a result: what could not be
 * judged so often is not tried once more. Nothing that went missing is ever green.
 */
export async function storeNoVerdict(em: EntityManager, all: readonly SuiteRunToJudge[], why: string): Promise<[]> {
  for (const suiteRun of all.filter(isJudgedAlone)) {
    const nothing = decideVerdict({ head: [], base: null, settings: suiteRun.settings });
    const told = { title: 'The suite could not be judged', paragraph: ['The coordinator gave up: ', { code: why }] };
    const verdict: Verdict = { ...nothing, ...told };
    await storeVerdict(em, suiteRun, verdict, null);
    await raiseOfVerdict(em, suiteRun, verdict);
  }
  return [];
}

/** Cells are judged together, so all of them wait while one of them is asked again. */
async function askAgain(
  em: EntityManager,
  evidence: readonly Evidence[],
  judged: readonly JudgedCell[],
): Promise<boolean> {
  let isAsked = false;
  for (const [index, { sides, baselineSuiteRunId }] of evidence.entries()) {
    if (sides.head.isJudged) continue;
    if (await followUp(em, { sides, baselineSuiteRunId }, judged[index]?.asks ?? [])) isAsked = true;
  }
  return isAsked;
}

/** A base beside and the reruns that settle a suspicion are part of what the first candidate is judged by. */
const isJudgedAlone = (one: SuiteRunToJudge): boolean => hasVerdict(one) && one.status !== 'cancelled';

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

/**
 * Keeps what every case of these completed suite runs came to, once however often it is asked: the transaction holds them
 * locked, and those of one suite run are written together. Results that were taken over are no history: a head that was merged was selected for passing. Neither is what ran beside the head of a fork.
 */
async function summariseCases(em: EntityManager, suiteRuns: readonly SuiteRunToJudge[]): Promise<void> {
  // An answer that was judged again is no further answer: it counts once, beside the head that asked for it.
  const completed = suiteRuns.filter(({ status, purpose }) => status === 'completed' && purpose !== 'rejudge');
  if (completed.length === 0) return;
  // Its few suite runs first: Postgres does not know how few they are, and would look for the suite run of each case among all.
  await sql`
    with s as materialized (
      select s.tenant_id, s.id, s.suite_id, s.cell_key, s.setting_key, s.agent_hash,
        r.is_base and s.variant = 'head' and s.taken_from is null as is_base,
        (r.is_base or s.variant = 'baseline') and s.taken_from is null and r.trigger ->> 'isFork' is distinct from 'true'
          as is_history
      from ${keysOf(completed)} k
      join test_suite_runs s on s.tenant_id = k.tenant_id and s.id = k.id
      join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
      where not exists (select from case_summaries o where o.tenant_id = k.tenant_id and o.suite_run_id = k.id))
    insert into case_summaries (tenant_id, suite_run_id, test_case_id, suite_id, cell_key, setting_key, agent_hash,
      case_name, case_key, case_hash, instrument_hash, is_base, is_history, outcomes, latency_ms, tokens, cost_usd, ended_at)
    select s.tenant_id, s.id, c.test_case_id, s.suite_id, s.cell_key, s.setting_key, s.agent_hash,
      c.case_name, c.case_key, c.case_hash, c.instrument_hash, s.is_base, s.is_history,
      c.outcomes, c.latency_ms, c.tokens, c.cost_usd, c.ended_at
    from s cross join lateral (
      select c.test_case_id, min(c.case_name) as case_name, min(c.case_key) as case_key,
        min(c.case_hash) as case_hash, min(c.instrument_hash) as instrument_hash,
        string_agg(case when c.status = 'passed' then 'p' when c.status = 'failed' then 'f'
          when c.error_kind in ('agent', 'timeout', 'limit', 'variables') then 'e' else 'i' end, '' order by c.repetition)
          as outcomes,
        avg(c.latency_ms) as latency_ms, avg(c.prompt_tokens + c.completion_tokens) as tokens, avg(c.cost_usd) as cost_usd,
        max(c.created_at) as ended_at
      from test_case_results c where c.tenant_id = s.tenant_id and c.run_id = s.id and c.status <> 'skipped'
      group by c.test_case_id) c`.execute(em.getKysely());
}

interface Measured {
  flakiness: number | null;
  /** The window of the cell in which it is most flaky. */
  window: PassCount;
}

const columns: Columns<[name: string, measured: Measured]> = {
  name: { type: 'text', of: ([name]) => name },
  flakiness: { type: 'float8', of: ([, { flakiness }]) => flakiness },
};

/**
 * Stores on the cases of a base run how flaky they are by now: as much as in the cell where they are most. Those that were
 * not flaky before are told.
 */
async function updateFlakiness(em: EntityManager, cells: readonly SuiteRunToJudge[]): Promise<void> {
  const [first] = cells;
  if (first === undefined || !first.isBase) return;
  const measured = new Map<string, Measured>();
  for (const cell of cells) {
    for (const [name, window] of await caseWindows(em, cell)) {
      const [flakiness, elsewhere] = [measureFlakiness(window), measured.get(name)];
      if (elsewhere === undefined || (flakiness ?? -1) > (elsewhere.flakiness ?? -1))
        measured.set(name, { flakiness, window });
    }
  }
  const { rows } = await sql<{ name: string; before: number | null }>`
    with known as (
      select t.tenant_id, t.id, t.name, t.flakiness as before, m.flakiness as after
      from test_cases t join ${unnest([...measured], columns, 'm')} on t.name = m.name
      where t.tenant_id = ${first.tenantId} and t.suite_id = ${first.suiteId} and t.deleted_at is null
        and t.flakiness is distinct from m.flakiness),
    changed as (
      update test_cases t set flakiness = k.after from known k where t.tenant_id = k.tenant_id and t.id = k.id)
    select name, before from known order by name`.execute(em.getKysely());
  const newly = rows.filter(({ name, before }) => {
    const window = measured.get(name)?.window;
    return window !== undefined && hasBecomeFlaky(window, before);
  });
  if (newly.length > 0) await raiseNewlyFlaky(em, first, newly);
}

async function raiseNewlyFlaky(
  em: EntityManager,
  { tenantId, id, runId, suiteId, suiteName }: SuiteRunToJudge,
  newly: readonly { name: string }[],
): Promise<void> {
  const facts = namedCases(newly.map(({ name }) => name));
  await raiseAlert(em, {
    ...{ tenantId, kind: 'newly_flaky', suiteId, suiteName, cellKey: '', runId, suiteRunId: id, facts },
    ...{ dedupeKey: `newly_flaky:${runId}:${suiteId}`, resolves: null },
  });
}
