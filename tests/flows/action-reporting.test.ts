import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shopFiles, worsenedPrompt } from '../demo/shop.ts';
import { annotations } from '../stack/github/read-back.ts';
import { ask, openShopWorld, type ShopWorld, sureSuite } from './shop-world.ts';

let world: ShopWorld;

beforeAll(async () => {
  world = await openShopWorld({ withCoordinator: true });
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

const unrelated = { 'docs/terms.md': '# Terms\n' };
/** A second suite, which no change of the support desk touches. */
const gardenSuite = {
  'evals/garden.suite.yaml': `name: Garden
agent: { name: Gardener, instructions: Be nice., driver: { type: scripted, replies: [{ reply: Water it. }] } }
cases:
  - { name: Dry leaves, input: Why?, expected_behavior: { checks: [{ type: contains_phrases, phrases: [Water] }] } }
`,
};

describe('a coordinator on whose repository the App is not installed', () => {
  test('renders what the token of the job writes: checks, annotations, one comment, and that it is resolved', async () => {
    const files = await sureSuite();
    const shop = await world.openShop({ withApp: false, files, changes: await worsenedPrompt() });
    const { exitCode, outputs, log } = await world.gate(shop);
    expect(exitCode, log).toBe(1);
    expect(outputs).toMatchObject({ verdict: 'regressed', 'report-mode': 'token', 'execution-mode': 'coordinator' });
    const checks = await world.checksOf(shop);
    const runId = outputs['run-id'];
    expect(checks.map(({ name, conclusion, app, external_id }) => [app.slug, name, conclusion, external_id])).toEqual([
      ['github-actions', 'proofmark', 'failure', `${runId}:0`],
      ['github-actions', 'proofmark / Support desk', 'failure', `${runId}:1`],
    ]);
    expect(checks[0]?.details_url).toBe(outputs['run-url']);
    expect(await annotations(world.github, shop.repository, checks[1]?.id ?? 0)).toHaveLength(2);
    const [first] = await world.commentsOf(shop);
    expect(first?.user.login).toBe('github-actions[bot]');

    const path = 'agents/support.agent.yaml';
    const repaired = await world.push(shop, { [path]: `${(await shopFiles())[path]}  Be kind.\n` });
    await world.gate(repaired);
    const [comment, ...others] = await world.commentsOf(repaired);
    expect([comment?.id, others]).toEqual([first?.id, []]);
    expect(comment?.body.split('\n')[1]).toBe(`### Proofmark: Resolved in ${repaired.headSha.slice(0, 7)}`);
  });

  test('names the permissions when the token may not write, and the job is as red as it would have been', async () => {
    const shop = await world.openShop({ withApp: false, files: await sureSuite(), changes: await worsenedPrompt() });
    const permissions = { contents: 'read', 'id-token': 'write' };
    const { exitCode, outputs, log } = await world.gate(shop, { permissions });
    expect(exitCode, log).toBe(1);
    expect(outputs['report-mode']).toBe('summary');
    expect(log).toContain('  checks: write%0A  pull-requests: write%0A  id-token: write%0A');
    expect(log).toContain('Or install the Proofmark App');
    expect(await world.checksOf(shop)).toEqual([]);
  });
});

describe('with an API token the coordinator says who reports', () => {
  const inputs = () => ({ 'api-token': world.product?.token ?? '' });

  test('the App: the job stays green and writes nothing', async () => {
    const shop = await world.openShop({ files: await sureSuite(), changes: await worsenedPrompt() });
    const { exitCode, outputs, log } = await world.gate(shop, { inputs: inputs() });
    expect(exitCode, log).toBe(0);
    expect(outputs['report-mode']).toBe('app');
    const checks = await world.completedChecks(shop, 2);
    expect(new Set(checks.map(({ app }) => app.slug))).toEqual(new Set(['proofmark']));
  });

  test('nobody: the job reports, without any OIDC token', async () => {
    const shop = await world.openShop({ withApp: false, files: await sureSuite(), changes: await worsenedPrompt() });
    const { exitCode, outputs, log } = await world.gate(shop, { inputs: inputs() });
    expect(exitCode, log).toBe(1);
    expect(outputs['report-mode']).toBe('token');
    expect((await world.checksOf(shop)).map(({ app }) => app.slug)).toEqual(['github-actions', 'github-actions']);
  });
});

describe('only-affected on a coordinator', () => {
  const shownOf = (checks: Awaited<ReturnType<ShopWorld['checksOf']>>) =>
    checks.map(({ name, conclusion, output }) => [name, conclusion, output.title]);

  test.for([true, false])('runs what is affected and shows the rest as skipped (App: %s)', async (withApp) => {
    const shop = await world.openShop({ withApp, files: gardenSuite, changes: await worsenedPrompt() });
    const { outputs, log } = await world.gate(shop);
    expect(outputs, log).toMatchObject({ 'suites-total': '2', 'suites-affected': '1', verdict: 'regressed' });
    expect(shownOf(await world.completedChecks(shop, 3))).toEqual([
      ['proofmark', 'failure', expect.stringMatching(/^Regressed/)],
      ['proofmark / Garden', 'skipped', 'Not affected by this change'],
      ['proofmark / Support desk', 'failure', expect.stringMatching(/^Regressed/)],
    ]);
  });

  test.for([true, false])(
    'a change that affects nothing is neutral, at once and without a comment (App: %s)',
    async (withApp) => {
      const before = world.model.requests.length;
      const shop = await world.openShop({ withApp, files: gardenSuite, changes: unrelated });
      const asked = world.model.requests.length;
      const { exitCode, outputs, log } = await world.gate(shop);
      expect(exitCode, log).toBe(0);
      expect(outputs).toMatchObject({ outcome: 'unaffected', conclusion: 'neutral', 'suites-affected': '0' });
      expect(log.trimEnd().split('\n').at(-1)).toBe('Proofmark: No suite is affected by this change');
      expect(shownOf(await world.completedChecks(shop, 3))).toEqual([
        ['proofmark', 'neutral', 'No suite is affected by this change'],
        ['proofmark / Garden', 'skipped', 'Not affected by this change'],
        ['proofmark / Support desk', 'skipped', 'Not affected by this change'],
      ]);
      expect(await world.commentsOf(shop)).toEqual([]);
      // The push to the base was a run of its own, the pull request asked no model for anything.
      expect(asked).toBeGreaterThan(before);
      expect(world.model.requests).toHaveLength(asked);
    },
  );
});

describe('inputs of a coordinator', () => {
  test('budget-usd reaches the coordinator', async () => {
    const shop = await world.openShop({ files: await sureSuite(), changes: await worsenedPrompt() });
    const { outputs, log } = await world.gate(shop, { inputs: { 'budget-usd': '1000' } });
    expect(outputs, log).toMatchObject({ verdict: 'regressed' });
    const query = 'query ($id: UUID!) { run(id: $id) { settings } }';
    const answer = world.product && (await ask(world.product, query, { id: outputs['run-id'] }));
    expect(answer).toMatchObject({ data: { run: { settings: { budgetUsd: 1000 } } } });
  });

  test('a ref as baseline is refused before anything is sent: it would be compared with something else', async () => {
    const shop = await world.openShop({ changes: unrelated });
    const { exitCode, outputs, log } = await world.gate(shop, { inputs: { baseline: 'main' } });
    expect(exitCode).toBe(1);
    expect(log).toContain('::error::A ref as baseline is for cases that run inside the job');
    expect(outputs['run-id']).toBe('');
  });
});
