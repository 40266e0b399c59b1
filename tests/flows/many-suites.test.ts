import { afterAll, beforeAll, expect, test } from 'vitest';
import { worsenedPrompt } from '../demo/shop.ts';
import { openShopWorld, type ShopWorld, sureSuite } from './shop-world.ts';

let world: ShopWorld;

beforeAll(async () => {
  world = await openShopWorld({ withCoordinator: true });
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

const agent =
  'name: Garden\ninstructions: Water the plants.\ndriver: { type: scripted, replies: [{ reply: Watered. }] }\n';
const caseOf = (number: number) =>
  `  - name: Water ${number}\n    input: Water bed ${number}, please.\n    expected_behavior: { checks: [{ type: contains_phrases, phrases: ["Watered"] }] }\n`;
/** Few trials, and sure of them: only a drop of 90 points is looked for. */
const suiteOf = (number: number) =>
  `name: Garden ${number}\nagent: ../agents/garden.agent.yaml\nrepetitions: 3\nalert_threshold_percent: 90\ncases:\n${[1, 2, 3].map(caseOf).join('')}`;
const gardens = (count: number): Record<string, string> => ({
  'agents/garden.agent.yaml': agent,
  ...Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`evals/garden-${index}.suite.yaml`, suiteOf(index)]),
  ),
});
const dry = agent.replace('Watered.', 'No.');

test.for([true, false])('of 60 suites a change to one writes two checks and one comment (App: %s)', async (withApp) => {
  const { journal } = world.github;
  const shop = await world.openShop({
    files: { ...gardens(59), ...(await sureSuite()) },
    changes: await worsenedPrompt(),
    withApp,
  });
  // What the base run shows is written before anything is counted: all are without a baseline, and twenty have a check.
  await world.completedChecks({ ...shop, headSha: shop.baseSha }, 21);
  const since = journal.writes().length;
  const { outputs, log } = await world.gate(shop);
  expect(outputs, log).toMatchObject({ 'suites-total': '60', 'suites-affected': '1', conclusion: 'failure' });
  const checks = await world.completedChecks(shop, 2);
  expect(checks.map(({ name, conclusion }) => [name, conclusion])).toEqual([
    ['proofmark', 'failure'],
    ['proofmark / Support desk', 'failure'],
  ]);
  await world.commentsLike(shop, /Regressed/);
  expect(journal.writes().length - since).toBeLessThanOrEqual(12);
});

test('of twelve suites those that are not green have a check at the end, and a repaired one says so on its commit', async () => {
  const shop = await world.openShop({
    files: gardens(12),
    changes: { 'agents/garden.agent.yaml': dry },
  });
  await world.gate(shop);
  const red = await world.completedChecks(shop, 13);
  expect(red.filter(({ name, conclusion }) => name !== 'proofmark' && conclusion === 'failure')).toHaveLength(12);

  const pushed = await world.push(shop, { 'agents/garden.agent.yaml': agent.replace('Watered.', 'Watered!') });
  await world.gate(pushed);
  expect((await world.completedChecks(pushed, 1)).map(({ name, conclusion }) => [name, conclusion])).toEqual([
    ['proofmark', 'success'],
  ]);
});
