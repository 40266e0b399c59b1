import { expect, it } from 'vitest';
import { shopFiles, shopRules, timesPlayed, writeProject } from '../judging/simulated-shop.ts';
import { runCli } from '../stack/run-cli.ts';
import { patient, startRunningProduct } from './running-product.ts';

it('a runner records what it hears from simulated tools, and a replay hears the same', patient, async () => {
  await using running = await startRunningProduct({ rules: shopRules() });
  const { url, token } = running.product;
  const there = { PROOFMARK_TOKEN: token, PROOFMARK_COORDINATOR: url };
  const here = { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: running.model.url };
  const ended = await runCli(['run', '--coordinator', url], { folder: await writeProject(shopFiles()), env: there });
  expect(ended.code, ended.stderr).toBe(0);
  // Test runs of one runner share what was answered.
  expect(timesPlayed(running.model)).toBe(1);

  const stored = await running.rows<{ id: string; recorded: unknown }>(
    `select id, outcome -> 'mocks' -> 'recorded' as recorded from test_case_payloads`,
  );
  expect(stored.map(({ recorded }) => recorded)).toEqual(
    Array(3).fill([expect.objectContaining({ tool: 'search_orders', result: { status: 'lost 1' } })]),
  );
  const replayed = await runCli(['replay', stored[0]?.id ?? ''], {
    folder: await writeProject({}),
    env: { ...there, ...here },
  });
  expect(replayed.stdout, replayed.stderr).toContain('SAME');
  expect(timesPlayed(running.model)).toBe(1);

  const settings = '{ cassette: orders.jsonl, cassette_mode: replay_only }';
  const entries = (stored[0]?.recorded ?? []) as unknown[]; // a list, as was expected above
  const cassette = entries.map((entry) => JSON.stringify(entry)).join('\n');
  const committed = await writeProject(shopFiles({ settings, cassette }));
  const again = await runCli(['run', '--coordinator', url], { folder: committed, env: there });
  expect(again.code, again.stderr).toBe(0);
  expect(timesPlayed(running.model)).toBe(1);
});
