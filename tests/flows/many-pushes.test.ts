import { afterAll, beforeAll, expect, test } from 'vitest';
import { worsenedPrompt } from '../demo/shop.ts';
import { runAction } from '../stack/github/run-action.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { openShopWorld, type Shop, type ShopWorld, sureSuite } from './shop-world.ts';

let world: ShopWorld;
beforeAll(async () => {
  world = await openShopWorld({ withCoordinator: true, coordinatorEnv: { PROOFMARK_GITHUB_WRITE_INTERVAL_MS: '50' } });
  world.github.webhooks.target = `${world.product?.url}/webhooks/github`;
});
afterAll(async () => await world?.[Symbol.asyncDispose]());

interface Push {
  head: Shop;
  job: Awaited<ReturnType<ShopWorld['prepare']>>;
}

const agentPath = 'agents/support.agent.yaml';

test('github 3.6: of ten pushes in a second, whose jobs come as they like, the comment is about the newest head and true', {
  timeout: 300_000,
}, async () => {
  const shop = await world.openShop({ files: await sureSuite(), changes: {} });
  const worse = (await worsenedPrompt())[agentPath] ?? '';
  const pushes: Push[] = [];
  for (let at = 0; at < 10; at += 1) {
    const head = await world.push(shop, { [agentPath]: `${worse}  Be kind, ${at}.\n` });
    const event = { name: 'pull_request' as const, number: shop.pullRequest };
    // What a job is told of its pull request is what held when it was pushed.
    pushes.push({ head, job: await world.prepare(shop.repository, head.headSha, event) });
  }
  // The last push has neither the first job nor the last one.
  const [first, second, third, fourth] = pushes;
  const last = pushes.at(-1);
  if (!first || !second || !third || !fourth || !last) throw new Error('Ten were pushed.');
  const newest = last.head;
  const run = ({ job }: Push) => runAction(job.script, job.environment);
  await Promise.all([run(second), run(last), run(first)]);
  for (const late of [third, fourth]) await run(late);

  const all = await world.commentsLike(newest, new RegExp(newest.headSha.slice(0, 7)));
  expect(all).toHaveLength(1);
  expect(all[0]?.body.split('\n')[1]).toMatch(/^### Proofmark: Regressed/);
  for (const { head } of [first, second, third, fourth]) {
    const [check, ...more] = await waitUntil(
      async () => {
        const found = (await world.checksOf(head)).filter(({ name }) => name === 'proofmark');
        return found.length > 0 && found.every(({ status }) => status === 'completed') ? found : undefined;
      },
      { what: `the check of ${head.headSha} is completed` },
    );
    expect([more, check?.conclusion]).toEqual([[], 'cancelled']);
    expect(check?.output.title).toMatch(/^Superseded by [0-9a-f]{7}$/);
  }
  const checks = await world.completedChecks(newest, 2);
  expect(checks.map(({ name, conclusion }) => [name, conclusion])).toEqual([
    ['proofmark', 'failure'],
    ['proofmark / Support desk', 'failure'],
  ]);
});
