import { afterAll, beforeAll, expect, test } from 'vitest';
import { shopFiles, worsenedPrompt } from '../demo/shop.ts';
import { supportDeskRules } from '../stack/model/support-desk.ts';
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

const suitePath = 'evals/support.suite.yaml';
const agentPath = 'agents/support.agent.yaml';

/** The suite of the desk in four manners, and what the desk says of them. */
async function mannered(): Promise<Record<string, string>> {
  const files = await shopFiles();
  const silent = 'Never mention shops, parcels, orders, plants, cards or payment.';
  const matrix = `test_type: desk\nmatrix: { Manner: [Be kind., Be warm., Be brief., "${silent}"] }\n`;
  const type =
    'name: desk\nvariables_schema:\n  schemaVersion: "1.0"\n  variables:\n    - { name: Manner, displayName: Manner, dataType: string, valueSource: freeform, required: true }\n';
  return {
    'proofmark.yaml': `${files['proofmark.yaml']}test_types: ["types/*.type.yaml"]\n`,
    'types/desk.type.yaml': type,
    [suitePath]: (files[suitePath] ?? '').replace('repetitions: 3\n', `repetitions: 3\n${matrix}`),
  };
}

test('one regressed cell of four has a row beside its own base cell, and the suite one check (19)', async () => {
  const agentFile = (await shopFiles())[agentPath] ?? '';
  const shop = await world.openShop({
    files: await mannered(),
    changes: { [agentPath]: `${agentFile}  {{Manner}}\n` },
  });
  const { outputs, log } = await world.gate(shop);
  expect(outputs, log).toMatchObject({ verdict: 'regressed', conclusion: 'failure' });
  const checks = await world.completedChecks(shop, 2);
  expect(checks.map(({ name, conclusion }) => [name, conclusion])).toEqual([
    ['proofmark', 'failure'],
    ['proofmark / Support desk', 'failure'],
  ]);
  const [comment] = await world.commentsLike(shop, /### Proofmark: 1 of 4 cells regressed/);
  const rows = (comment?.body ?? '').match(/^\| <code>Support desk<\/code> \| <code>Manner.*$/gm) ?? [];
  const verdicts = rows.map((row) => row.split(' | ').slice(2, 6));
  expect(verdicts.map(([base, head]) => [base, head])).toEqual([
    ['100%', '0%'],
    ...Array.from({ length: 3 }, () => ['100%', '100%']),
  ]);
});

const editOf = async (path: string, from: string, to: string) => ({
  [path]: ((await shopFiles())[path] ?? '').replaceAll(from, to),
});
const noKey = () => editOf('proofmark.yaml', '    model: ', '    api_key_env: NO_SUCH_KEY\n    model: ');
const drafts = () => editOf(suitePath, '    input: ', '    status: draft\n    input: ');

test.for([
  ['all test runs end in errors', noKey, {}, /^Regressed: no answer in 24 of 24 test runs/],
  ['all cases are skipped', drafts, {}, /^No case was executed/],
  ['no case is chosen', worsenedPrompt, { tags: 'nobody' }, /^Invalid definition: /],
] as const)('where %s the check is a failure (20)', async ([, changes, inputs, title]) => {
  const shop = await world.openShop({ changes: await changes() });
  const { outputs, log } = await world.gate(shop, { inputs });
  expect(outputs.conclusion, log).toBe('failure');
  for (const { conclusion, output } of await world.completedChecks(shop, 1)) {
    expect([conclusion, output.title]).toEqual(['failure', expect.stringMatching(title)]);
  }
});

test('two errors among passes cap the check at neutral, and are counted in its title (20)', async () => {
  const sure = (await sureSuite())[suitePath] ?? '';
  const shop = await world.openShop({
    files: { [suitePath]: sure.replace('repetitions: 3\n', 'repetitions: 2\n').replace('percent: 40', 'percent: 60') },
    changes: await editOf(agentPath, 'Answer', 'Please answer'),
  });
  // Of the head alone, and a request that a model calls wrong is not sent again.
  const wrong = { when: { system: 'Please answer', user: 'When is the shop open' }, status: 400 };
  world.model.play({ rules: [wrong, ...supportDeskRules] });
  const { outputs, log } = await world.gate(shop);
  world.model.play({ rules: supportDeskRules });
  expect(outputs, log).toMatchObject({ verdict: 'unchanged', conclusion: 'neutral', 'errored-count': '2' });
  for (const { conclusion, output } of await world.completedChecks(shop, 2)) {
    expect([conclusion, output.title]).toEqual(['neutral', expect.stringMatching(/^No regression.*, 2 errors$/)]);
  }
});
