import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { shopFiles, worsenedPrompt } from '../demo/shop.ts';
import { asUser } from '../stack/github/as-user.ts';
import { closePullRequest } from '../stack/github/pull-request.ts';
import { runAction } from '../stack/github/run-action.ts';
import { Repository } from '../stack/github/shapes.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { openShopWorld, type ShopWorld, sureSuite } from './shop-world.ts';

const Comment = z.looseObject({ id: z.number() });

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

test('the job of an older head that comes late takes the comment from nobody', async () => {
  const shop = await world.openShop({ files: await sureSuite(), changes: {} });
  const event = { name: 'pull_request', number: shop.pullRequest } as const;
  const old = await world.push(shop, {
    'agents/support.agent.yaml': `${(await shopFiles())['agents/support.agent.yaml']}  Be kind.\n`,
  });
  const late = await world.prepare(shop.repository, old.headSha, event);
  const newest = await world.push(shop, await worsenedPrompt());
  world.model.hold();
  const job = world.gate(newest);
  await waitUntil(async () => (await world.checksOf(newest)).length > 0, {
    what: 'the newest head is run',
  });
  const { outputs, log } = await runAction(late.script, late.environment);
  expect(outputs, log).toMatchObject({ conclusion: 'cancelled' });
  world.model.release();
  expect((await job).outputs).toMatchObject({ verdict: 'regressed' });
  const [comment, ...others] = await world.commentsLike(newest, /### Proofmark: Regressed/);
  expect(others).toEqual([]);
  expect(comment?.body).toContain(`\`${newest.headSha.slice(0, 7)}\``);
});

test('the App folds away what jobs wrote before it was installed, and its own comment when nobody wants one', async () => {
  const { github } = world;
  const shop = await world.openShop({ files: await sureSuite(), changes: await worsenedPrompt() });
  const { id: repositoryId } = Repository.parse(await asUser(github, { path: `/repos/${shop.repository}` }));
  const ofJob = Comment.parse(
    await asUser(github, {
      method: 'POST',
      path: `/repos/${shop.repository}/issues/${shop.pullRequest}/comments`,
      body: { body: '<!-- proofmark:v1 key=pr -->\n### Proofmark: Regressed' },
      token: github.world.tokens.addJob(repositoryId, { issues: 'write' }),
    }),
  );
  await world.gate(shop);
  const found = await waitUntil(
    async () => (await world.commentsOf(shop)).find(({ user }) => user.login === 'proofmark[bot]'),
    { what: 'a comment of the App' },
  );
  const minimized = (id: number) => github.world.comments.find((one) => one.id === id)?.minimized;
  expect(minimized(ofJob.id)).toBe('OUTDATED');
  expect(minimized(found.id)).toBeUndefined();

  await world.gate(shop, { attempt: 2, inputs: { comment: 'off' } });
  await waitUntil(() => minimized(found.id) === 'OUTDATED', { what: 'the comment is folded away' });
});

test('github 3.2: a comment that somebody has folded away is left alone, and what is new is said in another one', async () => {
  const shop = await world.openShop({ files: await sureSuite(), changes: await worsenedPrompt() });
  await world.gate(shop);
  const [first] = await world.commentsLike(shop, /### Proofmark: Regressed/);
  const row = world.github.world.comments.find(({ id }) => id === first?.id);
  if (row === undefined) throw new Error('the comment is there');
  row.minimized = 'RESOLVED';
  const worse = await world.push(shop, { 'agents/support.agent.yaml': `${await worsenedAgent()}  Be short.\n` });
  await world.gate(worse);
  const all = await world.commentsLike(worse, new RegExp(worse.headSha.slice(0, 7)));
  expect(all.map(({ id, body }) => [id === first?.id, body.includes(worse.headSha.slice(0, 7))])).toEqual([
    [true, false],
    [false, true],
  ]);
});

const worsenedAgent = async () => (await worsenedPrompt())['agents/support.agent.yaml'] ?? '';

test('github 3.10: a check whose remarks GitHub refuses is completed without them, and no write is repeated', async () => {
  const shop = await world.openShop({ files: await sureSuite(), changes: await worsenedPrompt() });
  const path = new RegExp(`^/repos/${shop.repository}/check-runs/\\d+$`);
  const refusal = { kind: 'status', status: 422, body: { message: 'Validation Failed' } } as const;
  // The table of both checks: only their titles are left.
  world.github.failNext({ method: 'PATCH', path, holding: '|---|', times: Number.POSITIVE_INFINITY, ...refusal });
  await world.gate(shop);
  const checks = await world.completedChecks(shop, 2);
  world.github.clearFaults();
  for (const { conclusion, output } of checks) {
    expect([conclusion, output.summary]).toEqual(['failure', output.title]);
  }
  const patches = world.github.journal.writes().filter((one) => one.method === 'PATCH' && path.test(one.path));
  // What is told of a check that still runs depends on who is quicker, and is refused as well.
  const refused = patches
    .filter(({ status }) => status === 422)
    .map(({ body }) => JSON.stringify(body))
    .filter((body) => body.includes('"status":"completed"'));
  const parts = refused.map((body) =>
    ['annotations', 'text'].filter((part) => body.includes(`"${part}"`)).join(' and '),
  );
  // The suite's with all of it, without remarks, without a text; the aggregate's has neither.
  expect(parts.sort((one, other) => one.localeCompare(other))).toEqual(['', '', 'annotations and text', 'text']);
  const sent = patches.map((one) => `${one.path} ${JSON.stringify(one.body)}`);
  expect(new Set(sent).size).toBe(sent.length);
});

test('github 3.5: a comment says of a commit that nobody evaluates that it was not, and keeps its numbers', async () => {
  world.github.webhooks.target = `${world.product?.url}/webhooks/github`;
  const shop = await world.openShop({ files: await sureSuite(), changes: await worsenedPrompt() });
  await world.gate(shop);
  const [before] = await world.commentsLike(shop, /### Proofmark: Regressed/);
  const next = await world.push(shop, { 'agents/support.agent.yaml': `${await worsenedAgent()}  Be short.\n` });
  world.model.hold();
  await world.gate(next, { inputs: { wait: 'false' } });
  await closePullRequest(world.github, shop.repository, shop.pullRequest);
  const checks = await world.completedChecks(next, 2);
  world.model.release();
  world.github.webhooks.target = undefined;
  expect(checks.map(({ output }) => output.title)).toEqual(Array(2).fill('Cancelled: pull request closed'));
  const note = `\`${next.headSha.slice(0, 7)}\` was not evaluated: pull request closed`;
  const [comment, ...others] = await world.commentsLike(next, /was not evaluated/);
  expect([comment?.id, others]).toEqual([before?.id, []]);
  expect(comment?.body.replace(`\n\n${note}`, '')).toBe(before?.body);
});
