import type { EntityManager } from '@mikro-orm/postgresql';
import { contentHash } from '@proofmark/contracts/content-hash';
import type { RecordedConversation } from '@proofmark/contracts/recorded-conversation';
import { StartRunInput, Trigger } from '@proofmark/contracts/start-run-input';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Caller } from '../access/caller.ts';
import { inTenant, readInTenant } from '../database/transactions.ts';
import { mayChange } from '../definitions/reach.ts';
import { joinExisting, type StartRunPorts, startRun } from './start-run.ts';
import { type StoredRunAnswer, triggerOf } from './start-stored-run.ts';
import type { NamedCase, PlacedTestRun, SuiteRows } from './stored-source.ts';
import { isProposal } from './trust-trigger.ts';

export const RerunInput = z.strictObject({
  runId: z.uuid(),
  idempotencyKey: StartRunInput.shape.idempotencyKey,
  notes: StartRunInput.shape.notes,
  /** Which of its cases: all, those that did not pass, or those of them that are errors. */
  only: z.enum(['all', 'failed', 'errored']).default('all'),
});
export type RerunInput = z.infer<typeof RerunInput>;
type Repeat = Omit<RerunInput, 'only'>;

const Requested = z
  .object(StartRunInput.shape)
  .omit({ idempotencyKey: true, trigger: true, files: true, settings: true, notes: true });

const OldRun = z.object({
  repositoryId: z.string().nullable(),
  runSeed: z.string(),
  isBase: z.boolean(),
  trigger: Trigger,
  requested: Requested,
  settings: StartRunInput.shape.settings,
  files: z.array(z.object({ path: z.string(), text: z.string() })),
});
export type OldRun = z.infer<typeof OldRun>;

/**
 * A new run with the files, values and seeds of an old one, whatever has changed since (S4-38). It is compared with
 * nothing and tells no forge: it repeats what was measured, it does not judge a proposal again.
 */
export async function rerunRun(
  ports: StartRunPorts,
  caller: Caller,
  { only: which = 'all', ...input }: Repeat & Partial<Pick<RerunInput, 'only'>>,
): Promise<StoredRunAnswer> {
  const { runId, idempotencyKey, notes } = input;
  const requestHash = contentHash({ rerunOf: runId, notes, ...(which === 'all' ? {} : { only: which }) });
  const cases = which === 'all' ? null : await notPassed(ports, caller, { runId, which });
  if (cases?.length === 0) return nothingToRepeat;
  if (cases !== null && cases.length > mostCases) return tooMany;
  return startAgain(ports, caller, { runId, idempotencyKey, notes, requestHash, only: null, cases });
}

/** As many as a selection names. */
const mostCases = 10_000;

const refusedOnly = (code: 'not_found' | 'limit', message: string): StoredRunAnswer => ({
  ok: false,
  error: {
    code: 'INVALID_INPUT',
    problems: [{ severity: 'error', code, file: '', line: 1, column: 1, path: 'only', message }],
  },
});
const nothingToRepeat = refusedOnly('not_found', 'There is no run with this id, or no case of it ended so');
const tooMany = refusedOnly('limit', `More than ${mostCases} cases ended so: repeat all of them`);

/** The cases of the run's own side that have a test run which did not pass. */
async function notPassed(
  ports: StartRunPorts,
  caller: Caller,
  { runId, which }: { runId: string; which: 'failed' | 'errored' },
): Promise<NamedCase[]> {
  const statuses = which === 'errored' ? ['error'] : ['failed', 'error'];
  return await readInTenant(
    ports.database,
    caller.tenantId,
    sql<NamedCase>`
      select distinct s.suite_name as "suiteName", c.case_name as "caseName"
      from test_suite_runs s join test_case_results c on c.tenant_id = s.tenant_id and c.run_id = s.id
      where s.run_id = ${runId} and s.variant <> 'baseline' and s.purpose = 'first' and c.status = any(${statuses}::text[])
      limit ${mostCases + 1}`,
  );
}

export interface RerunOrder extends Repeat {
  /** Of what the caller asked for. */
  requestHash: string;
  /** Null: everything that the old run was about. */
  only: PlacedTestRun | null;
  /** The cases that are run again; absent or null: all. */
  cases?: readonly NamedCase[] | null;
  /** What the only test run said, where it is judged again; absent or null: its agent is asked. */
  recorded?: RecordedConversation | null;
}

/** The run again, or one of its test runs. */
export async function startAgain(ports: StartRunPorts, caller: Caller, again: RerunOrder): Promise<StoredRunAnswer> {
  const { runId, idempotencyKey, notes, requestHash, only, cases = null, recorded = null } = again;
  if (!mayChange(caller, caller.repositoryId))
    return { ok: false, error: { code: 'FORBIDDEN', message: 'This token may not repeat runs' } };
  const found = await inTenant(ports.database, caller.tenantId, async (em) => {
    const existing = await joinExisting(em, caller, { key: idempotencyKey, requestHash });
    if (existing !== null) return { existing };
    const old = await readOldRun(em, caller, runId);
    if (old === null) return null;
    return { old, trigger: await triggerOf(em, old.repositoryId), rows: await readRows(em, runId) };
  });
  if (found === null) return { ok: false, error: { code: 'NOT_FOUND', what: 'run' } };
  if ('existing' in found)
    return found.existing.ok ? { ...found.existing, created: false, warnings: [] } : found.existing;
  const { old, trigger, rows } = found;
  if (old.trigger.approval !== undefined) return { ok: false, error: { code: 'FORBIDDEN', message: notRepeated } };
  const { requested, files, settings } = old;
  const narrowed = only === null ? cases : [only];
  const selection =
    narrowed === null
      ? requested.selection
      : {
          ...requested.selection,
          suites: [...new Set(narrowed.map(({ suiteName }) => suiteName))],
          cases: [...new Set(narrowed.map(({ caseName }) => caseName))],
        };
  const input = { ...requested, selection, files, settings, trigger, idempotencyKey, notes };
  return startRun(ports, caller, input, {
    source: { requestHash, rows, repeats: { ...repeatsOf(runId, old, only), cases, recorded } },
  });
}

const notRepeated = 'Only its pull request can have an approved commit of a fork run again: press Re-run on its check';

const repeatsOf = (runId: string, { runSeed, isBase, trigger }: OldRun, only: PlacedTestRun | null) => ({
  runId,
  runSeed,
  wasCompared: isBase || isProposal(trigger),
  only,
});

/** A run with everything that a repeat of it needs; null when the caller has none of this id. */
export async function readOldRun(em: EntityManager, { repositoryId }: Caller, runId: string): Promise<OldRun | null> {
  const { rows } = await sql`
    select r.repository_id as "repositoryId", r.run_seed as "runSeed", r.is_base as "isBase", r.trigger, r.requested,
      r.settings, coalesce((
        select jsonb_agg(jsonb_build_object('path', f.path, 'text', d.text) order by f.path) from run_files f
        join definition_files d on d.tenant_id = f.tenant_id and d.content_hash = f.content_hash
        where f.tenant_id = r.tenant_id and f.run_id = r.id), '[]') as files
    from runs r
    where r.id = ${runId} and (${repositoryId}::uuid is null or r.repository_id = ${repositoryId}::uuid)`.execute(
    em.getKysely(),
  );
  return rows[0] === undefined ? null : OldRun.parse(rows[0]);
}

const RowOfCase = z.object({
  path: z.string(),
  suiteId: z.string(),
  agentId: z.string(),
  /** Null for a suite of which no case ran. */
  caseName: z.string().nullable(),
  caseId: z.string().nullable(),
});

/** The rows that the old run was about, also those that are hidden by now: its repeat belongs to the same history. */
export async function readRows(em: EntityManager, runId: string): Promise<Map<string, SuiteRows>> {
  const { rows } = await sql`
    select distinct s.suite_path as path, s.suite_id as "suiteId", s.agent_id as "agentId", c.case_name as "caseName",
      c.test_case_id as "caseId"
    from test_suite_runs s
    left join (
      select tenant_id, run_id, case_name, test_case_id from test_case_results
      union all select tenant_id, suite_run_id, case_name, test_case_id from planned_test_runs
      -- What is still to be queued has no row yet.
      union all select p.tenant_id, (side ->> 'suiteRunId')::uuid, side #>> '{testRun,caseName}', (side ->> 'testCaseId')::uuid
        from queue_plan_parts p cross join lateral jsonb_array_elements(p.lines::jsonb) line
        cross join lateral jsonb_array_elements(line) side where p.run_id = ${runId}) c
      on c.tenant_id = s.tenant_id and c.run_id = s.id
    where s.run_id = ${runId} and s.suite_path is not null and s.purpose <> 'calibrate'`.execute(em.getKysely());
  const byPath = Map.groupBy(z.array(RowOfCase).parse(rows), ({ path }) => path);
  return new Map(
    [...byPath].flatMap(([path, cases]) => {
      const [first] = cases;
      if (first === undefined) return [];
      const caseIds = new Map(
        cases.flatMap(({ caseName, caseId }) => (caseName === null || caseId === null ? [] : [[caseName, caseId]])),
      );
      return [[path, { suiteId: first.suiteId, agentId: first.agentId, caseIds }]];
    }),
  );
}
