import type { EntityManager } from '@mikro-orm/postgresql';
import type { Problem } from '@proofmark/contracts/problem';
import type { TestCase } from '@proofmark/contracts/test-case';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Caller } from '../access/caller.ts';
import { retryConflicts } from '../database/retry-conflicts.ts';
import { type Database, inTenant } from '../database/transactions.ts';
import { names, unnest } from '../database/unnest.ts';
import { caseColumns, caseValues } from './case-columns.ts';
import { type Changed, invalid, isNameTaken, merged, nameTaken, noSuch, problemAt } from './change.ts';
import { refusedChange } from './change-suites.ts';
import { checkCase } from './check-suite.ts';
import { readStoredProject, type StoredProject } from './stored-project.ts';
import { asWritten, hasCaseNamed, readSuite, type StoredSuite, suiteOfCase, suitesIncluding } from './stored-suite.ts';
import { type Written, writtenCase } from './write-files.ts';

const place = z.int().nullish();
const NewCase = z.looseObject({ suiteId: z.string(), sortOrder: place });
const Existing = z.looseObject({ id: z.string(), sortOrder: place });

/** Stores a new case; without a place of its own it is the last of its suite. */
export async function createTestCase(database: Database, caller: Caller, input: object): Promise<Changed> {
  const { suiteId, sortOrder, ...given } = NewCase.parse(input);
  return inTenant(database, caller.tenantId, async (em): Promise<Changed> => {
    const suite = await readSuite(em, suiteId, true);
    const refused = refusedChange(caller, suite);
    if (suite === null || refused !== null) return refused ?? noSuch('suite');
    const project = await readStoredProject(em, suite.repositoryId);
    const checked = checkCase(project, asWritten(suite), { written: merged({}, given), before: null });
    if (!checked.ok) return invalid(checked.problems);
    const testCase = checked.definition;
    if (hasCaseNamed(suite, testCase.name)) return nameTaken(testCase.name);
    const last = Math.max(-1, ...suite.cases.map((one) => one.sortOrder));
    const { rows } = await sql<{ id: string }>`
      insert into test_cases (tenant_id, ${names(caseColumns)})
      select ${caller.tenantId}::uuid, ${sql.join(caseValues('n'))}
      from ${rowOf(suite, testCase, sortOrder ?? last + 1)} returning id`.execute(em.getKysely());
    return rows[0] === undefined ? nameTaken(testCase.name) : { ok: true, id: rows[0].id };
  });
}

/** Changes what is mentioned of a case, in every suite that has it. */
export async function updateTestCase(database: Database, caller: Caller, input: object): Promise<Changed> {
  const { id, sortOrder, ...given } = Existing.parse(input);
  let wanted = '';
  try {
    const change = async (em: EntityManager): Promise<Changed> => {
      const suiteId = await suiteOfCase(em, id);
      const suite = suiteId === null ? null : await readSuite(em, suiteId, true);
      const refused = refusedChange(caller, suite, 'test case');
      const present = suite?.cases.find((one) => one.id === id);
      if (suite === null || present === undefined || refused !== null) return refused ?? noSuch('test case');
      const before = writtenCase(present.definition);
      const project = await readStoredProject(em, suite.repositoryId);
      const written = merged(before, given);
      const checked = checkCase(project, asWritten(suite), { written, before });
      if (!checked.ok) return invalid(checked.problems);
      const broken = await brokenInclusions(em, project, { id, written, before });
      if (broken.length > 0) return invalid(broken);
      wanted = checked.definition.name;
      // Where it stands in which file is not for the API to say.
      const columns = Object.keys(caseColumns).filter((column) => column !== 'line' && column !== 'file');
      const values = caseValues('n', columns);
      const assignments = columns.map((column, index) => sql`${sql.ref(column)} = ${values[index]}`);
      await sql`
        update test_cases t set ${sql.join(assignments)}, updated_at = now()
        from ${rowOf(suite, checked.definition, sortOrder ?? present.sortOrder)} where t.id = ${id}`.execute(
        em.getKysely(),
      );
      return { ok: true, id };
    };
    // It may lock several suites, in another order than somebody who changes one of the others.
    return await retryConflicts(() => inTenant(database, caller.tenantId, change));
  } catch (error) {
    if (isNameTaken(error)) return nameTaken(wanted);
    throw error;
  }
}

/** Hides a case in every suite that has it: it runs no more, and its results stay readable. */
export async function deleteTestCase(database: Database, caller: Caller, id: string): Promise<Changed> {
  return inTenant(database, caller.tenantId, async (em): Promise<Changed> => {
    const suiteId = await suiteOfCase(em, id);
    const refused = refusedChange(caller, suiteId === null ? null : await readSuite(em, suiteId, true), 'test case');
    if (refused !== null) return refused;
    await sql`update test_cases set deleted_at = now(), updated_at = now() where id = ${id}`.execute(em.getKysely());
    return { ok: true, id };
  });
}

const rowOf = (suite: StoredSuite, testCase: TestCase, sortOrder: number) =>
  unnest(
    [{ suiteId: suite.id, suiteName: suite.definition.name, testCase, sortOrder, line: null, file: null }],
    caseColumns,
    'n',
  );

interface ChangedCase {
  id: string;
  written: Written;
  before: Written;
}

/** What a change of a case breaks in the suites that include it: its name may be taken there, its variables unknown. */
async function brokenInclusions(
  em: EntityManager,
  project: StoredProject,
  { id, written, before }: ChangedCase,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const suiteId of await suitesIncluding(em, id)) {
    const suite = await readSuite(em, suiteId, true);
    if (suite === null) continue;
    const others = suite.cases.filter((one) => one.id !== id);
    const name = String(written.name);
    const place = `The suite '${suite.definition.name}', which includes the case`;
    if (hasCaseNamed({ cases: others }, name))
      problems.push(problemAt('name', 'duplicate', `${place}, has one with the name '${name}' already`));
    const checked = checkCase(project, asWritten({ ...suite, cases: others }), { written, before });
    if (checked.ok) continue;
    problems.push(...checked.problems.map((problem) => ({ ...problem, message: `${place}: ${problem.message}` })));
  }
  return problems;
}
