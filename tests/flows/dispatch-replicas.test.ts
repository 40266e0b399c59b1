import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { waitUntil } from '../stack/wait-until.ts';
import {
  askGraphql,
  askToStart,
  expectSoundLedger,
  modelSuite,
  patient,
  type RunningProduct,
  startRunningProduct,
} from './running-product.ts';

const askAt =
  (url: string, token: string): RunningProduct['ask'] =>
  (query, variables, given = token) =>
    askGraphql(url, { query, ...(variables === undefined ? {} : { variables }), token: given });

const ToldResult = z.object({ data: z.object({ runResults: z.object({ id: z.string(), status: z.string() }) }) });

/** Every result of a run as one replica tells it, until the run has ended. */
async function followedAt(url: string, token: string, id: string): Promise<z.infer<typeof ToldResult>[]> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({
      query: 'subscription ($id: UUID!) { runResults(id: $id) { id status } }',
      variables: { id },
    }),
  });
  const text = await response.text();
  return [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => ToldResult.parse(JSON.parse(json ?? '')));
}

test('P8 twenty starts with one key against two replicas are one run with one set of test runs', patient, async () => {
  await using running = await startRunningProduct({ hasShortLeases: true });
  const replica = await running.addCoordinator();
  const both = [running.ask, askAt(replica.ready.url, running.product.token)];
  const key = randomUUID();
  const suite = modelSuite({ cases: 5 });
  running.model.hold();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) => askToStart(both[at % 2] ?? running.ask, suite, key)),
  );
  expect(new Set(answers.map((answer) => JSON.stringify(Reflect.get(Object(answer), 'run')))).size).toBe(1);
  const [run, ...others] = await running.rows<{ id: string }>('select id from runs');
  expect(others).toEqual([]);
  const id = run?.id ?? '';
  // Each replica tells its own followers of every result, once, whichever of them records it.
  const told = [running.product.url, replica.ready.url].map((url) => followedAt(url, running.product.token, id));
  running.model.release();
  const { results } = await running.waitForEnd(id);
  expect(results).toHaveLength(5);
  const stored = await running.rows<{ id: string }>('select id from test_case_results order by id');
  for (const ofReplica of await Promise.all(told))
    expect(
      ofReplica.map(({ data }) => ({ id: data.runResults.id })).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    ).toEqual(stored);
  await expectSoundLedger(running.rows, id);
});

test('a replica that dies or freezes is not missed: the other one finishes what it began, once', patient, async () => {
  // Half of all calls go to the frozen replica and are never answered; a lease has room for several heartbeats. Each
  // lost claim costs its time-out, so there are just so many cases that some are claimed while it is frozen.
  await using running = await startRunningProduct({
    hasShortLeases: true,
    runners: 2,
    coordinatorEnv: { PROOFMARK_LEASE_MS: '10000' },
  });
  const replica = await running.addCoordinator();
  const { product, model, rows } = running;
  model.hold();
  const runId = await askToStart(askAt(replica.ready.url, product.token), modelSuite({ cases: 12 }), randomUUID());
  const { id } = Object(Reflect.get(Object(runId), 'run'));
  await model.whenInFlight(8);
  process.kill(product.coordinator.pid, 'SIGSTOP');
  try {
    model.release();
    const ended = await running.waitForEnd(id);
    expect(ended.results.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 'passed'));
  } finally {
    process.kill(product.coordinator.pid, 'SIGCONT');
  }
  await replica.kill('SIGKILL');
  const next = await running.start(modelSuite({ cases: 3 }));
  expect((await running.waitForEnd(next)).status).toBe('completed');
  for (const ended of [id, next]) await expectSoundLedger(rows, ended);
  const openJobs = () => rows(`select 1 from outbox where kind = 'finish-suite-run' and state <> 'done'`);
  await waitUntil(async () => (await openJobs()).length === 0, {
    what: 'every finish job is done, also one that the killed replica held',
  });
});

test('P16 a rolling restart under load loses nothing and doubles nothing', patient, async () => {
  await using running = await startRunningProduct({ hasShortLeases: true, runners: 2 });
  const runId = await running.start(modelSuite({ cases: 100, repetitions: 3 }));
  const stored = async () => (await running.rows('select 1 from test_case_results')).length;
  await waitUntil(async () => (await stored()) > 10, { what: 'the run is under way', everyMs: 5 });
  await running.addCoordinator();
  await running.product.coordinator.stop(20_000);
  expect(await running.product.coordinator.exited).toEqual({ code: 0, signal: null });
  const ended = await running.waitForEnd(runId);
  expect(ended.results.map(({ status }) => status)).toEqual(Array.from({ length: 300 }, () => 'passed'));
  await expectSoundLedger(running.rows, runId);
});
