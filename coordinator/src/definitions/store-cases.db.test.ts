import { randomUUID } from 'node:crypto';
import { TestCase } from '@proofmark/contracts/test-case';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { inTenant } from '../database/transactions.ts';
import { anInput, begin, given, newRepository, openStory } from '../story.fixture.ts';
import { caseDefinition } from './stored-suite.ts';

const { ledger, tenant } = await openStory();
await newRepository(ledger, tenant);

const path = 'evals/stored.suite.yaml';
const ownId = randomUUID();

/** A push to the base branch. */
const trigger = {
  ...{ triggeredBy: 'ci' as const, event: 'push', host: 'github.com', repositoryExternalId: '77' },
  ...{ ref: 'refs/heads/main', headSha: 'a'.repeat(40) },
};

/** Records a suite of one case, with what a file may say about it, as the base branch has it. */
async function store(fields: string): Promise<StoredCase> {
  const text = `name: Stored
agent: { name: Desk, instructions: Be kind., driver: { type: scripted, replies: [{ reply: yes }] } }
cases:
  - name: A case
    id: ${ownId}
    created_at: 2001-01-01T00:00:00Z
    updated_at: 2001-01-01T00:00:00Z
    input: Are you there?
    expected_behavior: { checks: [{ type: contains_phrases, phrases: [yes] }] }
    ${fields}
`;
  await begin(ledger, tenant, anInput({ files: [{ path, text }], suitePaths: [path], trigger }));
  const [row] = await ledger.query<StoredCase>(
    `select id, created_at as "createdAt", updated_at as "updatedAt", description from test_cases
     where tenant_id = $1 and name = 'A case' and deleted_at is null`,
    [tenant.id],
  );
  return given(row);
}

interface StoredCase {
  id: string;
  createdAt: Date;
  updatedAt: Date;
  description: string | null;
}

it('gives a case its id and its times, whatever the file says, and a new time with every change (S1-28, S1-29, S1-30)', async () => {
  const startedAt = Date.now();
  const first = await store('description: First');
  expect(first.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(first.id).not.toBe(ownId);
  // The clock of the database may differ a little from ours.
  expect(first.createdAt.getTime()).toBeGreaterThan(startedAt - 60_000);
  expect(first.updatedAt).toEqual(first.createdAt);

  const second = await store('description: Second');
  expect(second).toMatchObject({ id: first.id, createdAt: first.createdAt, description: 'Second' });
  expect(second.updatedAt.getTime()).toBeGreaterThan(first.updatedAt.getTime());

  expect(await store('description: Second')).toEqual(second);
});

it('stores of a case what somebody has set, and reads it whole again', async () => {
  const { id } = await store('ground_truth: Until six');
  const set = { name: 'A case', kind: 'single', input: 'Are you there?', ground_truth: 'Until six' };
  const [row] = await ledger.query(
    `select definition - 'expected_behavior' as definition from test_cases where id = $1`,
    [id],
  );
  expect(row).toEqual({ definition: set });
  const { rows } = await inTenant(ledger.database, tenant.id, (em) =>
    sql<{ whole: unknown }>`select ${caseDefinition} as whole from test_cases c where c.id = ${id}`.execute(
      em.getKysely(),
    ),
  );
  const { whole } = given(rows[0]);
  expect(whole).toEqual(TestCase.parse({ ...set, expected_behavior: TestCase.parse(whole).expected_behavior }));
  expect(whole).toMatchObject({ files: [], evaluations: null, literal: false });
});

it('gives test runs the cases that they are about, new ones and those that were there before', async () => {
  const many = Array.from({ length: 600 }, (_, index) => `case ${index}`);
  const first = await runOf(many);
  expect(first.map(({ named }) => named).toSorted()).toEqual(many.toSorted());
  expect(first.filter(({ named, meant }) => named !== meant)).toEqual([]);

  const grown = await runOf([...many.slice(100), 'one more']);
  expect(grown.filter(({ named, meant }) => named !== meant)).toEqual([]);
  const idsBefore = new Map(first.map(({ id, named }) => [named, id]));
  expect(grown.filter(({ id, named }) => idsBefore.get(named) !== id).map(({ named }) => named)).toEqual(['one more']);
  const gone = await ledger.query<{ name: string }>(
    `select name from test_cases where tenant_id = $1 and deleted_at is not null order by name`,
    [tenant.id],
  );
  expect(gone.map(({ name }) => name)).toEqual(many.slice(0, 100).toSorted());
});

/** What each test run of a push with these cases is called, and the case that it points to. */
async function runOf(names: readonly string[]): Promise<{ named: string; meant: string; id: string }[]> {
  const cases = names.map((name) => ({
    name,
    input: name,
    expected_behavior: { checks: [{ type: 'length', min: 1 }] },
  }));
  const agent = { name: 'Many', instructions: 'Be kind.', driver: { type: 'scripted', replies: [{ reply: 'yes' }] } };
  const files = [{ path: 'evals/many.suite.json', text: JSON.stringify({ name: 'Many', agent, cases }) }];
  const runId = await begin(ledger, tenant, anInput({ files, suitePaths: ['evals/many.suite.json'], trigger }));
  return ledger.query(
    `select p.case_name as named, t.name as meant, t.id from planned_test_runs p
     join test_cases t on t.tenant_id = p.tenant_id and t.id = p.test_case_id where p.run_id = $1 and p.repetition = 1`,
    [runId],
  );
}
