import { afterAll, beforeAll, expect, test } from 'vitest';
import { shopFiles, worsenedPrompt } from '../demo/shop.ts';
import { openShopWorld, type Shop, type ShopWorld, sureSuite } from './shop-world.ts';

let world: ShopWorld;

beforeAll(async () => {
  world = await openShopWorld({ withCoordinator: true });
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

const agentPath = 'agents/support.agent.yaml';
const gardenPath = 'evals/garden.suite.yaml';
/** Few trials, and sure of them: only a drop of 90 points is looked for. */
const garden = `name: Garden
agent: { name: Garden, instructions: Water the plants., driver: { type: scripted, replies: [{ reply: Watered. }] } }
repetitions: 3
alert_threshold_percent: 90
cases:
  - { name: Bed, input: Water the bed., expected_behavior: { checks: [{ type: contains_phrases, phrases: [Watered] }] } }
  - { name: Tree, input: Water the tree., expected_behavior: { checks: [{ type: contains_phrases, phrases: [Watered] }] } }
  - { name: Lawn, input: Water the lawn., expected_behavior: { checks: [{ type: contains_phrases, phrases: [Watered] }] } }
`;
const retold = (times: number) => ({ [gardenPath]: `${'# Another word about gardens\n'.repeat(times)}${garden}` });

/** A pull request that worsens the prompt of the desk and touches the garden, each of which has a job of its own. */
const openTwoJobs = async (withApp: boolean): Promise<Shop> =>
  world.openShop({
    files: { ...(await sureSuite()), [gardenPath]: garden },
    changes: { ...(await worsenedPrompt()), ...retold(1) },
    withApp,
  });

const desk = (shop: Shop) => world.gate(shop, { inputs: { 'check-name': 'desk', suites: 'evals/support.suite.yaml' } });
const beds = (shop: Shop) => world.gate(shop, { inputs: { 'check-name': 'beds', suites: gardenPath } });

const headingOf = (body: string) => body.split('\n')[1];

test.for([true, false])(
  'two jobs of one commit share a comment and neither erases the other (App: %s)',
  async (withApp) => {
    const shop = await openTwoJobs(withApp);
    await desk(shop);
    const [first] = await world.commentsLike(shop, /### Proofmark: Regressed/);
    await beds(shop);
    const [both, ...others] = await world.commentsLike(shop, /<code>Garden<\/code>/);
    expect([both?.id, others]).toEqual([first?.id, []]);
    const body = both?.body ?? '';
    expect(headingOf(body)).toBe('### Proofmark: 1 of 2 suites regressed');
    expect(body).toMatch(/^\| \[<code>Support desk<\/code>\]\(\S+\) \|.*\| \*\*regressed\*\* \|$/m);
    expect(body).toMatch(/^\| \[<code>Garden<\/code>\]\(\S+\) \|.*\| unchanged \|$/m);
    expect(body).toMatch(/full reports: \[<code>beds<\/code>\]\(\S+\), \[<code>desk<\/code>\]\(\S+\)$/m);
    expect(body).not.toContain('removed');
  },
);

test('a regression of one job is resolved by that job alone, on whatever commit the other one is good', async () => {
  const shop = await openTwoJobs(true);
  await desk(shop);
  await world.commentsLike(shop, /### Proofmark: Regressed/);

  const next = await world.push(shop, retold(2));
  await beds(next);
  const [open] = await world.commentsLike(next, new RegExp(next.headSha.slice(0, 7)));
  expect(open?.body).not.toContain('Resolved');
  expect(open?.body).toContain(
    `<code>desk</code> found a regression on \`${shop.headSha.slice(0, 7)}\` and has no result for this commit yet.`,
  );

  const agent = (await shopFiles())[agentPath] ?? '';
  const repaired = await world.push(shop, { [agentPath]: `${agent}  Be kind.\n`, ...retold(3) });
  await desk(repaired);
  const [resolved] = await world.commentsLike(repaired, /Resolved in/);
  expect(headingOf(resolved?.body ?? '')).toBe(`### Proofmark: Resolved in ${repaired.headSha.slice(0, 7)}`);
  await beds(repaired);
  const [whole] = await world.commentsLike(repaired, /<code>Garden<\/code>/);
  expect(headingOf(whole?.body ?? '')).toBe(headingOf(resolved?.body ?? ''));
});

test('of three jobs at once there is one comment about all of them, and one check for each of their suites', async () => {
  const pondPath = 'evals/pond.suite.yaml';
  const pond = garden.replaceAll('Garden', 'Pond');
  const shop = await world.openShop({
    files: { ...(await sureSuite()), [gardenPath]: garden, [pondPath]: pond },
    changes: { ...(await worsenedPrompt()), ...retold(1), [pondPath]: `# Another word about ponds\n${pond}` },
  });
  const ponds = world.gate(shop, { inputs: { 'check-name': 'ponds', suites: pondPath } });
  await Promise.all([desk(shop), beds(shop), ponds]);
  const [all, ...others] = await world.commentsLike(shop, /### Proofmark: 1 of 3 suites regressed/);
  expect(others).toEqual([]);
  for (const name of ['Support desk', 'Garden', 'Pond']) expect(all?.body).toContain(`[<code>${name}</code>]`);
  expect((await world.completedChecks(shop, 6)).map(({ name, conclusion }) => [name, conclusion])).toEqual([
    ['beds', 'success'],
    ['beds / Garden', 'success'],
    ['desk', 'failure'],
    ['desk / Support desk', 'failure'],
    ['ponds', 'success'],
    ['ponds / Pond', 'success'],
  ]);
});
