import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { brokerOptions } from '@proofmark/process/broker-login';
import { expect, test } from 'vitest';
import { startNatsCluster } from '../stack/nats.ts';
import { waitUntil } from '../stack/wait-until.ts';
import {
  expectSoundLedger,
  modelSuite,
  patient,
  type RunningProduct,
  startOnBroker,
  startRunningProduct,
} from './running-product.ts';

type Running = Pick<RunningProduct, 'waitForEnd' | 'rows'>;

async function expectFinishedOnce(running: Running, runId: string, cases: number): Promise<void> {
  const ended = await running.waitForEnd(runId);
  expect(ended.status).toBe('completed');
  expect(ended.results.map(({ status }) => status)).toEqual(Array.from({ length: cases }, () => 'passed'));
  await expectSoundLedger(running.rows, runId);
}

const resultsOf = async ({ rows }: Running) => (await rows('select 1 from test_case_results')).length;

test('F24 a broker that is killed under load loses nothing: the run goes on when it is back', patient, async () => {
  await using running = await startRunningProduct({ hasShortLeases: true, runners: 2 });
  const runId = await running.start(modelSuite({ cases: 100, repetitions: 2 }));
  await waitUntil(async () => (await resultsOf(running)) > 10, { what: 'the first results are stored', everyMs: 5 });
  await running.nats.kill();
  await running.nats.restart();
  await expectFinishedOnce(running, runId, 200);
});

test(
  'F25 a broker that comes back without its store gets streams, consumers and open work again',
  patient,
  async () => {
    const natsStoreDir = await mkdtemp(join(tmpdir(), 'proofmark-store-'));
    try {
      await using running = await startRunningProduct({ hasShortLeases: true, natsStoreDir });
      const { model } = running;
      model.hold();
      const runId = await running.start(modelSuite({ cases: 20 }));
      await model.whenInFlight(4);
      await running.nats.kill();
      await rm(natsStoreDir, { recursive: true, force: true });
      await running.nats.restart();
      model.release();
      await expectFinishedOnce(running, runId, 20);
    } finally {
      await rm(natsStoreDir, { recursive: true, force: true });
    }
  },
);

test(
  'F26 a broker that comes back as it was a while ago loses nothing: what it took since then is sent again',
  patient,
  async () => {
    const storeDir = await mkdtemp(join(tmpdir(), 'proofmark-store-'));
    const [natsStoreDir, earlier] = [join(storeDir, 'now'), join(storeDir, 'earlier')];
    try {
      await using running = await startRunningProduct({ hasShortLeases: true, natsStoreDir });
      const { model, nats } = running;
      model.hold();
      const runId = await running.start(modelSuite({ cases: 40 }));
      await model.whenInFlight(4);
      process.kill(nats.pid(), 'SIGSTOP');
      await cp(natsStoreDir, earlier, { recursive: true });
      process.kill(nats.pid(), 'SIGCONT');
      model.release();
      await waitUntil(async () => (await resultsOf(running)) > 8, { what: 'some results are stored', everyMs: 5 });
      await nats.kill();
      await rm(natsStoreDir, { recursive: true, force: true });
      await cp(earlier, natsStoreDir, { recursive: true });
      await nats.restart();
      await expectFinishedOnce(running, runId, 40);
    } finally {
      await rm(storeDir, { recursive: true, force: true });
    }
  },
);

test(
  'F33 a runner whose key is taken away in the middle of a run is cut off, and another one does what it had begun',
  patient,
  async () => {
    await using running = await startRunningProduct({ hasShortLeases: true, runners: 2 });
    const { model, nats, product, rows } = running;
    model.hold();
    const runId = await running.start(modelSuite({ cases: 30 }));
    await model.whenInFlight(8);
    await nats.lockOut('runner-1');
    const isCutOff = async () =>
      (await rows(`select 1 from runner_sessions where runner_id = 'runner-1' and state = 'open'`)).length === 0;
    await waitUntil(isCutOff, { what: 'its session has ended', detail: () => product.runners[0]?.log() ?? '' });
    model.release();
    await expectFinishedOnce(running, runId, 30);
    const late = await rows(
      `select 1 from chunks c join runner_sessions s on s.id = c.session_id where s.runner_id = 'runner-1' and c.attempt > 1`,
    );
    expect(late).toEqual([]);
  },
);

test(
  'a cluster of three brokers that loses one under load loses nothing, and goes on without it',
  patient,
  async () => {
    const cluster = await startNatsCluster();
    await using running = await startOnBroker(cluster, {
      ...{ hasShortLeases: true, runners: 2, coordinatorEnv: { PROOFMARK_NATS_REPLICAS: '3' } },
    });
    const connection = await connect(brokerOptions({ NATS_URL: cluster.url }));
    const jsm = await jetstreamManager(connection);
    const { config, cluster: members } = await jsm.streams.info('PM_RESULTS');
    expect(config.num_replicas).toBe(3);
    expect((await jsm.streams.info('PM_WORK_default')).config.num_replicas).toBe(3);
    await connection.close();
    const runId = await running.start(modelSuite({ cases: 100, repetitions: 2 }));
    await waitUntil(async () => (await resultsOf(running)) > 10, { what: 'the first results are stored', everyMs: 5 });
    // The one that everything goes through.
    await cluster.nodes.find(({ name }) => name === members?.leader)?.kill();
    await expectFinishedOnce(running, runId, 200);
  },
);

test(
  'F27 while the broker is away a run is accepted and delayed, and the coordinator stays ready',
  patient,
  async () => {
    await using running = await startRunningProduct({ hasShortLeases: true });
    await running.nats.kill();
    const ready = async () => await (await fetch(`${running.product.url}/readyz`)).text();
    await waitUntil(async () => (await ready()) === 'degraded: nats\n', { what: 'the coordinator has noticed' });
    const { data } = await running.ask(
      'mutation ($input: StartRunInput!) { startRun(input: $input) { ... on StartRunSuccess { dispatch run { id } } } }',
      { input: { idempotencyKey: 'delayed', trigger: { triggeredBy: 'API' }, ...modelSuite({ cases: 3 }) } },
    );
    expect(data?.startRun).toMatchObject({ dispatch: 'DELAYED' });
    await running.nats.restart();
    const [run] = await running.rows<{ id: string }>('select id from runs');
    await expectFinishedOnce(running, run?.id ?? '', 3);
  },
);

test(
  'F30 a consumer and a stream that somebody removes by hand are made again, with what was in them',
  patient,
  async () => {
    await using running = await startRunningProduct({ hasShortLeases: true });
    const { model, nats } = running;
    model.hold();
    const runId = await running.start(modelSuite({ cases: 12 }));
    await model.whenInFlight(4);
    const connection = await connect(brokerOptions({ NATS_URL: nats.url }));
    const jsm = await jetstreamManager(connection);
    await jsm.consumers.delete('PM_WORK_default', 'runners');
    await jsm.streams.delete('PM_RESULTS');
    await jsm.streams.delete('PM_WORK_default');
    await connection.close();
    model.release();
    await expectFinishedOnce(running, runId, 12);
  },
);

test('F32 a task that is too large for any message ends as an error, and the others go on', patient, async () => {
  await using running = await startRunningProduct({ hasShortLeases: true });
  const suite = modelSuite({ cases: 2 });
  const huge = `name: Desk\nai_configuration: desk-model\ninstructions: '${'"'.repeat(200_000)}'\n`;
  const input = `  - { name: Huge, input: '${'"'.repeat(200_000)}', expected_behavior: { checks: [{ type: contains_phrases, phrases: ["17"] }] } }\n`;
  const files = suite.files.map(({ path, text }) => {
    if (path.endsWith('.agent.yaml')) return { path, text: huge };
    return { path, text: path.endsWith('.suite.yaml') ? text + input : text };
  });
  const runId = await running.start({ ...suite, files });
  const ended = await running.waitForEnd(runId);
  expect(ended.results.map(({ caseName, status, errorKind }) => [caseName, status, errorKind])).toEqual([
    ['Case 1', 'passed', null],
    ['Case 2', 'passed', null],
    ['Huge', 'error', 'limit'],
  ]);
  await expectSoundLedger(running.rows, runId);
});

test(
  'F28 while the streams of the broker are full a run is accepted, tasks stay queued and results stay in the runner, and all of it ends afterwards',
  patient,
  async () => {
    await using running = await startRunningProduct({ hasShortLeases: true });
    const { model, nats, rows } = running;
    const connection = await connect(brokerOptions({ NATS_URL: nats.url }));
    const jsm = await jetstreamManager(connection);
    const limit = async (bytes: number) => {
      for (const name of ['PM_WORK_default', 'PM_RESULTS']) {
        const { config } = await jsm.streams.info(name);
        await jsm.streams.update(name, { ...config, max_bytes: bytes });
      }
    };
    model.hold();
    const first = await running.start(modelSuite({ cases: 4 }));
    await model.whenInFlight(4);
    await limit(1);
    model.release();
    const second = await running.start(modelSuite({ cases: 4 }));
    await waitUntil(() => running.product.coordinator.log().includes('the broker refused tasks'), {
      what: 'the coordinator says that the broker refuses tasks',
    });
    expect(await resultsOf(running)).toBe(0);
    expect(await rows(`select 1 from chunks where run_id = $1 and state <> 'queued'`, [second])).toEqual([]);
    await limit(1024 ** 2);
    await connection.close();
    for (const runId of [first, second]) await expectFinishedOnce(running, runId, 4);
    // What the runner kept was asked of no model again.
    expect(await rows('select distinct attempt from test_case_results')).toEqual([{ attempt: 1 }]);
  },
);
