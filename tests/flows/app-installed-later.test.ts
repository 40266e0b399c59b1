import { afterAll, beforeAll, expect, test } from 'vitest';
import { worsenedPrompt } from '../demo/shop.ts';
import { asUser } from '../stack/github/as-user.ts';
import { Repository } from '../stack/github/shapes.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { openShopWorld, type ShopWorld, sureSuite } from './shop-world.ts';

let world: ShopWorld;

beforeAll(async () => {
  world = await openShopWorld({ withCoordinator: true });
  world.github.webhooks.target = `${world.product?.url}/webhooks/github`;
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

test('the coordinator reports as soon as the App is installed, and jobs do so again when it is taken away', async () => {
  const { github } = world;
  const shop = await world.openShop({ files: await sureSuite(), changes: await worsenedPrompt(), withApp: false });
  const before = await world.gate(shop);
  expect(before.outputs, before.log).toMatchObject({ 'report-mode': 'token', conclusion: 'failure' });

  const { owner } = Repository.parse(await asUser(github, { path: `/repos/${shop.repository}` }));
  const tell = async (event: string, action: string) => {
    const since = github.journal.entries.length;
    await github.webhooks.send(event, { action, installation: { account: owner } });
    const isLookedUp = () =>
      github.journal.entries.slice(since).some(({ path }) => path === `/repos/${shop.repository}/installation`);
    await waitUntil(isLookedUp, { what: 'the coordinator asks GitHub whether the App is there' });
  };
  const reportMode = async (attempt: number, expected: string) => {
    let tries = attempt;
    return await waitUntil(
      async () => {
        tries += 1;
        const { outputs } = await world.gate(shop, { attempt: tries });
        return outputs['report-mode'] === expected ? outputs : undefined;
      },
      { what: `the job reports by ${expected}` },
    );
  };
  github.world.withoutApp.delete(shop.repository);
  await tell('installation_repositories', 'added');
  expect(await reportMode(10, 'app')).toMatchObject({ conclusion: 'failure' });

  github.world.withoutApp.add(shop.repository);
  await tell('installation_repositories', 'removed');
  expect(await reportMode(20, 'token')).toMatchObject({ conclusion: 'failure' });

  github.world.withoutApp.delete(shop.repository);
  github.world.installationSuspended = true;
  await github.webhooks.send('installation', { action: 'suspend', installation: { account: owner } });
  github.world.installationSuspended = false;
  await tell('installation', 'unsuspend');
  expect(await reportMode(30, 'app')).toMatchObject({ conclusion: 'failure' });
});
