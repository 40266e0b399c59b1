import { expect, it } from 'vitest';
import { shopFiles, shopRules, timesPlayed, writeProject } from '../judging/simulated-shop.ts';
import { typeCli } from '../stack/type-cli.ts';
import { patient, type Suite, startRunningProduct } from './running-product.ts';

it('a runner records what it hears from simulated tools, and a replay hears the same', patient, async () => {
  await using running = await startRunningProduct({ rules: shopRules() });
  const { url, token } = running.product;
  const there = { PROOFMARK_TOKEN: token, PROOFMARK_COORDINATOR: url };
  const here = { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: running.model.url };
  const ended = await typeCli(['run', '--coordinator', url], { folder: await writeProject(shopFiles()), env: there });
  expect(ended.code, ended.stderr).toBe(0);
  // Test runs of one runner share what was answered.
  expect(timesPlayed(running.model)).toBe(1);

  const stored = await running.rows<{ id: string; recorded: unknown }>(
    `select id, payload -> 'mocks' -> 'recorded' as recorded from test_case_results`,
  );
  expect(stored.map(({ recorded }) => recorded)).toEqual(
    Array(3).fill([expect.objectContaining({ tool: 'search_orders', result: { status: 'lost 1' } })]),
  );
  const replayed = await typeCli(['replay', stored[0]?.id ?? ''], {
    folder: await writeProject({}),
    env: { ...there, ...here },
  });
  expect(replayed.stdout, replayed.stderr).toContain('SAME');
  expect(timesPlayed(running.model)).toBe(1);

  const settings = '{ cassette: orders.jsonl, cassette_mode: replay_only }';
  const entries = (stored[0]?.recorded ?? []) as unknown[]; // a list, as was expected above
  const cassette = entries.map((entry) => JSON.stringify(entry)).join('\n');
  const committed = await writeProject(shopFiles({ settings, cassette }));
  const again = await typeCli(['run', '--coordinator', url], { folder: committed, env: there });
  expect(again.code, again.stderr).toBe(0);
  expect(timesPlayed(running.model)).toBe(1);
});

it('several runners play equal calls equally, and so does the next run of the suite', patient, async () => {
  await using running = await startRunningProduct({
    rules: shopRules(),
    runners: 2,
    runnerEnv: { PROOFMARK_SLOTS: '1' },
  });
  const { model } = running;
  const heard = async (runId: string) => {
    const rows = await running.rows<{ session: string; result: unknown }>(
      `select c.tool_calls -> 0 -> 'result' as result, k.session_id as session from test_case_results c
       join test_suite_runs s on s.id = c.run_id
       join chunks k on k.run_id = s.run_id and c.id = any(k.members) and k.attempt = c.attempt where s.run_id = $1`,
      [runId],
    );
    return { sessions: new Set(rows.map(({ session }) => session)).size, results: rows.map(({ result }) => result) };
  };
  model.hold();
  const first = await running.start(shopSuite());
  // One slot each: two requests at once are two runners, and neither has asked for the tool yet.
  await model.whenInFlight(2);
  model.release();
  await running.waitForEnd(first);
  const { sessions, results } = await heard(first);
  expect(sessions).toBe(2);
  expect(results).toEqual(Array(3).fill(results[0]));
  expect(results[0]).toMatchObject({ status: expect.stringContaining('lost') });

  const played = timesPlayed(model);
  const second = await running.start(shopSuite());
  await running.waitForEnd(second);
  expect((await heard(second)).results).toEqual(results);
  expect(timesPlayed(model)).toBe(played);
});

const shopSuite = (): Suite => ({
  files: Object.entries(shopFiles()).map(([path, text]) => ({ path, text })),
  suitePaths: ['evals/orders.suite.yaml'],
  projectPath: 'proofmark.yaml',
});
