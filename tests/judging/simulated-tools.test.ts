import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseCassette } from '@proofmark/contracts/cassette';
import { expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../stack/model-server.ts';
import { typeCli } from '../stack/type-cli.ts';
import { shopFiles, shopRules, timesPlayed, writeProject } from './simulated-shop.ts';

const keysFor = (model: ModelServer) => ({ OPENAI_API_KEY: 'key', OPENAI_BASE_URL: model.url });

/** Runs the suite; where its results stand and what the tool said in each test run. */
async function run(folder: string, model: ModelServer, args: readonly string[] = []) {
  const ended = await typeCli(['run', ...args], { folder, env: keysFor(model) });
  const [, place = ''] = /Results: (results\/\S+)/.exec(ended.stdout) ?? [];
  const results = await readFile(join(folder, place, '01-orders/results.jsonl'), 'utf8');
  const lines = results
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter((line) => line.outcome !== undefined);
  return { ...ended, place, outcomes: lines.map((line) => line.outcome) };
}

test('repetitions of a run meet one tool, and only the one that was asked pays', async () => {
  await using model = await startModelServer({ rules: shopRules() });
  const first = await run(await writeProject(shopFiles()), model);
  expect(first.code, first.stderr).toBe(0);
  expect(timesPlayed(model)).toBe(1);
  expect(first.outcomes.map(({ response }) => response)).toEqual(Array(3).fill('{"status":"lost 1"}'));
  expect(first.outcomes.flatMap(({ measuring = [] }) => measuring)).toMatchObject([{ role: 'simulator', calls: 1 }]);
});

test('the cassette of a run, committed beside the suite, answers a later run without a call', async () => {
  await using model = await startModelServer({ rules: shopRules() });
  const folder = await writeProject(shopFiles());
  const first = await run(folder, model);
  const cassette = await readFile(join(folder, first.place, 'cassette.jsonl'), 'utf8');
  expect(parseCassette(cassette)).toMatchObject({
    ok: true,
    entries: [{ tool: 'search_orders', args: { word: 'lamp' }, result: { status: 'lost 1' } }],
  });

  const settings = '{ cassette: orders.jsonl, cassette_mode: replay_only }';
  const second = await run(await writeProject(shopFiles({ settings, cassette })), model);
  expect(second.code, second.stderr).toBe(0);
  expect(second.outcomes.map(({ response }) => response)).toEqual(Array(3).fill('{"status":"lost 1"}'));
  expect(timesPlayed(model)).toBe(1);

  // Not vacuous: without that answer nothing may be asked, and nobody says that the agent failed.
  const empty = await run(await writeProject(shopFiles({ settings, cassette: '' })), model);
  expect(empty.code).toBe(3);
  expect(empty.outcomes.map(({ errorKind }) => errorKind)).toEqual(Array(3).fill('mock'));
  expect(timesPlayed(model)).toBe(1);
});

test('a run that is compared with the results of an earlier one meets its tool', async () => {
  await using model = await startModelServer({ rules: shopRules() });
  const folder = await writeProject(shopFiles());
  const first = await run(folder, model);
  const second = await run(folder, model, ['--compare', first.place]);
  expect(second.outcomes.map(({ response }) => response)).toEqual(Array(3).fill('{"status":"lost 1"}'));
  expect(timesPlayed(model)).toBe(1);
  // Its own cassette has all that it heard, so that it can be compared with in its turn.
  expect(await readFile(join(folder, second.place, 'cassette.jsonl'), 'utf8')).toContain('lost 1');
});

test('a replay hears from the tool what the test run has heard', async () => {
  await using model = await startModelServer({ rules: shopRules() });
  const folder = await writeProject(shopFiles());
  const { place } = await run(folder, model);
  const id = `${place}/01-orders/Where is my lamp#2`;
  const replayed = await typeCli(['replay', id], { folder, env: keysFor(model) });
  expect(replayed.stdout, replayed.stderr).toContain('SAME');
  expect(replayed.code).toBe(0);
  expect(timesPlayed(model)).toBe(1);
});

test('both agents of an A/B session meet the same tool', async () => {
  await using model = await startModelServer({ rules: shopRules() });
  const folder = await writeProject(shopFiles());
  const args = ['ab', '--candidate-var', 'Temperature=1', '--concurrent', '--json'];
  const session = await typeCli(args, { folder, env: keysFor(model) });
  expect(session.stdout, session.stderr).toContain('lost 1');
  expect(session.stdout).not.toContain('lost 2');
  expect(timesPlayed(model)).toBe(1);
});
