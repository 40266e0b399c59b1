import type { EntityManager } from '@mikro-orm/postgresql';
import type { PassCount } from '@proofmark/contracts/verdict';
import type { Trial } from '@proofmark/domain/decide-verdict';
import { flakinessWindow } from '@proofmark/domain/flakiness';
import { sql } from 'kysely';
import type { SuiteRunToJudge } from './read-suite-run.ts';

interface Summary {
  caseName: string;
  comparabilityKey: string;
  outcomes: string;
}

/** How a summary spells the end of a trial. An error's kind is not kept: only whose side broke matters later. */
const ends = {
  p: { status: 'passed', errorKind: null },
  f: { status: 'failed', errorKind: null },
  e: { status: 'error', errorKind: 'agent' },
  i: { status: 'error', errorKind: 'lost' },
} as const satisfies Record<string, Pick<Trial, 'status' | 'errorKind'>>;

const isEnd = (letter: string): letter is keyof typeof ends => Object.hasOwn(ends, letter);

interface HistoryQuestion {
  suiteRun: SuiteRunToJudge;
  /** The agent that the comparison is with. */
  agentHash: string;
  /** Suite runs that are counted already. */
  without: readonly string[];
}

/** Trials of the base's agent on the base branch or beside a pull request, newest first, none too old. */
export async function historyTrials(em: EntityManager, question: HistoryQuestion): Promise<Trial[]> {
  const { suiteRun, agentHash, without } = question;
  const { tenantId, suiteId, cellKey, settingKey, settings } = suiteRun;
  const { rows } = await sql<Summary>`
    select case_name as "caseName", outcomes,
      jsonb_build_array(case_hash, instrument_hash, setting_key)::text as "comparabilityKey"
    from case_summaries
    where tenant_id = ${tenantId} and suite_id = ${suiteId} and cell_key = ${cellKey} and is_history
      and setting_key = ${settingKey} and agent_hash = ${agentHash} and suite_run_id <> all(${without}::uuid[])
      and ended_at > now() - ${settings.gate.history_max_age_days} * interval '1 day'
    order by ended_at desc`.execute(em.getKysely());
  return rows.flatMap(({ outcomes, ...trial }) =>
    Array.from(outcomes)
      .toReversed()
      .filter(isEnd)
      .map((letter) => ({ ...trial, ...ends[letter] })),
  );
}

/**
 * The newest scored base-branch trials of each case of a suite run, by name of the case, whatever the agent was. A base
 * run's own trials are among them once it is summarised.
 */
export async function caseWindows(em: EntityManager, suiteRun: SuiteRunToJudge): Promise<Map<string, PassCount>> {
  const { tenantId, id, suiteId, cellKey, settingKey } = suiteRun;
  const { rows } = await sql<Pick<Summary, 'caseName' | 'outcomes'>>`
    with own as (
      select distinct case_name, case_key, case_hash, instrument_hash from test_case_results
      where tenant_id = ${tenantId} and run_id = ${id})
    select h.case_name as "caseName", h.outcomes from case_summaries h
    join own using (case_name, case_key, case_hash, instrument_hash)
    where h.tenant_id = ${tenantId} and h.suite_id = ${suiteId} and h.cell_key = ${cellKey} and h.is_history and h.is_base
      and h.setting_key = ${settingKey} and h.ended_at > now() - ${flakinessWindow.maxAgeDays} * interval '1 day'
    order by h.ended_at desc`.execute(em.getKysely());
  const byCase = Map.groupBy(rows, ({ caseName }) => caseName);
  return new Map([...byCase].map(([caseName, ofCase]) => [caseName, newestWindow(ofCase)]));
}

/** The scored trials at the head of summaries that come newest first. */
export function newestWindow(summaries: readonly Pick<Summary, 'outcomes'>[]): PassCount {
  const newestFirst = summaries.flatMap(({ outcomes }) => Array.from(outcomes).toReversed());
  const scored = newestFirst.filter((letter) => letter === 'p' || letter === 'f').slice(0, flakinessWindow.trials);
  return { passed: scored.filter((letter) => letter === 'p').length, scored: scored.length };
}
