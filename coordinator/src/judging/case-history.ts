import type { EntityManager } from '@mikro-orm/postgresql';
import type { PassCount } from '@proofmark/contracts/verdict';
import { comparabilityKey } from '@proofmark/domain/comparability-key';
import type { Trial } from '@proofmark/domain/decide-verdict';
import { flakinessWindow } from '@proofmark/domain/flakiness';
import { type RawBuilder, sql } from 'kysely';
import type { SuiteRunToJudge } from './read-suite-run.ts';

interface Summary {
  caseName: string;
  caseHash: string;
  instrumentHash: string;
  settingKey: string;
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
  suiteRun: WindowsOf & Pick<SuiteRunToJudge, 'settings'>;
  /** The agent that the comparison is with. */
  agentHash: string;
  /** Suite runs that are counted already. */
  without: readonly string[];
}

/** A summary may hold trials that were not scored: so many more are read than could be needed. */
const spare = 20;

/** What a suite run asked, once per case. */
const ownCases = ({ tenantId, id }: Pick<SuiteRunToJudge, 'tenantId' | 'id'>) => sql`
  select distinct case_name, case_key, case_hash, instrument_hash from test_case_results
  where tenant_id = ${tenantId} and run_id = ${id}`;

/** Summaries of the base's agent on the base branch or beside a pull request: of each case the newest that can count. */
export function historyQuery({ suiteRun, agentHash, without }: HistoryQuestion): RawBuilder<Summary> {
  const { tenantId, suiteId, cellKey, settingKey, settings } = suiteRun;
  const { history_trials: trials, history_max_age_days: days } = settings.gate;
  return sql<Summary>`
    with own as (${ownCases(suiteRun)})
    select h.case_name as "caseName", h.outcomes,
      h.case_hash as "caseHash", h.instrument_hash as "instrumentHash", h.setting_key as "settingKey"
    from own cross join lateral (
      select * from case_summaries s
      where s.tenant_id = ${tenantId} and s.suite_id = ${suiteId} and s.cell_key = ${cellKey} and s.is_history
        and (s.case_key, s.case_hash, s.instrument_hash) = (own.case_key, own.case_hash, own.instrument_hash)
        and s.setting_key = ${settingKey} and s.agent_hash = ${agentHash} and s.suite_run_id <> all(${without}::uuid[])
        and s.ended_at > now() - ${days} * interval '1 day'
      order by s.ended_at desc limit ${trials + spare}) h
    order by h.ended_at desc`;
}

/** Trials of the base's agent on the base branch or beside a pull request, newest first, none too old. */
export async function historyTrials(em: EntityManager, question: HistoryQuestion): Promise<Trial[]> {
  const { rows } = await historyQuery(question).execute(em.getKysely());
  return rows.flatMap(trialsIn);
}

/** Newest first. */
function trialsIn({ outcomes, caseName, caseHash, instrumentHash, settingKey }: Summary): Trial[] {
  const key = comparabilityKey(caseHash, instrumentHash, settingKey);
  return Array.from(outcomes)
    .toReversed()
    .filter(isEnd)
    .map((letter) => ({ caseName, comparabilityKey: key, ...ends[letter] }));
}

interface RemovedCases extends Pick<SuiteRunToJudge, 'tenantId' | 'suiteId' | 'cellKey'> {
  removedCases: readonly string[];
}

/** What cases that the head no longer has came to when the base ran them last, whatever its agent was. */
export async function lastTrials(em: EntityManager, suiteRun: RemovedCases): Promise<Map<string, Trial[]>> {
  const { tenantId, suiteId, cellKey, removedCases } = suiteRun;
  if (removedCases.length === 0) return new Map();
  const { rows } = await sql<Summary>`
    select distinct on (s.case_name) s.case_name as "caseName", s.outcomes,
      s.case_hash as "caseHash", s.instrument_hash as "instrumentHash", s.setting_key as "settingKey"
    from case_summaries s
    where s.tenant_id = ${tenantId} and s.suite_id = ${suiteId} and s.cell_key = ${cellKey} and s.is_history
      and s.case_name = any(${removedCases}::text[])
    order by s.case_name, s.ended_at desc`.execute(em.getKysely());
  const byName = new Map(rows.map((row) => [row.caseName, trialsIn(row)]));
  return new Map(removedCases.map((name) => [name, byName.get(name) ?? []]));
}

type Window = Pick<Summary, 'caseName' | 'outcomes'>;

/** Summaries of the base branch of what a suite run asked, whatever the agent was: of each case the newest that can count. */
export function windowsQuery(suiteRun: WindowsOf): RawBuilder<Window> {
  const { tenantId, suiteId, cellKey, settingKey } = suiteRun;
  return sql<Window>`
    with own as (${ownCases(suiteRun)})
    select own.case_name as "caseName", h.outcomes
    from own cross join lateral (
      select s.outcomes, s.ended_at from case_summaries s
      where s.tenant_id = ${tenantId} and s.suite_id = ${suiteId} and s.cell_key = ${cellKey} and s.is_history and s.is_base
        and (s.case_key, s.case_hash, s.instrument_hash) = (own.case_key, own.case_hash, own.instrument_hash)
        and s.setting_key = ${settingKey} and s.ended_at > now() - ${flakinessWindow.maxAgeDays} * interval '1 day'
      order by s.ended_at desc limit ${flakinessWindow.trials + spare}) h
    order by h.ended_at desc`;
}

type WindowsOf = Pick<SuiteRunToJudge, 'tenantId' | 'id' | 'suiteId' | 'cellKey' | 'settingKey'>;

/**
 * The newest scored base-branch trials of each case of a suite run, by name of the case, whatever the agent was. A base
 * run's own trials are among them once it is summarised.
 */
export async function caseWindows(em: EntityManager, suiteRun: WindowsOf): Promise<Map<string, PassCount>> {
  const { rows } = await windowsQuery(suiteRun).execute(em.getKysely());
  const byCase = Map.groupBy(rows, ({ caseName }) => caseName);
  return new Map([...byCase].map(([caseName, ofCase]) => [caseName, newestWindow(ofCase)]));
}

/** The scored trials at the head of summaries that come newest first. */
export function newestWindow(summaries: readonly Pick<Summary, 'outcomes'>[]): PassCount {
  const newestFirst = summaries.flatMap(({ outcomes }) => Array.from(outcomes).toReversed());
  const scored = newestFirst.filter((letter) => letter === 'p' || letter === 'f').slice(0, flakinessWindow.trials);
  return { passed: scored.filter((letter) => letter === 'p').length, scored: scored.length };
}
