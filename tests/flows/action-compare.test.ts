import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { brokenCases, shopFiles, worsenedPrompt } from '../demo/shop.ts';
import { pushCommit } from '../stack/github/repository.ts';
import { openShopWorld, type ShopWorld, sureSuite } from './shop-world.ts';

let world: ShopWorld;

beforeAll(async () => {
  world = await openShopWorld({ withCoordinator: false });
});
afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
});

const quiet = { report: 'summary' };
const suitePath = 'evals/support.suite.yaml';

/** A suite whose scripted agent says `reply` to both of its cases, and passes when that holds a nine. */
const scripted = (name: string, reply: string, driver?: string) => `name: ${name}
agent:
  name: ${name} agent
  driver: ${driver ?? `{ type: scripted, replies: [{ reply: ${reply} }] }`}
  instructions: Be nice.
alert_threshold_percent: 60
cases:
${['Opening', 'Closing', 'Sunday'].map((one) => `  - { name: ${one}, input: When?, expected_behavior: { checks: [{ type: contains_phrases, phrases: ["9"] }] } }`).join('\n')}
`;

describe('without a coordinator a pull request is compared with its merge base inside the job', () => {
  test('a worsened prompt is red, with the base executed beside the head, case by case', async () => {
    const shop = await world.openShop({ changes: await worsenedPrompt(), files: await sureSuite() });
    const before = world.model.requests.length;
    const { exitCode, outputs, summary, log } = await world.gate(shop, { inputs: { ...quiet, concurrency: '1' } });
    expect(exitCode, log).toBe(1);
    expect(outputs).toMatchObject({
      verdict: 'regressed',
      outcome: 'regressed',
      conclusion: 'failure',
      'baseline-pass-rate': '100.0',
      'pass-rate': '75.0',
      delta: '-25.0',
      'execution-mode': 'embedded',
      'report-mode': 'summary',
    });
    expect(summary).toContain(`\`${shop.headSha.slice(0, 7)}\` against \`${shop.baseSha.slice(0, 7)}\` (merge base)`);
    for (const name of brokenCases) expect(log).toContain(`title=${name} broke`);
    const isBase = world.model.requests.slice(before).map(({ system }) => system?.includes('from 9 to 17') === true);
    expect(isBase).toEqual(Array.from({ length: 48 }, (_, index) => index % 2 === 0));
  });

  test('the base is where the branch began, and what did not change is not asked for', async () => {
    const shop = await world.openShop({ changes: await worsenedPrompt(), files: await sureSuite() });
    // The base branch goes on: what came to it later is none of this pull request's business.
    const later = { 'agents/support.agent.yaml': 'instructions: Say nothing at all.\n' };
    await pushCommit(world.github, { repository: shop.repository, branch: 'main', files: later });
    const from = world.github.journal.entries.length;
    const { outputs, log } = await world.gate(shop, { inputs: quiet });
    expect(outputs, log).toMatchObject({ outcome: 'regressed', 'baseline-pass-rate': '100.0' });
    const asked = world.github.journal.entries.slice(from).filter(({ caller }) => caller === 'job');
    const rooms = asked.map(({ path }) => path.split('/').slice(4, 6).join('/'));
    expect(rooms.map((room) => room.replace(/^compare.*/, 'compare'))).toEqual(['compare', 'git/trees', 'git/blobs']);
  });

  test('a suite that is new is without a baseline, and its neighbour is compared', async () => {
    const shop = await world.openShop({
      files: { 'evals/old.suite.yaml': scripted('Old', 'From 9') },
      changes: {
        'evals/old.suite.yaml': scripted('Old', 'Open at 9'),
        'evals/new.suite.yaml': scripted('New', 'From 9'),
      },
    });
    const { exitCode, summary, outputs, log } = await world.gate(shop, { inputs: quiet });
    expect(exitCode, log).toBe(0);
    expect(log).toContain("The suite 'New' does not exist at the base: nothing to compare with");
    expect(summary).toMatch(/<code>New<\/code>.* \| no baseline \|/);
    expect(summary).toMatch(/<code>Old<\/code>.* \| unchanged \|/);
    expect(outputs).toMatchObject({ conclusion: 'neutral', 'suites-total': '3', 'suites-affected': '2' });
  });

  test('a pull request cannot loosen the gate that it has to pass', async () => {
    const strict = (await sureSuite())[suitePath]?.replace('cases:', 'gate: { min_pass_rate: 100 }\ncases:') ?? '';
    const loose = strict.replace('min_pass_rate: 100', 'min_pass_rate: 1');
    const changes = { ...(await worsenedPrompt()), [suitePath]: loose };
    const shop = await world.openShop({ files: { [suitePath]: strict }, changes });
    const { outputs, log } = await world.gate(shop, { inputs: quiet });
    expect(outputs, log).toMatchObject({ outcome: 'below-minimum' });
    expect(log).toContain('::notice::The gate of Support desk changes: it takes effect after merge.');
  });

  test('a merge group is compared with the commit that it is built on', async () => {
    const shop = await world.openShop({ changes: await worsenedPrompt(), files: await sureSuite() });
    const group = { name: 'merge_group', headSha: shop.headSha, baseSha: shop.baseSha } as const;
    const { exitCode, outputs, log } = await world.job(shop.repository, shop.headSha, group, { inputs: quiet });
    expect(exitCode, log).toBe(1);
    expect(outputs).toMatchObject({ verdict: 'regressed', 'baseline-pass-rate': '100.0' });
  });

  test('baseline: none compares nothing, on any event a ref is compared with that ref', async () => {
    const shop = await world.openShop({ changes: await worsenedPrompt(), files: await sureSuite() });
    const none = await world.gate(shop, { inputs: { ...quiet, baseline: 'none' } });
    expect(none.outputs, none.log).toMatchObject({ outcome: 'no-baseline', 'baseline-pass-rate': '' });

    const { repository, headSha } = shop;
    const dispatch = { name: 'workflow_dispatch', branch: 'change' } as const;
    const named = await world.job(repository, headSha, dispatch, { inputs: { ...quiet, baseline: 'main' } });
    expect(named.outputs, named.log).toMatchObject({ outcome: 'regressed', 'baseline-pass-rate': '100.0' });
    expect(named.summary).toContain('(main)');

    const wrong = await world.job(repository, headSha, dispatch, { inputs: { ...quiet, baseline: 'nowhere' } });
    expect(wrong.exitCode).toBe(1);
    expect(wrong.log).toContain('::error::The baseline nowhere cannot be read: ');
  });
});

describe('an agent that is code of the repository', () => {
  const driver = '{ type: command, command: [node, agent.mjs] }';
  const program = (text: string) => `import { createInterface } from 'node:readline';
for await (const line of createInterface({ input: process.stdin })) {
  if (line !== '') process.stdout.write(JSON.stringify({ output: '${text}' }) + '\\n');
}
`;
  const files = { 'evals/code.suite.yaml': scripted('Code', '', driver), 'agent.mjs': program('From 9 to 17') };

  test('is without a baseline, and the message names base-path', async () => {
    const shop = await world.openShop({ files, changes: { 'agent.mjs': program('Whenever') } });
    const { outputs, log } = await world.gate(shop, { inputs: { ...quiet, suites: 'evals/code*' } });
    expect(outputs, log).toMatchObject({ outcome: 'no-baseline' });
    expect(log).toContain('check the base out as well and name its folder with base-path');
  });

  test('is compared with what runs in base-path, whose suites are not those of the head', async () => {
    const shop = await world.openShop({ files, changes: { 'agent.mjs': program('Whenever') } });
    const checkedOut = { ...(await shopFiles()), ...files };
    const { outputs, log } = await world.gate(shop, {
      inputs: { ...quiet, suites: '**/code*.yaml', 'base-path': 'base' },
      prepare: async (workspace) => {
        for (const [path, text] of Object.entries(checkedOut)) {
          await mkdir(dirname(join(workspace, 'base', path)), { recursive: true });
          await writeFile(join(workspace, 'base', path), text);
        }
      },
    });
    expect(outputs, log).toMatchObject({ 'pass-rate': '0.0', 'baseline-pass-rate': '100.0', outcome: 'regressed' });
  });

  test('base-path that is not there ends the job at once', async () => {
    const shop = await world.openShop({ files, changes: { 'agent.mjs': program('Whenever') } });
    const { exitCode, log } = await world.gate(shop, { inputs: { ...quiet, 'base-path': 'nowhere' } });
    expect(exitCode).toBe(1);
    expect(log).toContain('::error::base-path: there is no folder nowhere');
  });
});

describe('only-affected', () => {
  const files = { 'evals/other.suite.yaml': scripted('Other', 'From 9') };

  test('leaves out what the change cannot affect, and says so', async () => {
    const shop = await world.openShop({ files, changes: { 'evals/other.suite.yaml': scripted('Other', 'At 9') } });
    const { outputs, summary, log } = await world.gate(shop, { inputs: quiet });
    expect(outputs, log).toMatchObject({ 'suites-total': '2', 'suites-affected': '1', outcome: 'unchanged' });
    expect(log).toContain('Not affected by this change: Support desk');
    expect(summary).toContain('1 other suite is not affected by this change.');
    const { suites } = JSON.parse(await readFile(outputs['results-path'] ?? '', 'utf8'));
    expect(new Set(suites.map(({ suite }: { suite: string }) => suite))).toEqual(new Set(['Other']));
  });

  test('when nothing is affected, nothing is executed and the result is neutral', async () => {
    const before = world.model.requests.length;
    const shop = await world.openShop({ files, changes: { 'docs/terms.md': '# Terms\n' } });
    const { exitCode, outputs, log } = await world.gate(shop, { inputs: quiet });
    expect(exitCode, log).toBe(0);
    expect(outputs).toMatchObject({
      outcome: 'unaffected',
      conclusion: 'neutral',
      verdict: '',
      'suites-affected': '0',
    });
    expect(log.trimEnd().split('\n').at(-1)).toBe('Proofmark: No suite is affected by this change');
    expect(world.model.requests).toHaveLength(before);
    const all = await world.gate(shop, { inputs: { ...quiet, 'only-affected': 'false' } });
    expect(all.outputs).toMatchObject({ 'suites-affected': '2' });
  });

  test('a suite that follows a renamed file is affected by its old name', async () => {
    const agent = (await shopFiles())['agents/support.agent.yaml'] ?? '';
    const suite = (await shopFiles())[suitePath]?.replace('support.agent.yaml', 'desk.agent.yaml') ?? '';
    const changes = { 'agents/support.agent.yaml': null, 'agents/desk.agent.yaml': agent, [suitePath]: suite };
    const shop = await world.openShop({ files, changes });
    const { outputs, log } = await world.gate(shop, { inputs: quiet });
    expect(outputs, log).toMatchObject({ 'suites-affected': '1' });
  });

  test('more than 300 changed files are listed page by page; a list with gaps, or of 3,000, means every suite', async () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`pages/p${index}.md`, 'x\n']));
    const some = await world.openShop({ files, changes: many(320) });
    const listed = await world.gate(some, { inputs: quiet });
    expect(listed.outputs, listed.log).toMatchObject({ 'suites-affected': '0' });

    world.github.failNext({ method: 'GET', path: /\/pulls\/\d+\/files$/, kind: 'status', status: 200, body: [] });
    const cut = await world.gate(some, { inputs: quiet });
    expect(cut.outputs, cut.log).toMatchObject({ 'suites-affected': '2' });
    expect(cut.log).toContain('Every suite is run: GitHub does not tell all files that change.');

    const tooMany = await world.gate(await world.openShop({ files, changes: many(3000) }), { inputs: quiet });
    expect(tooMany.outputs, tooMany.log).toMatchObject({ 'suites-affected': '2' });
  });
});
