import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { contentHash } from '@proofmark/contracts/content-hash';
import { FileContent } from '@proofmark/contracts/file-content';
import { isError } from '@proofmark/contracts/problem';
import { StartRunInput } from '@proofmark/contracts/start-run-input';
import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { Caller } from '../access/caller.ts';
import { inTenant } from '../database/transactions.ts';
import type { SentFiles } from '../definitions/parse-threads.ts';
import { readCallerFiles } from '../definitions/read-caller-files.ts';
import { listedCases, type StoredSuite } from '../definitions/stored-suite.ts';
import { type StartRunPorts, startRun } from './start-run.ts';
import { readCaseFiles, readTarget, type StoredRunAnswer, triggerOf } from './start-stored-run.ts';
import type { StoredSource } from './stored-source.ts';

/** A suite in a window of its schedule. */
export interface ScheduledStart {
  tenantId: string;
  suiteId: string;
  /** Who made the suite: nobody asks for the run, but somebody has to stand for it. */
  createdBy: string;
  windowStart: Date;
}

/**
 * Starts a suite because its time has come, once per window however often it is asked. What runs is what the last run of
 * the base branch was made from, so that a branch in progress has no say; without one, the suite as it is stored; and
 * where that lacks something that it names, what its last run was made from.
 */
export async function startScheduledRun(ports: StartRunPorts, start: ScheduledStart): Promise<StoredRunAnswer> {
  const { tenantId, suiteId, windowStart } = start;
  const caller = schedulerOf(start);
  const found = await inTenant(ports.database, tenantId, async (em) => {
    const target = await readTarget(em, caller, { suiteId, preset: null });
    if (target === null) return null;
    const { suite, files } = target;
    const caseIds = await readCaseIds(em, suiteId);
    const made = await chooseFiles(em, {
      suite,
      caseIds,
      stored: { files, caseFiles: await readCaseFiles(em, suiteId), notes: null },
    });
    const trigger = { ...(await triggerOf(em, suite.repositoryId)), triggeredBy: 'schedule' as const };
    const own = { suiteId, agentId: suite.agentId, caseIds };
    return { ...made, trigger, rows: new Map(made.files.suitePaths.map((path) => [path, own])) };
  });
  if (found === null) return { ok: false, error: { code: 'NOT_FOUND', what: 'suite' } };
  const { files, caseFiles, notes, trigger, rows } = found;
  const idempotencyKey = `schedule:${suiteId}:${windowStart.toISOString()}`;
  const input = StartRunInput.parse({ idempotencyKey, trigger, ...files, caseFiles, notes });
  const source: StoredSource = { requestHash: contentHash({ suiteId, windowStart }), rows, repeats: null };
  return startRun(ports, caller, input, { source });
}

const schedulerOf = ({ tenantId, createdBy }: ScheduledStart): Caller => ({
  tenantId,
  userId: createdBy,
  tokenId: randomUUID(),
  kind: 'api',
  scopes: new Set(['runs:write']),
  repositoryId: null,
  claims: null,
});

/** Also of cases that the stored suite has no more: the base branch may still have them. */
async function readCaseIds(em: EntityManager, suiteId: string): Promise<Map<string, string>> {
  const { rows } = await sql<{ name: string; id: string }>`
    select distinct on (c.name) c.name, c.id
    from ${listedCases(sql`${suiteId}::uuid`)} l join test_cases c on c.tenant_id = l.tenant_id and c.id = l.id
    order by c.name, c.deleted_at desc nulls first, c.created_at desc`.execute(em.getKysely());
  return new Map(rows.map(({ name, id }) => [name, id]));
}

/** What a run can be made from. */
interface Source {
  files: SentFiles;
  caseFiles: readonly FileContent[];
  notes: string | null;
}

interface Choice {
  suite: StoredSuite;
  caseIds: ReadonlyMap<string, string>;
  stored: Source;
}

/** The first of them that holds the suite without a mistake; the stored one when none does, for it says what is wrong. */
async function chooseFiles(em: EntityManager, { suite, caseIds, stored }: Choice): Promise<Source> {
  const isUsable = (source: Source) => isOf(source.files, suite, caseIds);
  const base = await readRunFiles(em, suite, sql`r.is_base`);
  if (base !== null && (await isUsable(base))) return base;
  if (await isUsable(stored)) return stored;
  const last = await readRunFiles(em, suite, sql`r.pull_request is null and r.triggered_by <> 'schedule'`);
  return last !== null && (await isUsable(last)) ? last : stored;
}

const RunFiles = z.object({
  headSha: z.string().nullable(),
  projectPath: z.string().nullable(),
  path: z.string(),
  caseFiles: z.array(FileContent),
  files: z.array(z.object({ path: z.string(), text: z.string() })),
});

/** The files of the newest of these runs that the suite was part of; null when there is none. */
async function readRunFiles(
  em: EntityManager,
  { id }: StoredSuite,
  which: RawBuilder<unknown>,
): Promise<Source | null> {
  const { rows } = await sql`
    select r.head_sha as "headSha", r.requested ->> 'projectPath' as "projectPath",
      coalesce(r.requested -> 'caseFiles', '[]') as "caseFiles", s.suite_path as path, coalesce((
      select jsonb_agg(jsonb_build_object('path', f.path, 'text', d.text) order by f.path) from run_files f
      join definition_files d on d.tenant_id = f.tenant_id and d.content_hash = f.content_hash
      where f.tenant_id = r.tenant_id and f.run_id = r.id), '[]') as files
    from test_suite_runs s join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
    where s.suite_id = ${id} and s.suite_path is not null and s.variant <> 'baseline' and ${which}
    order by s.created_at desc limit 1`.execute(em.getKysely());
  if (rows[0] === undefined) return null;
  const { headSha, projectPath, path, caseFiles, files } = RunFiles.parse(rows[0]);
  const notes = headSha === null ? null : `Definitions of commit ${headSha}`;
  return { files: { files, suitePaths: [path], projectPath }, caseFiles, notes };
}

/** Whether these files hold the suite, with no case that was never stored. */
async function isOf(
  files: SentFiles,
  { definition, agent }: StoredSuite,
  caseIds: ReadonlyMap<string, string>,
): Promise<boolean> {
  const read = await readCallerFiles(files);
  if (!read.ok) return false;
  const { definitions, problems } = read.loaded;
  const [loaded] = definitions.suites;
  if (loaded === undefined || problems.some(isError)) return false;
  const isSame = loaded.suite.name === definition.name && loaded.agent.name === agent.name;
  return isSame && loaded.suite.cases.every(({ name }) => caseIds.has(name));
}
