import type { EntityManager } from '@mikro-orm/postgresql';
import type { LoadedSuite } from '@proofmark/contracts/loaded';
import { sql } from 'kysely';
import { oneAhead } from '../database/one-ahead.ts';
import { rowId } from '../database/row-id.ts';
import { type Columns, names, unnest } from '../database/unnest.ts';
import { type CaseRow, caseColumns, caseValues, type ListedRow } from './case-columns.ts';
import { type HousedCase, type ListedCase, settleHomes } from './settle-homes.ts';
import { storeIncluded } from './store-included.ts';

const largestBatch = 500;

interface Storing {
  tenantId: string;
  repositoryId: string | null;
  suites: readonly { loaded: LoadedSuite; suiteId: string }[];
  /** None of them was there a moment ago. */
  areNew: boolean;
  mayChange: boolean;
}

type CaseIds = Map<string, Map<string, string>>;

/** Makes sure that every case of the suites exists, and returns the ids by path of the suite and name of the case. */
export async function storeCases(em: EntityManager, storing: Storing): Promise<CaseIds> {
  const { tenantId, suites, areNew, mayChange } = storing;
  const listed = suites.flatMap(({ loaded, suiteId }) => casesOf(loaded, suiteId));
  const suiteIds = suites.map(({ suiteId }) => suiteId);
  const housed = await findHoused(em, storing, listed);
  const { own, included, moves } = settleHomes(listed, housed, { suiteIds, mayMove: mayChange });
  if (moves.length > 0) await moveHouse(em, tenantId, moves);
  const into = { tenantId, areEmpty: areNew && moves.length === 0, mayChange };
  const inserted = await oneAhead(batches(own), (batch) => storeBatch(em, into, batch));
  // What is missing in a new suite was never there.
  if (mayChange && !areNew) await dropMissing(em, { tenantId, suiteIds, own });
  const areAllNew = inserted.reduce((sum, count) => sum + count, 0) === own.length;
  const ids = areAllNew ? givenIds(own) : await idsOf(em, tenantId, suiteIds);
  const includedIds = await storeIncluded(em, { tenantId, suiteIds, included, ids, mayChange });
  return new Map(
    suites.map(({ loaded, suiteId }) => [
      loaded.path,
      new Map([...(ids.get(suiteId) ?? []), ...(includedIds.get(suiteId) ?? [])]),
    ]),
  );
}

function casesOf({ path, suite, casePositions, caseFiles }: LoadedSuite, suiteId: string): NewCase[] {
  return suite.cases.map((testCase, sortOrder) => {
    const file = caseFiles.get(testCase.name);
    return {
      id: rowId(),
      suiteId,
      suiteName: suite.name,
      name: testCase.name,
      testCase,
      sortOrder,
      line: casePositions.get(testCase.name)?.line ?? null,
      file: file === undefined || file === path ? null : file,
    };
  });
}

/** A case with the id that it has unless it was there before. */
type NewCase = ListedRow & { id: string };

const newColumns: Columns<NewCase> = { id: { type: 'uuid', of: ({ id }) => id }, ...caseColumns };

const batches = (rows: readonly NewCase[]): NewCase[][] =>
  Array.from({ length: Math.ceil(rows.length / largestBatch) }, (_, index) =>
    rows.slice(index * largestBatch, (index + 1) * largestBatch),
  );

const byName = (cases: readonly { id: string; name: string }[]) => new Map(cases.map(({ name, id }) => [name, id]));

/** The ids of cases that were all inserted, by suite and name. */
function givenIds(rows: readonly NewCase[]): CaseIds {
  const bySuite = Map.groupBy(rows, ({ suiteId }) => suiteId);
  return new Map([...bySuite].map(([suiteId, own]) => [suiteId, byName(own)]));
}

/** The ids of the own cases of these suites, by suite and name. */
async function idsOf(em: EntityManager, tenantId: string, suiteIds: readonly string[]): Promise<CaseIds> {
  const { rows } = await sql<{ id: string; suiteId: string; name: string }>`
    select id, suite_id as "suiteId", name from test_cases
    where tenant_id = ${tenantId} and suite_id = any(${suiteIds}::uuid[]) and deleted_at is null`.execute(
    em.getKysely(),
  );
  const bySuite = Map.groupBy(rows, ({ suiteId }) => suiteId);
  return new Map([...bySuite].map(([suiteId, own]) => [suiteId, byName(own)]));
}

const fileColumns: Columns<ListedCase> = {
  file: { type: 'text', of: ({ file }) => file },
  name: { type: 'text', of: ({ name }) => name },
};

/**
 * The stored cases that are written in the same files, the oldest first. A path means something in its repository only:
 * without one, two runs that send a file of the same name mean two files.
 */
async function findHoused(
  em: EntityManager,
  { tenantId, repositoryId, suites }: Storing,
  listed: readonly ListedRow[],
): Promise<HousedCase[]> {
  const inFiles = listed.filter(({ file }) => file !== null);
  if (inFiles.length === 0) return [];
  const suiteIds = suites.map(({ suiteId }) => suiteId);
  const reach =
    repositoryId === null ? sql`c.suite_id = any(${suiteIds}::uuid[])` : sql`a.repository_id = ${repositoryId}::uuid`;
  const { rows } = await sql<HousedCase>`
    select c.id, c.suite_id as "suiteId", c.name, c.file from test_cases c
    join agent_test_suites s on s.tenant_id = c.tenant_id and s.id = c.suite_id and s.deleted_at is null
    join agents a on a.tenant_id = s.tenant_id and a.id = s.agent_id
    where c.tenant_id = ${tenantId} and c.deleted_at is null and ${reach}
      and (c.file, c.name) in (select * from ${unnest(inFiles, fileColumns, 'w')})
    order by c.created_at, c.id`.execute(em.getKysely());
  return rows;
}

const moveColumns: Columns<{ id: string; suiteId: string; name: string }> = {
  id: { type: 'uuid', of: ({ id }) => id },
  suite_id: { type: 'uuid', of: ({ suiteId }) => suiteId },
  name: { type: 'text', of: ({ name }) => name },
};

/** The case keeps its id, and with it its history. One of the same name that lived there before gives way. */
async function moveHouse(
  em: EntityManager,
  tenantId: string,
  moves: readonly { id: string; suiteId: string; name: string }[],
): Promise<void> {
  const batch = unnest(moves, moveColumns, 'm');
  const kysely = em.getKysely();
  await sql`
    update test_cases t set deleted_at = now(), updated_at = now() from ${batch}
    where t.tenant_id = ${tenantId} and t.suite_id = m.suite_id and t.name = m.name and t.deleted_at is null`.execute(
    kysely,
  );
  await sql`
    update test_cases t set suite_id = m.suite_id, updated_at = now() from ${batch}
    where t.tenant_id = ${tenantId} and t.id = m.id`.execute(kysely);
}

/** To insert what may be there takes Postgres two microseconds more than to insert what cannot. */
const ifNew = sql`on conflict (tenant_id, suite_id, name) where deleted_at is null do nothing`;

interface Into extends Pick<Storing, 'tenantId' | 'mayChange'> {
  /** The suites have no cases, and nobody else can see them yet. */
  areEmpty: boolean;
}

/** How many of them are new. */
async function storeBatch(
  em: EntityManager,
  { tenantId, areEmpty, mayChange }: Into,
  batch: readonly NewCase[],
): Promise<number> {
  const kysely = em.getKysely();
  const rows = unnest(batch, newColumns, 'c');
  const values = caseValues('c');
  const inserted = await sql`
    insert into test_cases (tenant_id, id, ${names(caseColumns)})
    select ${tenantId}::uuid, c.id, ${sql.join(values)} from ${rows} order by c.suite_id, c.name
    ${areEmpty ? sql`` : ifNew}`.execute(kysely);
  const count = Number(inserted.numAffectedRows);
  // What was not there a moment ago is as it was sent.
  if (!mayChange || count === batch.length) return count;
  const assignments = Object.keys(caseColumns).map((name, index) => sql`${sql.ref(name)} = ${values[index]}`);
  await sql`
    update test_cases t set ${sql.join(assignments)}, updated_at = now() from ${rows}
    where t.tenant_id = ${tenantId} and t.suite_id = c.suite_id and t.name = c.name and t.deleted_at is null
      and (t.definition, t.sort_order, t.line, t.file, t.case_key)
        is distinct from (c.definition, c.sort_order, c.line, c.file, c.case_key)`.execute(kysely);
  return count;
}

const keyColumns: Columns<CaseRow> = {
  suite_id: { type: 'uuid', of: ({ suiteId }) => suiteId },
  name: { type: 'text', of: ({ testCase }) => testCase.name },
};

interface Kept {
  tenantId: string;
  suiteIds: readonly string[];
  own: readonly CaseRow[];
}

/** A case that the base branch no longer has is hidden; its results stay readable. */
async function dropMissing(em: EntityManager, { tenantId, suiteIds, own }: Kept): Promise<void> {
  // `not in` is answered from a hash; the planner, which knows nothing about these rows, would compare all with all else.
  await sql`
    update test_cases t set deleted_at = now(), updated_at = now()
    where t.tenant_id = ${tenantId} and t.deleted_at is null and t.suite_id = any(${suiteIds}::uuid[])
      and (t.suite_id, t.name) not in (select n.suite_id, n.name from ${unnest(own, keyColumns, 'n')})`.execute(
    em.getKysely(),
  );
}
