import { afterAll, beforeAll, expect, test } from 'vitest';
import { brokenCases, worsenedPrompt } from '../demo/shop.ts';
import { openShopWorld, type Shop, type ShopWorld, sureSuite } from './shop-world.ts';

let world: ShopWorld;

beforeAll(async () => {
  world = await openShopWorld({ withCoordinator: true });
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

const suitePath = 'evals/support.suite.yaml';

/** The suite without the cases that the worsened prompt breaks. */
async function withoutBrokenCases(): Promise<Record<string, string>> {
  const text = (await sureSuite())[suitePath] ?? '';
  const [head = '', ...cases] = text.split('\n  - name: ');
  const kept = cases.filter((one) => !brokenCases.some((name) => one.startsWith(`${name}\n`)));
  return { [suitePath]: [head, ...kept].join('\n  - name: ') };
}

const garden = `name: Garden
agent: { name: Garden, instructions: Water the plants., driver: { type: scripted, replies: [{ reply: Watered. }] } }
repetitions: 3
cases:
  - name: Water the bed
    input: Water the bed, please.
    expected_behavior: { checks: [{ type: contains_phrases, phrases: ["Watered"] }] }
`;
const brokenGarden = garden.replace('reply: Watered.', 'reply: No.');

const checkText = async (shop: Shop, count: number) =>
  (await world.completedChecks(shop, count)).map(({ name, output }) => `${name}\n${output.summary}\n${output.text}`);

test('whoever deletes the cases that he breaks has resolved nothing, and everybody is told what they were', async () => {
  const shop = await world.openShop({ files: await sureSuite(), changes: await worsenedPrompt() });
  await world.gate(shop);
  await world.commentsLike(shop, /### Proofmark: Regressed/);

  const without = await world.push(shop, await withoutBrokenCases());
  const { log, summary } = await world.gate(without);
  const told = '<summary>Not compared: 2 removed (all passed on the base)</summary>';
  const [comment] = await world.commentsLike(without, new RegExp(without.headSha.slice(0, 7)));
  expect(comment?.body).not.toContain('Resolved in');
  expect(comment?.body).toContain(told);
  for (const name of brokenCases)
    expect(comment?.body).toMatch(new RegExp(`^- <code>${name}</code> [36]/[36] on the base$`, 'm'));
  for (const text of await checkText(without, 2)) expect(text).toContain(told);
  expect(summary).toContain(told);
  expect(log).toMatch(
    /2 removed cases, not compared: `Opening hours` \(3\/3 on main\), `Refund time` \(3\/3 on main\)/,
  );
});

test('a change that only takes a case away gets a comment, with what the case came to on the base', async () => {
  const files = {
    ...(await sureSuite()),
    'evals/garden.suite.yaml': brokenGarden.replace(
      'cases:',
      `cases:
  - name: Say no
    input: Say no.
    expected_behavior: { checks: [{ type: contains_phrases, phrases: ["No"] }] }`,
    ),
  };
  const without = files['evals/garden.suite.yaml'].replace(/ {2}- name: Water the bed\n.*\n.*\n/, '');
  const shop = await world.openShop({ files, changes: { 'evals/garden.suite.yaml': without } });
  await world.gate(shop);
  const [comment] = await world.commentsLike(shop, /Not compared/);
  expect(comment?.body).toContain('<summary>Not compared: 1 removed (it failed on the base)</summary>');
  expect(comment?.body).toContain('- <code>Water the bed</code> 0/3 on the base');
});

test('a suite that a change removes is named with its last result, although nothing else is affected', async () => {
  const files = { ...(await sureSuite()), 'evals/garden.suite.yaml': garden };
  const shop = await world.openShop({ files, changes: { 'evals/garden.suite.yaml': null } });
  const { summary } = await world.gate(shop);
  const [comment] = await world.commentsLike(shop, /Not compared/);
  expect(comment?.body.split('\n')[1]).toBe('### Proofmark: 1 suite removed, no other is affected by this change');
  const told = '<summary>Not compared: 1 removed suite (it passed on the base)</summary>';
  expect(comment?.body).toContain(told);
  expect(comment?.body).toContain('- <code>Garden</code> 3/3 test runs passed on the base');
  expect(summary).toContain(told);
  for (const text of (await checkText(shop, 2)).filter((one) => one.startsWith('proofmark\n')))
    expect(text).toContain(told);
});

test('a job without a coordinator names what a change takes away too', async () => {
  await using embedded = await openShopWorld({ withCoordinator: false });
  const files = { ...(await sureSuite()), 'evals/garden.suite.yaml': garden };
  const without = { ...(await withoutBrokenCases()), 'evals/garden.suite.yaml': null };
  const shop = await embedded.openShop({ files, changes: without });
  const { summary, log } = await embedded.gate(shop);
  expect(summary, log).toContain('<summary>Not compared: 2 removed, 1 removed suite</summary>');
  expect(summary).toContain('- <code>Opening hours</code>\n- <code>Refund time</code>');
  const [comment] = await embedded.commentsLike(shop, /- <code>Garden<\/code>/);
  expect(comment?.body).toContain('<summary>Not compared: 2 removed, 1 removed suite</summary>');
});
