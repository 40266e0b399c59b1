import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { receiveWebhooks } from '../../coordinator/src/alerts/receivers.fixture.ts';
import { makeScratchDirectory } from '../stack/scratch-directory.ts';
import { typeCli } from '../stack/type-cli.ts';
import type { RunningProduct } from './running-product.ts';

const nobody = '00000000-0000-4000-8000-000000000000';
const phrase = (text: string) => `expected_behavior: { checks: [{ type: contains_phrases, phrases: ["${text}"] }] }`;
const storedSuite = `name: Stored desk
agent: { name: Stored agent, instructions: "Help {{Temperature}}.", ai_configuration: desk }
cases:
  - { name: Closing time, input: When do you close?, tags: [daily], ${phrase('17')} }
  - { name: Holiday time, input: And on holidays?, difficulty: hard, ${phrase('9')} }
`;
const failingSuite = `name: Stored refunds
agent: { name: Stored agent, instructions: Help., ai_configuration: desk }
cases:
  - { name: Refund time, input: How long?, ${phrase('30 days')} }
  - { name: Closing time, input: When do you close?, ${phrase('17')} }
`;
const projectFile = 'ai_configurations:\n  desk: { provider: openai, model: scripted, api_key_env: OPENAI_API_KEY }\n';

type Hooks = Awaited<ReturnType<typeof receiveWebhooks>>;

/** What a coordinator has, listed and changed from a terminal. */
export function testNouns(world: () => { running: RunningProduct; hooks: Hooks }): void {
  let folder = '';
  let failedRun = '';

  const typeWith = async (token: string, ...args: string[]) => {
    const { product } = world().running;
    return await typeCli(args, { folder, env: { PROOFMARK_TOKEN: token, PROOFMARK_COORDINATOR: product.url } });
  };
  const type = (...args: string[]) => typeWith(world().running.product.token, ...args);
  /** Of what went well. */
  const answerOf = async (...args: string[]): Promise<unknown> => {
    const { code, stdout, stderr } = await type(...args, '--json');
    expect(code, `${args.join(' ')}: ${stderr}`).toBe(0);
    return JSON.parse(stdout);
  };
  /** What is refused: told with its code or its cure, and nothing on standard output. */
  const refused = async (words: string, ...args: string[]): Promise<void> => {
    const { code, stdout, stderr } = await type(...args);
    expect([code, stdout, stderr], args.join(' ')).toEqual([2, '', expect.stringContaining(words)]);
  };

  beforeAll(async () => {
    folder = await makeScratchDirectory('nouns');
    const files = [
      { path: 'proofmark.yaml', text: projectFile },
      { path: 'desk.suite.yaml', text: storedSuite },
      { path: 'refunds.suite.yaml', text: failingSuite },
    ];
    const input = { files, suitePaths: ['desk.suite.yaml', 'refunds.suite.yaml'], projectPath: 'proofmark.yaml' };
    const { data } = await world().running.ask(
      'mutation ($input: ImportDefinitionsInput!) { importDefinitions(input: $input) { __typename } }',
      { input },
    );
    expect(data?.importDefinitions).toEqual({ __typename: 'ImportDefinitionsSuccess' });
  });

  test('S4-70 a stored test is run by its name, with values, and one whose name is not enough by its suite or its id', async () => {
    const { model } = world().running;
    const asked = model.requests.length;
    const one = await type('test', 'Holiday time', '--var', 'Temperature=0.25');
    expect([one.code, one.stdout], one.stderr).toEqual([0, expect.stringContaining('1 of 1 passed (100%)')]);
    const temperatures = model.requests
      .slice(asked)
      .map(({ body }) => z.object({ temperature: z.number() }).parse(body).temperature);
    expect(new Set(temperatures)).toEqual(new Set([0.25]));
    await refused('Several have the name Closing time. Name one by its id: ', 'test', 'Closing time');
    const within = await type('test', 'Closing time', '--suite', 'Stored desk', '--json');
    expect([within.code, JSON.parse(within.stdout).suite_runs.length], within.stderr).toEqual([0, 1]);
    await refused('has no test Holyday time: `proofmark suites show SUITE` lists', 'test', 'Holyday time');
    await refused('NOT_FOUND', 'test', nobody);
    await refused('Name one test', 'test');
  });

  test('S4-71 a stored suite is run by its name, with values for all of its tests', async () => {
    const { model } = world().running;
    const asked = model.requests.length;
    const suite = await type('run', '--suite', 'Stored desk', '--var', 'Temperature=0.5');
    expect([suite.code, suite.stdout], suite.stderr).toEqual([0, expect.stringContaining('2 of 2 passed (100%)')]);
    const sent = model.requests.slice(asked);
    expect(sent.map(({ body }) => z.object({ temperature: z.number() }).parse(body).temperature)).toEqual(
      sent.map(() => 0.5),
    );
    for (const input of ['When do you close?', 'And on holidays?'])
      expect(sent.some(({ user }) => user.includes(input))).toBe(true);
    await refused(
      'The coordinator has no suite Stored desc: `proofmark suites` lists them.',
      'run',
      '--suite',
      'Stored desc',
    );
    await refused('leave out the paths', 'run', 'evals', '--suite', 'Stored desk');
    await refused('NOT_FOUND', 'run', '--suite', nobody);
  });

  test('suites and their tests are listed, as tables and as JSON with the same names', async () => {
    const listed = z
      .object({ suites: z.array(z.looseObject({ id: z.uuid(), name: z.string() })) })
      .parse(await answerOf('suites', '--limit', '1000'));
    expect(listed.suites.find(({ name }) => name === 'Stored desk')).toMatchObject({
      ...{ agent: 'Stored agent', cases: 2, enabled: true, schedule: null },
    });
    const shown = await type('suites', 'show', 'Stored desk');
    expect(shown.stdout.split('\n')).toEqual([
      expect.stringMatching(/^NAME {10}STATUS {2}ENABLED {2}DIFFICULTY {2}TAGS {3}ID$/),
      expect.stringMatching(/^Closing time {2}active {2}yes {6}normal {6}daily {2}[0-9a-f-]{36}$/),
      expect.stringMatching(/^Holiday time {2}active {2}yes {6}hard {8}- {6}[0-9a-f-]{36}$/),
      '',
    ]);
    await refused('Did you mean', 'suites', 'sho', 'Stored desk');
    expect(await answerOf('suites', 'show', 'Stored desk')).toMatchObject({ tests: [{}, {}] });
    await refused(`has no suite ${nobody}`, 'suites', 'show', nobody);
    await refused('has no suite Desk of nobody', 'suites', 'show', 'Desk of nobody');
  });

  test('a run is found, annotated and run again, all of it or what failed', async () => {
    const first = await type('run', '--suite', 'Stored refunds', '--json');
    expect(first.code, first.stderr).toBe(1);
    const listed = z
      .object({ runs: z.array(z.looseObject({ id: z.uuid() })) })
      .parse(await answerOf('runs', '--suite', 'Stored refunds', '--status', 'completed'));
    expect(listed.runs).toMatchObject([{ status: 'completed', passed: 1, test_runs: 2, started_by: 'bootstrap' }]);
    failedRun = listed.runs[0]?.id ?? '';
    expect(await answerOf('runs', 'note', failedRun, 'Known trouble')).toEqual({
      ...{ run_id: failedRun, notes: 'Known trouble' },
    });
    const again = await type('rerun', failedRun, '--only', 'failed', '--notes', 'Once more');
    expect([again.code, again.stdout], again.stderr).toEqual([1, expect.stringContaining('0 of 1 passed')]);
    await refused('must be one of failed, errored', 'rerun', failedRun, '--only', 'passed');
    await refused('NOT_FOUND', 'rerun', nobody);
    await refused('NOT_FOUND', 'runs', 'note', nobody, 'x');
    expect((await type('runs', '--suite', 'Of nobody')).stdout).toBe('No runs.\n');
    await refused('--verdict: must be one of', 'runs', '--verdict', 'regresed');
  });

  test('the results of a run are fetched as a file, whole or not at all', async () => {
    const csv = await type('export', failedRun);
    expect([csv.code, csv.stdout.trimEnd().split('\n').length], csv.stderr).toEqual([0, 3]);
    for (const [name, has] of [
      ['results.jsonl', '"Refund time"'],
      ['results.xml', '<testsuite'],
      ['results.html', 'Refund time'],
    ] as const) {
      const written = await type('export', failedRun, '--output', name);
      expect([written.code, written.stderr]).toEqual([0, `Written: ${name}\n`]);
      expect(await readFile(join(folder, name), 'utf8')).toContain(has);
    }
    const link = z.object({ url: z.url(), expires_at: z.iso.datetime() }).parse(await answerOf('export', failedRun));
    expect((await fetch(link.url)).status).toBe(200);
    await refused('must end in .csv, .jsonl, .xml, .html', 'export', failedRun, '--output', 'results.txt');
    await refused(`There is no run ${nobody}`, 'export', nobody);
  });

  test('settings are listed, set, refused and reset', async () => {
    const key = 'test_suites.retention_days';
    expect(await answerOf('settings', 'set', key, '90')).toEqual({ key, value: '90', source: 'stored' });
    expect(await answerOf('settings')).toMatchObject({
      settings: expect.arrayContaining([expect.objectContaining({ key, value: '90', source: 'stored' })]),
    });
    await refused('must be a whole number from 1 to', 'settings', 'set', key, '0');
    await refused('INVALID_INPUT', 'settings', 'set', 'no.such.key', '1');
    await refused('Type `proofmark settings set KEY VALUE`.', 'settings', 'set', key);
    expect(await answerOf('settings', 'reset', key)).toEqual({ key, value: '30', source: 'default' });
  });

  test('a token is made, replaced and ended; it alone stands on standard output, once', async () => {
    const made = await type(
      'tokens',
      'create',
      'nightly',
      '--scope',
      'runs:read',
      '--scope',
      'runs:write',
      '--days',
      '9',
    );
    expect([made.code, made.stdout]).toEqual([0, expect.stringMatching(/^pmk_\S+\n$/)]);
    expect(made.stderr).toMatch(/^Token nightly is made \([0-9a-f-]{36}\)\. What follows is shown this once/);
    expect((await typeWith(made.stdout.trim(), 'tenants')).stdout).toContain('runs:read, runs:write');
    const rotated = z
      .object({ id: z.uuid(), replaces: z.uuid(), token: z.string() })
      .parse(await answerOf('tokens', 'rotate', 'nightly', '--grace-hours', '0'));
    const listed = z
      .object({ tokens: z.array(z.looseObject({ id: z.uuid(), name: z.string() })) })
      .parse(await answerOf('tokens', '--limit', '1000'));
    expect(listed.tokens.find(({ id }) => id === rotated.id)).toMatchObject({
      ...{ name: 'nightly', scopes: ['runs:read', 'runs:write'], acts_for: 'bootstrap', revoked_at: null },
    });
    expect((await typeWith(made.stdout.trim(), 'tenants')).stderr).toContain('UNAUTHENTICATED');
    expect(await answerOf('tokens', 'revoke', rotated.id)).toEqual({ id: rotated.id, revoked: true });
    const ended = await typeWith(rotated.token, 'runs');
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining('revoked or expired')]);
    await refused('There is no token nigthly.', 'tokens', 'revoke', 'nigthly');
    await refused('--scope: must be one of', 'tokens', 'create', 'x', '--scope', 'everything');
    await refused('NOT_FOUND', 'tokens', 'create', 'x', '--scope', 'runs:read', '--for', 'nobody@example.com');
    const reader = await type('tokens', 'create', 'reader', '--scope', 'runs:read');
    const forbidden = await typeWith(reader.stdout.trim(), 'tokens');
    expect([forbidden.code, forbidden.stderr]).toEqual([2, expect.stringContaining('FORBIDDEN')]);
  });

  test('people and services get roles, lose them and get them back, and tenants are made by the operator alone', async () => {
    expect(await answerOf('people', 'create', 'anna@example.com', '--role', 'reader', '--name', 'Anna')).toMatchObject({
      ...{ login: 'anna@example.com', role: 'reader' },
    });
    expect(await answerOf('people', 'create', 'deployer', '--service')).toMatchObject({ role: 'writer' });
    expect(await answerOf('people', 'change', 'anna@example.com', '--role', 'admin')).toMatchObject({ role: 'admin' });
    expect((await type('people', 'disable', 'anna@example.com')).stdout).toBe(
      'Nothing of anna@example.com opens anything any more.\n',
    );
    expect(await answerOf('people', 'enable', 'anna@example.com')).toMatchObject({ disabled_at: null });
    expect(await answerOf('people')).toMatchObject({
      people: expect.arrayContaining([
        expect.objectContaining({ login: 'anna@example.com', name: 'Anna', kind: 'person', role: 'admin' }),
        expect.objectContaining({ login: 'deployer', kind: 'service' }),
      ]),
    });
    await refused('There is somebody with the login deployer already', 'people', 'create', 'deployer');
    await refused("Did you mean 'anna@example.com'?", 'people', 'disable', 'ana@example.com');
    await refused('nobody changes his own role', 'people', 'disable', 'bootstrap');
    const tenant = await type('tenants', 'create', 'branch-office');
    expect([tenant.code, tenant.stderr]).toEqual([0, expect.stringContaining('Tenant branch-office is made')]);
    const theirs = await typeWith(tenant.stdout.trim(), 'tenants', '--json');
    expect(JSON.parse(theirs.stdout)).toEqual({
      tenants: [{ tenant: 'branch-office', login: 'admin', kind: 'api', scopes: expect.arrayContaining(['admin']) }],
    });
    const other = await typeWith(tenant.stdout.trim(), 'tenants', 'create', 'third');
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('Only an admin of the tenant default')]);
    await refused('INVALID_INPUT', 'tenants', 'create', 'Branch Office');
  });

  test('a suite is told when to run by itself, and the log says what came of each time', async () => {
    const daily = ['--every', 'daily', '--at', '02:30', '--time-zone', 'Europe/Berlin', '--jitter-minutes', '5'];
    const set = await type('schedules', 'set', 'Stored desk', ...daily);
    expect(set.stdout, set.stderr).toBe(
      'Stored desk runs by itself: daily at 02:30 Europe/Berlin, up to 5 minutes later. What desk.suite.yaml says counts again after its next import.\n',
    );
    const mine = (listed: unknown) =>
      z
        .object({ schedules: z.array(z.looseObject({ suite: z.string() })) })
        .parse(listed)
        .schedules.filter(({ suite }) => suite === 'Stored desk');
    expect(mine(await answerOf('schedules'))).toMatchObject([{ enabled: true }]);
    expect(await answerOf('schedules', 'set', 'Stored desk', '--cron', '30 2 * * 1-5')).toMatchObject({
      schedule: '30 2 * * 1-5 UTC',
    });
    await refused('--cron: must be five fields', 'schedules', 'set', 'Stored desk', '--cron', 'whenever');
    await refused('Say when: --every', 'schedules', 'set', 'Stored desk');
    expect(await answerOf('schedules', 'clear', 'Stored desk')).toMatchObject({ schedule: null });
    expect(mine(await answerOf('schedules'))).toEqual([]);
    await world().running.rows(
      `insert into scheduled_runs (tenant_id, suite_id, window_start, due_at, state, reason)
       select tenant_id, id, '2026-01-01', '2026-01-01', 'refused', 'Its agent is gone.' from agent_test_suites where name = 'Stored desk'`,
    );
    expect(await answerOf('schedules', 'log', '--suite', 'Stored desk', '--state', 'refused')).toMatchObject({
      schedules: [{ suite: 'Stored desk', state: 'refused', run: null, reason: 'Its agent is gone.' }],
    });
    await refused('--state: must be one of', 'schedules', 'log', '--state', 'lost');
  });

  test('a channel is made, tried, silenced and deleted, and the log says what arrived', async () => {
    const { hooks } = world();
    const url = `${hooks.origin}/team`;
    const made = await type(
      'channels',
      'create',
      'Team hook',
      '--kind',
      'webhook',
      '--url',
      url,
      '--event',
      'regression',
    );
    expect([made.code, made.stdout], made.stderr).toEqual([0, expect.stringMatching(/^whsec_\S+\n$/)]);
    const tried = await type('channels', 'test', 'Team hook');
    expect([tried.code, tried.stdout], tried.stderr).toEqual([0, 'The test arrived.\n']);
    expect(hooks.calls.map(({ path }) => path)).toEqual(['/team']);
    expect(await answerOf('alerts', '--kind', 'test')).toMatchObject({
      alerts: [{ kind: 'test', told: ['Team hook: done'] }],
    });
    hooks.answers.push({ status: 410 });
    const vain = await type('channels', 'test', 'Team hook');
    expect([vain.code, vain.stdout], vain.stderr).toEqual([
      3,
      expect.stringMatching(/^The test did not arrive: .*410/),
    ]);
    await answerOf(
      'channels',
      'create',
      'Chat',
      '--kind',
      'slack',
      '--url',
      url,
      '--quiet-from',
      '22:00',
      '--quiet-until',
      '06:00',
    );
    expect(await answerOf('channels', 'disable', 'Team hook')).toMatchObject({ enabled: false });
    expect(await answerOf('channels')).toMatchObject({
      channels: [
        { name: 'Chat', kind: 'slack', quiet: '22:00 to 06:00 UTC', tells_of: expect.any(Array), enabled: true },
        { name: 'Team hook', kind: 'webhook', to: `${hooks.origin}/…`, tells_of: ['regression'], enabled: false },
      ],
    });
    expect(await answerOf('channels', 'enable', 'Team hook')).toMatchObject({ enabled: true });
    const changes = ['--name', 'Desk hook', '--url', `${hooks.origin}/desk`, '--suite', 'Stored desk', '--all-events'];
    expect(await answerOf('channels', 'change', 'Team hook', ...changes)).toMatchObject({
      ...{ name: 'Desk hook', kind: 'webhook', suite: 'Stored desk', quiet: null, enabled: true },
      tells_of: expect.arrayContaining(['regression', 'recovered']),
    });
    expect((await type('channels', 'test', 'Desk hook')).stdout).toBe('The test arrived.\n');
    expect(hooks.calls.at(-1)?.path).toBe('/desk');
    const everywhere = await answerOf('channels', 'change', 'Desk hook', '--all-suites', '--event', 'regression');
    expect(everywhere).toMatchObject({ suite: null, tells_of: ['regression'] });
    expect(await answerOf('channels', 'change', 'Chat', '--no-quiet-hours')).toMatchObject({ quiet: null });
    await refused('Say what to change: --url', 'channels', 'change', 'Chat');
    await refused('say two things', 'channels', 'change', 'Chat', '--all-suites', '--suite', 'Stored desk');
    await refused('--url: ', 'channels', 'change', 'Chat', '--url', 'http://example.com/x');
    for (const name of ['Desk hook', 'Chat']) await answerOf('channels', 'delete', name);
    expect((await type('channels')).stdout).toBe('No channels.\n');
    await refused('There is no channel Team hook.', 'channels', 'test', 'Team hook');
    await refused('no mail server', 'channels', 'create', 'Mail', '--kind', 'email', '--to', 'a@example.com');
    await refused('--url: ', 'channels', 'create', 'Bad', '--kind', 'webhook', '--url', 'http://example.com/x');
    await refused('--kind: must be one of', 'alerts', '--kind', 'anything');
  });

  test('repositories are narrowed to some of their jobs, runners are listed, and the audit says who did it', async () => {
    await world().running.rows(
      `insert into repositories (tenant_id, host, external_id, owner_external_id, full_name)
       select id, 'github.com', '4711', '1', 'acme/pinned' from tenants where name = 'default'`,
    );
    expect(
      await answerOf(
        'repositories',
        'change',
        'acme/pinned',
        '--pin',
        'environment=evals',
        '--baseline-branch',
        'next',
      ),
    ).toMatchObject({ pins: ['environment=evals'], baseline_branches: ['next'] });
    expect(await answerOf('repositories')).toMatchObject({
      repositories: expect.arrayContaining([
        expect.objectContaining({ repository: 'acme/pinned', pins: ['environment=evals'] }),
      ]),
    });
    const numbers = ['--repository-id', '4711', '--owner-id', '1', '--default-branch', 'trunk'];
    expect(await answerOf('repositories', 'enroll', 'acme/pinned', ...numbers)).toMatchObject({
      ...{ repository: 'acme/pinned', default_branch: 'trunk', baseline_branches: ['next'] },
    });
    const strange = ['--repository-id', '4712', '--owner-id', '1'];
    await refused('OIDC token of one of its jobs', 'repositories', 'enroll', 'acme/strange', ...strange);
    await refused('Type `proofmark repositories enroll REPOSITORY --repository-id', 'repositories', 'enroll');
    await refused('must be CLAIM=VALUE', 'repositories', 'change', 'acme/pinned', '--pin', 'actor=anna');
    await refused("Did you mean 'acme/pinned'?", 'repositories', 'change', 'acme/pined', '--no-pins');
    expect(await answerOf('repositories', 'change', 'acme/pinned', '--no-pins')).toMatchObject({ pins: [] });
    const { runners } = z
      .object({ runners: z.array(z.looseObject({ pools: z.array(z.string()) })) })
      .parse(await answerOf('runners'));
    expect(runners.length).toBeGreaterThan(0);
    await refused('There is no `proofmark runners stop`, only list.', 'runners', 'stop');
    expect(await answerOf('audit', '--subject', 'repository', '--action', 'changed')).toMatchObject({
      audit: [
        { login: 'bootstrap', names: ['acme/pinned'], total: 1 },
        { login: 'bootstrap', names: ['acme/pinned'], total: 1 },
        { login: 'bootstrap', names: ['acme/pinned'], total: 1 },
      ],
    });
    await refused('--limit: must be a whole number', 'audit', '--limit', '0');
  });
}
