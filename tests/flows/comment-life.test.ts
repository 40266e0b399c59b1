import { afterAll, beforeAll, expect, test } from 'vitest';
import { shopFiles, worsenedPrompt } from '../demo/shop.ts';
import { openShopWorld, type ShopWorld, sureSuite } from './shop-world.ts';

let world: ShopWorld;

beforeAll(async () => {
  world = await openShopWorld({ withCoordinator: true });
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

test('D-12 the App says in its comment that a regression is resolved, and looks at the head before every write', async () => {
  const { github } = world;
  const shop = await world.openShop({ files: await sureSuite(), changes: await worsenedPrompt() });
  await world.gate(shop);
  const [first] = await world.commentsLike(shop, /### Proofmark: Regressed/);

  const agent = (await shopFiles())['agents/support.agent.yaml'] ?? '';
  const repaired = await world.push(shop, { 'agents/support.agent.yaml': `${agent}  Be kind.\n` });
  await world.gate(repaired);
  const [comment, ...others] = await world.commentsLike(repaired, /Resolved in/);
  expect(others).toEqual([]);
  expect(comment?.id).toBe(first?.id);
  const lines = comment?.body.split('\n') ?? [];
  expect(lines[1]).toBe(`### Proofmark: Resolved in ${repaired.headSha.slice(0, 7)}`);
  expect(lines.indexOf('<details><summary>No regression beyond 40 points</summary>')).toBeGreaterThan(1);

  const asked = github.journal.entries.filter(({ caller }) => caller === 'installation');
  const writes = asked.flatMap((entry, index) =>
    /\/comments/.test(entry.path) && entry.method !== 'GET' ? [index] : [],
  );
  expect(writes).toHaveLength(2);
  for (const index of writes) {
    const before = asked.slice(0, index).findLast(({ path }) => !/\/check-runs/.test(path));
    expect(before).toMatchObject({ method: 'GET', path: expect.stringMatching(/\/pulls\/\d+$/) });
  }
});
