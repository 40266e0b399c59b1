import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { StartStoredRunInput, startStoredRun } from '../start/start-stored-run.ts';
import {
  anInput,
  begin,
  given,
  leases,
  newRepository,
  newTenant,
  ownLedger,
  portsOf,
  type Tenant,
} from '../story.fixture.ts';
import { ImportDefinitionsInput, importDefinitions } from './import-definitions.ts';

const ledger = await ownLedger();
let tenant: Tenant;
let repositoryId: string;
beforeEach(async () => {
  tenant = await newTenant(ledger);
  repositoryId = await newRepository(ledger, tenant);
});

const caseFile = (name: string, question = `question of ${name}`) => ({
  path: `cases/${name.toLowerCase()}.case.yaml`,
  text: `name: ${name}\ninput: ${question}\nexpected_behavior: { checks: [{ type: contains_phrases, phrases: [yes] }] }\n`,
});
const suite = (name: string, ...cases: string[]) => ({
  path: `evals/${name.toLowerCase()}.suite.yaml`,
  text: `name: ${name}
agent: { name: ${name} agent, instructions: Be kind., driver: { type: scripted, replies: [{ reply: yes }] } }
cases: [${cases.map((one) => (one.startsWith('{') ? one : `{ file: ../cases/${one.toLowerCase()}.case.yaml }`)).join(', ')}]
`,
});
const inline = (name: string) =>
  `{ name: ${name}, input: inline, expected_behavior: { checks: [{ type: contains_phrases, phrases: [yes] }] } }`;

type SentFile = { path: string; text: string };
const suitePathsOf = (files: SentFile[]) =>
  files.map(({ path }) => path).filter((path) => path.endsWith('.suite.yaml'));

async function importFiles(...files: SentFile[]) {
  const input = ImportDefinitionsInput.parse({ files, suitePaths: suitePathsOf(files), repositoryId });
  const imported = await importDefinitions(ledger.database, tenant.caller, input);
  if (!imported.ok) throw new Error(JSON.stringify(imported.error));
  return imported.changes;
}

/** Every case that is not hidden, with its home, and the suites that include it with their place for it. */
const cases = () =>
  ledger.query<{ name: string; home: string; included: string[]; question: string }>(
    `select c.name, s.name as home, c.question, array(
       select u.name || ' ' || m.sort_order from test_suite_members m join agent_test_suites u on u.id = m.suite_id
       where m.test_case_id = c.id order by 1) as included
     from test_cases c join agent_test_suites s on s.id = c.suite_id
     where c.tenant_id = $1 and c.deleted_at is null order by c.name, s.name`,
    [tenant.id],
  );

const idOf = async (name: string): Promise<string> =>
  given(
    (
      await ledger.query<{ id: string }>(
        'select id from test_cases where tenant_id = $1 and name = $2 and deleted_at is null',
        [tenant.id, name],
      )
    )[0],
  ).id;

/** Which cases each suite of a run has, with their ids. */
const planned = (runId: string) =>
  ledger.query(
    `select s.suite_name as suite, l.case_name as name, l.test_case_id as id, l.work -> 'case' ->> 'input' as input
     from ${leases} l join test_suite_runs s on s.id = l.suite_run_id
     where l.run_id = $1 and l.repetition = 1 order by s.suite_name, l.sort_order`,
    [runId],
  );

const ofBase = {
  triggeredBy: 'ci',
  event: 'push',
  repositoryExternalId: '77',
  headSha: 'a'.repeat(40),
  ref: 'refs/heads/main',
} as const;
const ofProposal = {
  ...ofBase,
  event: 'pull_request',
  pullRequest: 5,
  baseSha: 'b'.repeat(40),
  ref: 'refs/pull/5/merge',
} as const;
const start = (files: SentFile[], trigger: typeof ofBase | typeof ofProposal = ofBase) =>
  begin(ledger, tenant, anInput({ trigger, files, suitePaths: suitePathsOf(files) }));

describe('a case file that several suites list (C43)', () => {
  it('is one case: at home in the first suite, included by the others at their own place', async () => {
    const files = [suite('First', 'Refund'), suite('Second', inline('Own'), 'Refund'), caseFile('Refund')];
    const changes = await importFiles(...files);
    expect(changes.testCases).toMatchObject({ added: ['First / Refund', 'Second / Own'] });
    expect(await cases()).toEqual([
      { name: 'Own', home: 'Second', included: [], question: 'inline' },
      { name: 'Refund', home: 'First', included: ['Second 1'], question: 'question of Refund' },
    ]);

    const again = await importFiles(...files);
    for (const kind of Object.values(again)) expect(kind).toMatchObject({ added: [], changed: [], removed: [] });
  });

  it('runs in each of them as the same case, each suite a suite run of its own', async () => {
    const runId = await start([suite('First', 'Refund'), suite('Second', 'Refund'), caseFile('Refund')]);
    const id = await idOf('Refund');
    const input = 'question of Refund';
    expect(await planned(runId)).toEqual([
      { suite: 'First', name: 'Refund', id, input },
      { suite: 'Second', name: 'Refund', id, input },
    ]);
  });

  it('follows its file, also when only a suite that includes it is run', async () => {
    await importFiles(suite('First', 'Refund'), suite('Second', 'Refund'), caseFile('Refund'));
    const id = await idOf('Refund');
    const runId = await start([suite('Second', 'Refund'), caseFile('Refund', 'Where is my money?')]);
    expect(await planned(runId)).toEqual([{ suite: 'Second', name: 'Refund', id, input: 'Where is my money?' }]);
    expect(await cases()).toEqual([
      { name: 'Refund', home: 'First', included: ['Second 0'], question: 'Where is my money?' },
    ]);
  });

  it('leaves a suite that no longer lists it, and moves in with another when its home lets it go: its id stays', async () => {
    const files = [suite('First', 'Refund', 'Hours'), suite('Second', 'Refund', 'Hours')];
    await importFiles(...files, caseFile('Refund'), caseFile('Hours'));
    const id = await idOf('Refund');
    const changes = await importFiles(
      suite('First', 'Hours'),
      suite('Second', 'Refund'),
      caseFile('Refund'),
      caseFile('Hours'),
    );
    expect(await cases()).toMatchObject([
      { name: 'Hours', home: 'First', included: [] },
      { name: 'Refund', home: 'Second', included: [] },
    ]);
    expect(await idOf('Refund')).toBe(id);
    expect(changes).toMatchObject({
      suites: { changed: ['Second'] },
      testCases: { added: [], removed: [], changed: ['First / Hours', 'Second / Refund'] },
    });
  });

  it('outlives its home suite when that is gone from the repository', async () => {
    await importFiles(suite('First', 'Refund'), suite('Second', 'Refund'), caseFile('Refund'));
    const id = await idOf('Refund');
    expect(await importFiles(suite('Second', 'Refund'), caseFile('Refund'))).toMatchObject({
      suites: { removed: ['First'] },
      testCases: { added: [], removed: [] },
    });
    expect(await cases()).toMatchObject([{ name: 'Refund', home: 'Second', included: [] }]);
    expect(await idOf('Refund')).toBe(id);
  });

  it('is nothing that a proposal can share or take apart: that waits for the base branch', async () => {
    await importFiles(suite('First', 'Refund'), suite('Second', inline('Own')), caseFile('Refund'));
    const id = await idOf('Refund');
    const runId = await start(
      [suite('First', inline('New')), suite('Second', inline('Own'), 'Refund'), caseFile('Refund', 'Changed?')],
      ofProposal,
    );
    expect(await planned(runId)).toMatchObject([
      { suite: 'First', name: 'New' },
      { suite: 'Second', name: 'Own' },
      { suite: 'Second', name: 'Refund', id, input: 'Changed?' },
    ]);
    expect(await cases()).toMatchObject([
      { name: 'New', home: 'First' },
      { name: 'Own', home: 'Second' },
      { name: 'Refund', home: 'First', included: [], question: 'question of Refund' },
    ]);
  });

  it('is two cases where nothing tells that the file is the same: without a repository', async () => {
    const runWith = (question: string, name: string) =>
      begin(
        ledger,
        tenant,
        anInput({
          files: [suite(name, 'Refund'), caseFile('Refund', question)],
          suitePaths: [suite(name, 'Refund').path],
        }),
      );
    await runWith('one', 'First');
    await runWith('another', 'Second');
    expect(await cases()).toMatchObject([
      { home: 'First', question: 'one', included: [] },
      { home: 'Second', question: 'another', included: [] },
    ]);
  });

  it('runs in a stored suite that includes it, with the cases in the order of that suite', async () => {
    await importFiles(suite('First', 'Refund'), suite('Second', 'Refund', inline('Own')), caseFile('Refund'));
    const [second] = await ledger.query<{ id: string }>(
      `select id from agent_test_suites where tenant_id = $1 and name = 'Second'`,
      [tenant.id],
    );
    const input = StartStoredRunInput.parse({ idempotencyKey: randomUUID(), suiteId: given(second).id });
    const answer = await startStoredRun(portsOf(ledger), tenant.caller, input);
    expect(answer).toMatchObject({ ok: true, warnings: [] });
    expect(await planned(answer.ok ? answer.runId : '')).toMatchObject([
      { suite: 'Second', name: 'Refund', id: await idOf('Refund') },
      { suite: 'Second', name: 'Own' },
    ]);
  });
});
