import { beforeEach, expect, it } from 'vitest';
import type { z } from 'zod';
import { anInput, begin, newRepository, newTenant, ownLedger, suiteFile, type Tenant } from '../story.fixture.ts';
import { ImportDefinitionsInput, importDefinitions } from './import-definitions.ts';

const ledger = await ownLedger();
let tenant: Tenant;
let repositoryId: string;
beforeEach(async () => {
  tenant = await newTenant(ledger);
  repositoryId = await newRepository(ledger, tenant);
});

const project = {
  path: 'proofmark.yaml',
  text: `
ai_configurations: { big: { provider: openai, model: big-1 }, small: { provider: openai, model: small-1 } }
test_types: ["*.type.yaml"]
presets: { quick: { AIConfiguration: small } }
limits: { case_timeout_ms: 5000 }
`,
};
const type = {
  path: 'words.type.yaml',
  text: `
name: words
variables_schema:
  schemaVersion: "1.0"
  variables:
    - { name: Word, displayName: Word, dataType: string, valueSource: freeform, required: false }
    - { name: Model, displayName: Model, dataType: string, valueSource: entity, required: false }
`,
};
const suite = (name: string, sketch: Parameters<typeof suiteFile>[0] = {}) => ({
  path: `evals/${name}.suite.yaml`,
  text: suiteFile({ name, cases: 2, ...sketch }),
});

type Given = Partial<z.input<typeof ImportDefinitionsInput>>;

const importFiles = (files: { path: string; text: string }[], more: Given = {}, caller = tenant.caller) => {
  const input = ImportDefinitionsInput.parse({
    files,
    suitePaths: files.map(({ path }) => path).filter((path) => path.endsWith('.suite.yaml')),
    projectPath: files.find(({ path }) => path.endsWith('proofmark.yaml'))?.path ?? null,
    repositoryId,
    ...more,
  });
  return importDefinitions(ledger.database, caller, input);
};

async function mustImport(...files: { path: string; text: string }[]) {
  const imported = await importFiles(files);
  if (!imported.ok) throw new Error(JSON.stringify(imported.error));
  return imported.changes;
}

const nothing = { added: [], changed: [], removed: [], unchanged: 0 };

it('stores everything that the files of a repository define, and starts no run', async () => {
  const changes = await mustImport(
    project,
    type,
    suite('Hours'),
    suite('Refunds', { extra: 'judge: { ai_configuration: big }' }),
  );
  expect(changes).toEqual({
    aiConfigurations: { ...nothing, added: ['big', 'small'] },
    testTypes: { ...nothing, added: ['words'] },
    presets: { ...nothing, added: ['quick'] },
    agents: { ...nothing, added: ['Hours agent', 'Refunds agent'] },
    suites: { ...nothing, added: ['Hours', 'Refunds'] },
    testCases: { ...nothing, added: ['Hours / case 1', 'Hours / case 2', 'Refunds / case 1', 'Refunds / case 2'] },
  });
  expect(await ledger.query('select 1 from runs where tenant_id = $1', [tenant.id])).toEqual([]);
  const [row] = await ledger.query(
    `select r.limits ->> 'case_timeout_ms' as timeout, m.name as judge from repositories r
     cross join agent_test_suites s join model_configurations m on m.id = s.llm_judge_model_config_id
     where r.id = $1 and s.tenant_id = r.tenant_id and s.name = 'Refunds'`,
    [repositoryId],
  );
  expect(row).toEqual({ timeout: '5000', judge: 'big' });
  const [stored] = await ledger.query(`select variables_schema from test_types where tenant_id = $1`, [tenant.id]);
  expect(JSON.stringify(stored)).not.toContain('possibleValues');
});

it('changes nothing when nothing changed, and says what did by content', async () => {
  await mustImport(project, type, suite('Hours'), suite('Refunds'));
  const times = 'select max(updated_at) as last from agent_test_suites where tenant_id = $1';
  const before = await ledger.query(times, [tenant.id]);
  const commented = { ...suite('Hours'), text: `# a remark\n${suite('Hours').text}` };
  const same = await mustImport(project, type, commented, suite('Refunds'));
  for (const kind of Object.values(same)) expect(kind).toMatchObject({ added: [], changed: [], removed: [] });
  expect(same).toMatchObject({
    suites: { changed: [], unchanged: 2 },
    testCases: { changed: [], unchanged: 4 },
    aiConfigurations: { unchanged: 2 },
  });
  expect(await ledger.query(times, [tenant.id])).toEqual(before);

  const otherModel = { ...project, text: project.text.replace('small-1', 'small-2') };
  const changed = await mustImport(otherModel, type, suite('Hours', { instructions: 'Be short.' }), {
    ...suite('Refunds', { cases: 3, repetitions: 2 }),
    text: suite('Refunds', { cases: 3, repetitions: 2 }).text.replace('question 1', 'another question'),
  });
  expect(changed).toEqual({
    aiConfigurations: { ...nothing, changed: ['small'], unchanged: 1 },
    testTypes: { ...nothing, unchanged: 1 },
    presets: { ...nothing, unchanged: 1 },
    agents: { ...nothing, changed: ['Hours agent'], unchanged: 1 },
    suites: { ...nothing, changed: ['Refunds'], unchanged: 1 },
    testCases: { ...nothing, added: ['Refunds / case 3'], changed: ['Refunds / case 1'], unchanged: 3 },
  });
});

/** The version of every row that an import may write: one that is written gets another, also with the same content. */
const versions = () => {
  const tables = ['model_configurations', 'test_types', 'presets', 'agents', 'agent_snapshots'];
  const more = ['agent_test_suites', 'test_cases', 'test_suite_members', 'repositories', 'definition_files'];
  const of = (table: string) => `select '${table}' as name, ctid::text, xmin::text from ${table} where tenant_id = $1`;
  return ledger.query(`${[...tables, ...more].map(of).join(' union all ')} order by 1, 2`, [tenant.id]);
};

it('writes no row at all when nothing changed (S2-16)', async () => {
  const shared = {
    path: 'cases/shared.case.yaml',
    text: 'name: Shared\ninput: Hello\nexpected_behavior: { checks: [{ type: contains_phrases, phrases: [yes] }] }\n',
  };
  const listing = (name: string) => ({
    ...suite(name),
    text: `${suite(name).text}  - { file: ../cases/shared.case.yaml }\n`,
  });
  const files = [project, type, listing('Hours'), listing('Refunds'), shared];
  await mustImport(...files);
  const before = await versions();
  expect(before.length).toBeGreaterThan(12);
  await mustImport(...files);
  expect(await versions()).toEqual(before);
  await mustImport(...files.with(-1, { ...shared, text: shared.text.replace('Hello', 'Good morning') }));
  const after = await versions();
  const written = after.filter((row) => !before.some((old) => JSON.stringify(old) === JSON.stringify(row)));
  expect(written.map(({ name }) => name)).toEqual(['agent_test_suites', 'agent_test_suites', 'test_cases']);
});

it.each(['the repository', 'the whole tenant'])(
  'reports to one of several imports at once what was added to %s, and to the others that it is there',
  async (where) => {
    const more = where === 'the repository' ? {} : { repositoryId: null };
    const files = [project, type, suite('Hours'), suite('Refunds')];
    const answers = await Promise.all(Array.from({ length: 5 }, () => importFiles(files, more)));
    const changes = answers.map((answer) => (answer.ok ? answer.changes : answer.error));
    const fresh = { suites: { ...nothing, added: ['Hours', 'Refunds'] }, presets: { ...nothing, added: ['quick'] } };
    const known = { suites: { ...nothing, unchanged: 2 }, presets: { ...nothing, unchanged: 1 } };
    const isFirst = (one: (typeof changes)[number]) => 'suites' in one && one.suites.added.length > 0;
    expect(changes.filter(isFirst)).toEqual([expect.objectContaining(fresh)]);
    expect(changes.filter((one) => !isFirst(one))).toEqual(
      Array.from({ length: 4 }, () => expect.objectContaining(known)),
    );
  },
);

it('hides what the files of a repository no longer have, and keeps what was made through the API', async () => {
  await mustImport(project, type, suite('Hours'), suite('Refunds'));
  const [agent] = await ledger.query<{ id: string }>(
    `insert into agents (tenant_id, repository_id, name) values ($1, $2, 'By hand') returning id`,
    [tenant.id, repositoryId],
  );
  await ledger.query(
    `insert into agent_test_suites (tenant_id, agent_id, name, created_by) values ($1, $2, 'By hand', $3)`,
    [tenant.id, agent?.id, tenant.userId],
  );
  const changes = await mustImport(
    { ...project, text: 'ai_configurations: { big: { provider: openai, model: big-1 } }' },
    suite('Hours', { cases: 1 }),
  );
  expect(changes).toEqual({
    aiConfigurations: { ...nothing, removed: ['small'], unchanged: 1 },
    testTypes: { ...nothing, removed: ['words'] },
    presets: { ...nothing, removed: ['quick'] },
    agents: { ...nothing, removed: ['Refunds agent'], unchanged: 2 },
    suites: { ...nothing, removed: ['Refunds'], unchanged: 2 },
    testCases: { ...nothing, removed: ['Hours / case 2', 'Refunds / case 1', 'Refunds / case 2'], unchanged: 1 },
  });
  expect(
    await ledger.query(`select name from agent_test_suites where tenant_id = $1 and deleted_at is not null`, [
      tenant.id,
    ]),
  ).toEqual([{ name: 'Refunds' }]);
});

it('wins over what was changed through the API', async () => {
  await mustImport(project, type, suite('Hours'));
  await ledger.query(
    `update agent_test_suites set is_enabled = false, definition_hash = 'edited' where tenant_id = $1`,
    [tenant.id],
  );
  await ledger.query(
    `update test_cases set question = 'edited', definition = definition || '{"input": "edited"}' where tenant_id = $1 and name = 'case 1'`,
    [tenant.id],
  );
  expect(await mustImport(project, type, suite('Hours'))).toMatchObject({
    suites: { changed: ['Hours'] },
    testCases: { changed: ['Hours / case 1'], unchanged: 1 },
  });
});

it('removes nothing outside the folder of its project', async () => {
  const root = (folder: string) => ({
    path: `${folder}/proofmark.yaml`,
    text: `ai_configurations: { ${folder}: { provider: openai, model: m } }`,
  });
  const inFolder = (folder: string) => ({ ...suite(folder), path: `${folder}/${folder}.suite.yaml` });
  await mustImport(root('first'), inFolder('first'));
  expect(await mustImport(root('second'), inFolder('second'))).toMatchObject({
    aiConfigurations: { added: ['second'], removed: [], unchanged: 1 },
    agents: { removed: [] },
    suites: { added: ['second'], removed: [], unchanged: 1 },
  });
});

it('changes nothing when one file has an error, and names every problem', async () => {
  const broken = { ...suite('Broken'), text: 'name: Broken\nagent: nowhere.yaml\ncases: []\n' };
  const answer = await importFiles([project, type, suite('Hours'), broken]);
  expect(answer).toMatchObject({
    ok: false,
    error: { code: 'INVALID_DEFINITIONS', problems: [{ file: broken.path }, { file: broken.path }] },
  });
  expect(await ledger.query('select 1 from agent_test_suites where tenant_id = $1', [tenant.id])).toEqual([]);
});

it('leaves the same rows as a run on the base branch', async () => {
  const files = [project, type, suite('Hours')];
  await mustImport(...files);
  const trigger = {
    triggeredBy: 'ci',
    event: 'push',
    repositoryExternalId: '77',
    headSha: 'a'.repeat(40),
    ref: 'refs/heads/main',
  } as const;
  await begin(
    ledger,
    tenant,
    anInput({ trigger, files, suitePaths: ['evals/Hours.suite.yaml'], projectPath: 'proofmark.yaml' }),
  );
  const again = await mustImport(...files);
  for (const kind of Object.values(again)) expect(kind).toMatchObject({ added: [], changed: [], removed: [] });
});

it('needs the scope admin where it would be about the whole tenant, removes nothing there, and is not for CI jobs', async () => {
  const scopes = new Set(['runs:write'] as const);
  const writer = { ...tenant.caller, scopes };
  const whole = { repositoryId: null };
  expect(await importFiles([project, type, suite('Hours')], whole, writer)).toMatchObject({
    error: { code: 'FORBIDDEN' },
  });
  expect(await importFiles([project, type, suite('Hours')], {}, { ...tenant.caller, kind: 'run' })).toMatchObject({
    error: { code: 'FORBIDDEN' },
  });
  expect(await importFiles([project, type, suite('Hours')], {}, writer)).toMatchObject({ ok: true });
  expect(await importFiles([project, type, suite('Hours')], whole)).toMatchObject({
    ok: true,
    changes: { suites: { added: ['Hours'] } },
  });
  expect(await importFiles([project, type, suite('Refunds')], whole)).toMatchObject({
    ok: true,
    changes: { suites: { added: ['Refunds'], removed: [], unchanged: 1 } },
  });
  const bound = { ...writer, repositoryId: '00000000-0000-4000-8000-000000000000' };
  expect(await importFiles([suite('Hours')], {}, bound)).toMatchObject({ error: { code: 'FORBIDDEN' } });
});

it('lets two imports of one repository take turns', async () => {
  const both = await Promise.all([
    importFiles([project, type, suite('Hours')]),
    importFiles([project, type, suite('Refunds')]),
  ]);
  expect(both.map(({ ok }) => ok)).toEqual([true, true]);
  const left = await ledger.query<{ name: string }>(
    'select name from agent_test_suites where tenant_id = $1 and deleted_at is null',
    [tenant.id],
  );
  expect(left).toHaveLength(1);
});
