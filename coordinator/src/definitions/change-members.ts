import type { EntityManager } from '@mikro-orm/postgresql';
import type { Problem } from '@proofmark/contracts/problem';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Caller } from '../access/caller.ts';
import { type Database, inTenant } from '../database/transactions.ts';
import { type Changed, invalid, noSuch, problemAt } from './change.ts';
import { refusedChange } from './change-suites.ts';
import { checkCase } from './check-suite.ts';
import { readStoredProject } from './stored-project.ts';
import { asWritten, hasCaseNamed, readSuite, type StoredSuite, suiteOfCase } from './stored-suite.ts';
import { writtenCase } from './write-files.ts';

const Member = z.object({ suiteId: z.string(), testCaseId: z.string(), sortOrder: z.int().nullish() });

/**
 * Makes a suite include a case whose home is another suite of the same repository (C43). Again with another place, it
 * moves there. Answers with the id of the case.
 */
export async function includeTestCase(database: Database, caller: Caller, input: object): Promise<Changed> {
  const { suiteId, testCaseId, sortOrder } = Member.parse(input);
  return inTenant(database, caller.tenantId, async (em): Promise<Changed> => {
    const suite = await readSuite(em, suiteId, true);
    const refused = refusedChange(caller, suite);
    if (suite === null || refused !== null) return refused ?? noSuch('suite');
    const home = await readHome(em, testCaseId);
    if (home === null || home.repositoryId !== suite.repositoryId) return noSuch('test case');
    const problems = await inclusionProblems(em, suite, home);
    if (problems.length > 0) return invalid(problems);
    const present = suite.cases.find(({ id }) => id === testCaseId);
    const last = Math.max(-1, ...suite.cases.map((one) => one.sortOrder));
    const place = sortOrder ?? present?.sortOrder ?? last + 1;
    await sql`
      insert into test_suite_members (tenant_id, suite_id, test_case_id, sort_order)
      values (${caller.tenantId}, ${suiteId}, ${testCaseId}, ${place})
      on conflict (tenant_id, suite_id, test_case_id) do update set sort_order = excluded.sort_order`.execute(
      em.getKysely(),
    );
    return { ok: true, id: testCaseId };
  });
}

interface Home {
  suiteId: string;
  repositoryId: string | null;
  testCase: StoredSuite['cases'][number];
}

async function readHome(em: EntityManager, testCaseId: string): Promise<Home | null> {
  const suiteId = await suiteOfCase(em, testCaseId);
  const suite = suiteId === null ? null : await readSuite(em, suiteId);
  const testCase = suite?.cases.find(({ id }) => id === testCaseId);
  return suite && testCase ? { suiteId: suite.id, repositoryId: suite.repositoryId, testCase } : null;
}

/** What keeps a suite from including a case: it has it, it has another of that name, or the case makes no sense in it. */
async function inclusionProblems(
  em: EntityManager,
  suite: StoredSuite,
  { suiteId, testCase }: Home,
): Promise<Problem[]> {
  if (suiteId === suite.id) return [problemAt('testCaseId', 'exclusive', 'The suite is the home of the case')];
  const others = suite.cases.filter(({ id }) => id !== testCase.id);
  const { definition } = testCase;
  if (hasCaseNamed({ cases: others }, definition.name))
    return [problemAt('name', 'duplicate', `The suite has a case with the name '${definition.name}' already`)];
  const project = await readStoredProject(em, suite.repositoryId);
  const written = writtenCase(definition);
  const checked = checkCase(project, asWritten({ ...suite, cases: others }), { written, before: null });
  return checked.ok ? [] : checked.problems;
}

/** Takes a case out of a suite that includes it. The case stays in its home. */
export async function excludeTestCase(database: Database, caller: Caller, input: object): Promise<Changed> {
  const { suiteId, testCaseId } = Member.parse(input);
  return inTenant(database, caller.tenantId, async (em): Promise<Changed> => {
    const suite = await readSuite(em, suiteId, true);
    const refused = refusedChange(caller, suite);
    if (suite === null || refused !== null) return refused ?? noSuch('suite');
    const { rows } = await sql`
      delete from test_suite_members where suite_id = ${suiteId} and test_case_id = ${testCaseId} returning 1`.execute(
      em.getKysely(),
    );
    if (rows.length > 0) return { ok: true, id: testCaseId };
    const isHome = suite.cases.some(({ id }) => id === testCaseId);
    const message = 'The suite is the home of the case: deleteTestCase deletes it, in all suites';
    return isHome ? invalid([problemAt('testCaseId', 'exclusive', message)]) : noSuch('test case');
  });
}
