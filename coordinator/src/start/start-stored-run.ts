import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { contentHash } from '@proofmark/contracts/content-hash';
import { resolveReference } from '@proofmark/contracts/repository-path';
import { StartRunInput, type Trigger } from '@proofmark/contracts/start-run-input';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Caller } from '../access/caller.ts';
import { inTenant } from '../database/transactions.ts';
import { mayChange } from '../definitions/reach.ts';
import { readStoredProject, type StoredProject } from '../definitions/stored-project.ts';
import {
  asWritten,
  forSingleTest,
  pathOf,
  readSuite,
  type StoredSuite,
  suiteOfCase,
} from '../definitions/stored-suite.ts';
import { type WrittenFiles, writeFiles } from '../definitions/write-files.ts';
import { joinExisting, type StartRunAnswer, type StartRunPorts, startRun } from './start-run.ts';

const { idempotencyKey, selection, assignments, variables, preset, matrix, repetitions, settings, notes } =
  StartRunInput.shape;

/** A stored suite, or a single stored test. */
export const StoredTarget = z.strictObject({
  suiteId: z.uuid().nullish().describe('The suite. Give this or testCaseId.'),
  testCaseId: z
    .uuid()
    .nullish()
    .describe('A single test. It runs without its suite: values and matrix of the suite do not count.'),
});
export type StoredTarget = z.infer<typeof StoredTarget>;

const exactlyOne = ({ suiteId, testCaseId }: StoredTarget): boolean => Boolean(suiteId) !== Boolean(testCaseId);
const needsOne = { error: 'give suiteId or testCaseId, one of them', path: ['suiteId'] };

const values = {
  selection: selection.describe('Which cases of the suite; absent: all.'),
  assignments,
  variables: variables.describe('Variables with typed values, name to value: 0.5 is a number.'),
  preset,
  matrix,
};

/** The values of a run of something stored: what tells whether it could run. */
export const StoredValuesInput = StoredTarget.extend(values)
  .refine(exactlyOne, needsOne)
  .meta({ title: 'StoredValuesInput', about: 'Values for a stored suite or test.' });
export type StoredValuesInput = z.infer<typeof StoredValuesInput>;

export const StartStoredRunInput = StoredTarget.extend({
  idempotencyKey,
  ...values,
  repetitions: repetitions.describe('Overrides the repetitions of the suite, 1 to 100.'),
  settings: settings.describe('How the gate behaves.'),
  notes,
})
  .refine(exactlyOne, needsOne)
  .meta({ title: 'StartStoredRunInput', about: 'A run of a suite or of a single test that is stored here.' });
export type StartStoredRunInput = z.infer<typeof StartStoredRunInput>;

export type StoredRunAnswer = StartRunAnswer | { ok: false; error: { code: 'NOT_FOUND'; what: string } };

/** Starts a suite or a single test that the coordinator has stored, the same way as one whose files are sent. */
export async function startStoredRun(
  ports: StartRunPorts,
  caller: Caller,
  { suiteId, testCaseId, ...asked }: StartStoredRunInput,
): Promise<StoredRunAnswer> {
  if (!mayChange(caller, caller.repositoryId))
    return { ok: false, error: { code: 'FORBIDDEN', message: 'This token may not start runs of stored definitions' } };
  const requestHash = contentHash({ suiteId, testCaseId, ...asked, idempotencyKey: null });
  const found = await inTenant(ports.database, caller.tenantId, async (em) => {
    // Before anything is read: the same request again is the same run, also when its suite has gone.
    const existing = await joinExisting(em, caller, { key: asked.idempotencyKey, requestHash });
    if (existing !== null) return { existing };
    const target = await readTarget(em, caller, { suiteId, testCaseId, preset: asked.preset });
    if (target === null) return null;
    const caseFiles = await readCaseFiles(em, target.suite.id);
    return { target, caseFiles, trigger: await triggerOf(em, target.suite.repositoryId) };
  });
  if (found === null) return { ok: false, error: { code: 'NOT_FOUND', what: suiteId ? 'suite' : 'test case' } };
  if ('existing' in found)
    return found.existing.ok ? { ...found.existing, created: false, warnings: [] } : found.existing;
  const { target, caseFiles, trigger } = found;
  const input = { ...asked, ...target.files, caseFiles, selection: selectionOf(target, asked.selection), trigger };
  const rows = new Map([[pathOf(target.suite), rowsOf(target.suite)]]);
  return startRun(ports, caller, input, { source: { requestHash, rows, repeats: null } });
}

/** What was in the local files of a suite's cases when it last ran with any: nobody uploads them for what is stored. */
export async function readCaseFiles(em: EntityManager, suiteId: string): Promise<StartRunInput['caseFiles']> {
  const { rows } = await sql<{ files: unknown }>`
    select r.requested -> 'caseFiles' as files
    from test_suite_runs s join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
    where s.suite_id = ${suiteId} and s.variant <> 'baseline' and r.pull_request is null
      and coalesce(r.requested -> 'caseFiles', '[]') <> '[]'
    order by s.created_at desc limit 1`.execute(em.getKysely());
  return StartRunInput.shape.caseFiles.parse(rows[0]?.files);
}

export interface Target {
  suite: StoredSuite;
  /** Null: the whole suite. */
  caseName: string | null;
  files: WrittenFiles;
}

/** What shall run, as files; null when the caller has no such suite or test. */
export async function readTarget(
  em: EntityManager,
  caller: Caller,
  { suiteId, testCaseId, preset }: StoredTarget & { preset: string | null },
): Promise<Target | null> {
  const id = suiteId ?? (await suiteOfCase(em, testCaseId ?? randomUUID()));
  const stored = id === null ? null : await readSuite(em, id);
  if (stored === null || (caller.repositoryId !== null && caller.repositoryId !== stored.repositoryId)) return null;
  const single = stored.cases.find((one) => one.id === testCaseId);
  const suite = single === undefined ? stored : forSingleTest(stored);
  const project = await readStoredProject(em, suite.repositoryId);
  const written = writeFiles({ ...project, presets: presetsFor(project, preset) }, asWritten(suite));
  const files = { ...written, files: [...written.files, ...(await readLabels(em, suite))] };
  return { suite, caseName: single?.definition.name ?? null, files };
}

/** Only the preset that is wanted: another that no longer fits its test type must not stop the run. All, to suggest from, when there is none of that name. */
function presetsFor({ presets }: StoredProject, wanted: string | null): StoredProject['presets'] {
  if (wanted === null) return {};
  const values = Object.hasOwn(presets, wanted) ? presets[wanted] : undefined;
  return values === undefined ? presets : { [wanted]: values };
}

export const selectionOf = ({ caseName }: Target, selection: StartRunInput['selection']): StartRunInput['selection'] =>
  caseName === null ? selection : { ...selection, cases: [caseName], suites: [] };

const rowsOf = ({ id, agentId, cases }: StoredSuite) => ({
  suiteId: id,
  agentId,
  caseIds: new Map(cases.map((one) => [one.definition.name, one.id])),
});

/** A run of stored definitions is about no commit; it belongs to the repository that they came from. */
export async function triggerOf(em: EntityManager, repositoryId: string | null): Promise<Trigger> {
  const { rows } = await sql<Pick<Trigger, 'host' | 'repositoryExternalId' | 'repositoryFullName'>>`
    select host, external_id as "repositoryExternalId", full_name as "repositoryFullName" from repositories
    where id = ${repositoryId}::uuid`.execute(em.getKysely());
  return StartRunInput.shape.trigger.parse({ triggeredBy: 'api', ...rows[0] });
}

/** The file of labelled answers that a stored suite names, as its last run outside of pull requests had it; else nothing. */
async function readLabels(em: EntityManager, suite: StoredSuite): Promise<{ path: string; text: string }[]> {
  const named = suite.definition.judge?.calibration_file;
  const resolved = named === undefined ? null : resolveReference(pathOf(suite), named);
  if (resolved === null || !resolved.ok) return [];
  const { path } = resolved;
  const { rows } = await sql<{ text: string }>`
    select d.text from test_suite_runs s
    join runs r on r.tenant_id = s.tenant_id and r.id = s.run_id
    join run_files f on f.tenant_id = r.tenant_id and f.run_id = r.id and f.path = ${path}
    join definition_files d on d.tenant_id = f.tenant_id and d.content_hash = f.content_hash
    where s.suite_id = ${suite.id} and s.variant <> 'baseline' and r.pull_request is null
    order by s.created_at desc limit 1`.execute(em.getKysely());
  return rows.map(({ text }) => ({ path, text }));
}
