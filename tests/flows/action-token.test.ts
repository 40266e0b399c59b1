import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { shopFiles, worsenedPrompt } from '../demo/shop.ts';
import { annotations } from '../stack/github/read-back.ts';
import { spawnOwned } from '../stack/owned-process.ts';
import { openShopWorld, type Shop, type ShopWorld, sureSuite } from './shop-world.ts';

let world: ShopWorld;

beforeAll(async () => {
  world = await openShopWorld({ withCoordinator: false });
});
afterEach(() => world.github.clearFaults());
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

const agentPath = 'agents/support.agent.yaml';
const openWorse = async () =>
  world.openShop({ withApp: false, files: await sureSuite(), changes: await worsenedPrompt() });
const repair = async (shop: Shop) => world.push(shop, { [agentPath]: `${(await shopFiles())[agentPath]}  Be kind.\n` });

describe('without the App the token of the job writes what the App would write', () => {
  test('checks and one comment in the name of github-actions, and no remarks in the log beside them', async () => {
    const shop = await openWorse();
    const { exitCode, outputs, log } = await world.gate(shop);
    expect(exitCode, log).toBe(1);
    expect(outputs).toMatchObject({ outcome: 'regressed', conclusion: 'failure', 'report-mode': 'token' });

    const checks = await world.checksOf(shop);
    expect(checks.map(({ name, conclusion, app, external_id }) => [app.slug, name, conclusion, external_id])).toEqual([
      ['github-actions', 'proofmark', 'failure', `${outputs['run-id']}:0`],
      ['github-actions', 'proofmark / Support desk', 'failure', `${outputs['run-id']}:1`],
    ]);
    expect(checks[0]?.details_url).toMatch(/\/acme\/shop-\d+\/actions\/runs\/\d+$/);
    const marks = await annotations(world.github, shop.repository, checks[1]?.id ?? 0);
    expect(marks.map(({ annotation_level, title }) => `${annotation_level} ${title}`)).toEqual([
      'failure Opening hours broke',
      'failure Refund time broke',
    ]);
    expect(log).not.toContain('::error title=');

    const [comment, ...others] = await world.commentsOf(shop);
    expect(others).toEqual([]);
    expect(comment?.user.login).toBe('github-actions[bot]');
    expect(comment?.body.split('\n').slice(0, 2)).toEqual([
      '<!-- proofmark:v1 key=pr -->',
      expect.stringMatching(/^### Proofmark: Regressed/),
    ]);
  });

  test('the check is there while the cases run', async () => {
    const shop = await openWorse();
    const from = world.github.journal.entries.length;
    await world.gate(shop);
    const bodies = world.github.journal.entries
      .slice(from)
      .filter(({ method, path }) => method === 'POST' && path.endsWith('/check-runs'))
      .map(({ body }) => body);
    expect(bodies).toMatchObject([
      { name: 'proofmark', status: 'in_progress', output: { title: '0/48 test runs' } },
      { name: 'proofmark / Support desk', status: 'in_progress', output: { title: '0/48 test runs' } },
    ]);
  });

  test('a repair edits the same comment: resolved; a second attempt has checks of its own and sends no equal comment', async () => {
    const shop = await openWorse();
    await world.gate(shop);
    const [first] = await world.commentsOf(shop);
    const repaired = await repair(shop);
    const { exitCode, log } = await world.gate(repaired);
    expect(exitCode, log).toBe(0);
    const [comment, ...others] = await world.commentsOf(repaired);
    expect(others).toEqual([]);
    expect(comment?.id).toBe(first?.id);
    expect(comment?.body.split('\n')[1]).toBe(`### Proofmark: Resolved in ${repaired.headSha.slice(0, 7)}`);

    await world.gate(repaired, { attempt: 2 });
    const checks = await world.checksOf(repaired);
    expect(checks).toHaveLength(4);
    expect(new Set(checks.map(({ external_id }) => external_id)).size).toBe(4);
    expect(checks.map(({ status }) => status)).not.toContain('in_progress');
  });

  test('with comment: off nothing is written, and what is there is folded away once', async () => {
    const shop = await openWorse();
    await world.gate(shop, { inputs: { comment: 'off' } });
    expect(await world.commentsOf(shop)).toEqual([]);
    await world.gate(shop, { attempt: 2 });
    const [comment] = await world.commentsOf(shop);
    const from = world.github.journal.entries.length;
    await world.gate(shop, { attempt: 3, inputs: { comment: 'off' } });
    await world.gate(shop, { attempt: 4, inputs: { comment: 'off' } });
    expect(world.github.world.comments.find(({ id }) => id === comment?.id)?.minimized).toBe('OUTDATED');
    const asked = world.github.journal.entries.slice(from).map(({ body }) => JSON.stringify(body ?? ''));
    expect(asked.filter((body) => body.includes('minimizeComment'))).toHaveLength(1);
  });

  test('a run whose head has moved by its end keeps its checks and writes no comment', async () => {
    const shop = await openWorse();
    // The event of the job is older than this commit.
    const { log } = await world.gate(shop, { prepare: async () => void (await repair(shop)) });
    expect(
      (await world.checksOf(shop)).map(({ conclusion }) => conclusion),
      log,
    ).toEqual(['failure', 'failure']);
    expect(await world.commentsOf(shop)).toEqual([]);
  });

  test('a cancelled job leaves no check open', async () => {
    const shop = await openWorse();
    const { script, environment } = await world.prepare(shop.repository, shop.headSha, {
      name: 'pull_request',
      number: shop.pullRequest,
    });
    world.model.hold();
    const main = await spawnOwned(process.execPath, [script], { env: environment });
    await world.model.whenInFlight(1);
    const isOpened = (body: unknown) => JSON.stringify(body ?? '').includes(shop.headSha);
    await world.github.journal.waitFor(({ method, body }) => method === 'POST' && isOpened(body));
    main.signal('SIGINT');
    expect((await main.exited).code, main.log()).toBe(0);
    world.model.release();
    const shown = (await world.checksOf(shop)).map(({ conclusion, output }) => [conclusion, output.title]);
    expect(shown, main.log()).toEqual([
      ['cancelled', 'Cancelled: job cancelled'],
      ['cancelled', 'Cancelled: job cancelled'],
    ]);
    expect(await world.commentsOf(shop)).toEqual([]);
  });

  test('suites that are not affected have a skipped check, and a run without any is neutral', async () => {
    const shop = await world.openShop({ withApp: false, changes: { 'docs/terms.md': '# Terms\n' } });
    const { outputs, log } = await world.gate(shop);
    expect(outputs, log).toMatchObject({ 'report-mode': 'token', outcome: 'unaffected' });
    const shown = (await world.checksOf(shop)).map(({ name, conclusion, output }) => [name, conclusion, output.title]);
    expect(shown).toEqual([
      ['proofmark', 'neutral', 'No suite is affected by this change'],
      ['proofmark / Support desk', 'skipped', 'Not affected by this change'],
    ]);
    expect(await world.commentsOf(shop)).toEqual([]);
  });

  test('a merge group gets checks on its commit and no comment', async () => {
    const shop = await openWorse();
    const group = { name: 'merge_group', headSha: shop.headSha, baseSha: shop.baseSha } as const;
    await world.job(shop.repository, shop.headSha, group);
    expect((await world.checksOf(shop)).map(({ conclusion }) => conclusion)).toEqual(['failure', 'failure']);
    expect(await world.commentsOf(shop)).toEqual([]);
  });
});

describe('GitHub misbehaves', () => {
  test('answers that are lost after the write was stored make nothing twice', async () => {
    const shop = await openWorse();
    const lost = [
      { method: 'POST', path: /\/check-runs$/ },
      { method: 'PATCH', path: /\/check-runs\// },
      { method: 'POST', path: /\/check-runs$/ },
      { method: 'PATCH', path: /\/check-runs\// },
      { method: 'POST', path: /\/comments$/ },
    ];
    for (const one of lost) world.github.failNext({ ...one, kind: 'drop-after-commit' });
    const { log } = await world.gate(shop);
    const checks = await world.checksOf(shop);
    expect(
      checks.map(({ name, conclusion }) => `${name}: ${conclusion}`),
      log,
    ).toEqual(['proofmark: failure', 'proofmark / Support desk: failure']);
    expect(await annotations(world.github, shop.repository, checks[1]?.id ?? 0)).toHaveLength(2);
    expect(await world.commentsOf(shop)).toHaveLength(1);
  });

  test('a pause that GitHub asks for is kept, and nothing is lost', async () => {
    const shop = await openWorse();
    const limit = {
      kind: 'status',
      status: 403,
      headers: { 'retry-after': '1' },
      body: { message: 'secondary rate limit' },
    } as const;
    world.github.failNext({ ...limit, method: 'POST', path: /\/check-runs$/ });
    world.github.failNext({ ...limit, method: 'POST', path: /\/comments$/ });
    const { outputs, log } = await world.gate(shop);
    expect(outputs['report-mode'], log).toBe('token');
    expect(await world.checksOf(shop)).toHaveLength(2);
    expect(await world.commentsOf(shop)).toHaveLength(1);
  });

  test('A4 a token that may only read is refused once: the result is in the summary, with the permissions to add', async () => {
    const shop = await openWorse();
    const from = world.github.journal.entries.length;
    const { exitCode, outputs, summary, log } = await world.gate(shop, { permissions: { contents: 'read' } });
    expect(exitCode, log).toBe(1);
    expect(outputs).toMatchObject({ outcome: 'regressed', 'report-mode': 'summary' });
    expect(summary).toContain('### Proofmark: Regressed');
    expect(log).toContain('title=Opening hours broke,file=evals/support.suite.yaml');
    const block = 'permissions:%0A  contents: read%0A  checks: write%0A  pull-requests: write%0A';
    expect(log.match(/Cannot write checks or comments\. Add these permissions to the job:/g)).toHaveLength(1);
    expect(log).toContain(block);
    const refused = world.github.journal.entries.slice(from).filter(({ status }) => status === 403);
    expect(refused).toHaveLength(1);
  });

  test('without the permission for comments the checks are still written', async () => {
    const shop = await openWorse();
    const { outputs, log } = await world.gate(shop, { permissions: { contents: 'read', checks: 'write' } });
    expect(outputs['report-mode'], log).toBe('token');
    expect((await world.checksOf(shop)).map(({ conclusion }) => conclusion)).toEqual(['failure', 'failure']);
    expect(log).toContain('Cannot write checks or comments.');
  });

  test('while GitHub answers nothing at all the job says so and ends as it would have', async () => {
    const shop = await openWorse();
    world.github.failNext({ path: /\/check-runs/, kind: 'drop-before', times: Number.POSITIVE_INFINITY });
    const { exitCode, outputs, log } = await world.gate(shop);
    expect(exitCode, log).toBe(1);
    expect(outputs).toMatchObject({ outcome: 'regressed', 'report-mode': 'summary' });
    expect(log).toContain('::warning::The check proofmark cannot be written: no answer from GitHub');
  });
});

describe('the input report', () => {
  test('summary writes nothing to GitHub', async () => {
    const shop = await openWorse();
    const from = world.github.journal.entries.length;
    const { outputs } = await world.gate(shop, { inputs: { report: 'summary' } });
    expect(outputs['report-mode']).toBe('summary');
    const writes = world.github.journal.entries
      .slice(from)
      .filter(({ caller, method }) => caller === 'job' && method !== 'GET');
    expect(writes).toEqual([]);
  });

  test('app needs a coordinator, which is said', async () => {
    const { outputs, log } = await world.gate(await openWorse(), { inputs: { report: 'app' } });
    expect(outputs['report-mode']).toBe('summary');
    expect(log).toContain(
      '::warning::report: app is not possible, the result is in the summary of this job: it needs a coordinator.',
    );
  });
});
