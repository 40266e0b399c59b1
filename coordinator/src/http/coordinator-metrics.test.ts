import { expect, test } from 'vitest';
import { coordinatorMetrics } from './coordinator-metrics.ts';

/** What a coordinator tells, without what is 0. */
const told = async (metrics: ReturnType<typeof coordinatorMetrics>, name: string): Promise<string[]> =>
  (await metrics.read().metrics()).split('\n').filter((line) => line.startsWith(name) && !line.endsWith(' 0'));

test('chunks are counted by whether somebody took them before', async () => {
  const metrics = coordinatorMetrics();
  metrics.countAttempts([{ attempt: 1 }, { attempt: 2 }, { attempt: 3 }]);
  expect(await told(metrics, 'proofmark_attempts_total')).toEqual([
    'proofmark_attempts_total{attempt="first"} 1',
    'proofmark_attempts_total{attempt="again"} 2',
  ]);
});

test('a pass of a loop is told with its time, and what it did or that it failed', async () => {
  const metrics = coordinatorMetrics();
  metrics.countPass('reaper', { counts: { requeued: 2, expired: 0 }, seconds: 0.5 });
  metrics.countPass('reaper', { counts: null, seconds: 1 });
  expect(await told(metrics, 'proofmark_upkeep_total')).toEqual([
    'proofmark_upkeep_total{loop="reaper",what="requeued"} 2',
  ]);
  expect(await told(metrics, 'proofmark_loop_failures_total')).toEqual([
    'proofmark_loop_failures_total{loop="reaper"} 1',
  ]);
  expect(await told(metrics, 'proofmark_loop_pass_seconds_sum')).toEqual([
    'proofmark_loop_pass_seconds_sum{loop="reaper"} 1.5',
  ]);
});

test('requests to GitHub are told by kind and status, also those without an answer, and pauses', async () => {
  const metrics = coordinatorMetrics();
  metrics.github.answered({ kind: 'write', status: 201 });
  metrics.github.answered({ kind: 'read', status: null });
  metrics.github.paused();
  metrics.setQueues({ pools: [], pauseSeconds: 42 });
  expect(await told(metrics, 'proofmark_github')).toEqual([
    'proofmark_github_requests_total{kind="write",status="201"} 1',
    'proofmark_github_requests_total{kind="read",status="none"} 1',
    'proofmark_github_pauses_total 1',
    'proofmark_github_pause_seconds 42',
  ]);
});

test('loops, the broker and connections are asked when somebody reads', async () => {
  const metrics = coordinatorMetrics();
  expect(await told(metrics, 'proofmark_nats_connected')).toEqual([]);
  const loop = { name: 'reaper', everyMs: 2000, lastRunMs: performance.now() - 5000, beganMs: null, isFailing: false };
  metrics.watch({
    loops: () => [loop],
    isBrokerConnected: () => true,
    connections: () => [{ login: 'worker', lane: 'loops', busy: 3, idle: 1, limit: 5, waiting: 7 }],
  });
  expect(await told(metrics, 'proofmark_nats_connected')).toEqual(['proofmark_nats_connected 1']);
  expect(await told(metrics, 'proofmark_database')).toEqual([
    'proofmark_database_connections{login="worker",lane="loops",state="busy"} 3',
    'proofmark_database_connections{login="worker",lane="loops",state="idle"} 1',
    'proofmark_database_connections{login="worker",lane="loops",state="limit"} 5',
    'proofmark_database_waiting{login="worker",lane="loops"} 7',
  ]);
  const [age = ''] = await told(metrics, 'proofmark_loop_age_seconds{loop="reaper"}');
  expect(Number(age.split(' ')[1])).toBeGreaterThanOrEqual(5);
});
