import { expect, test } from 'vitest';
import { waitUntil } from '../stack/wait-until.ts';
import { startWire } from '../stack/wire.ts';
import { expectSoundLedger, modelSuite, patient, type RunningProduct, startRunningProduct } from './running-product.ts';

async function expectFinishedOnce(running: RunningProduct, runId: string, cases: number): Promise<void> {
  const ended = await running.waitForEnd(runId);
  expect(ended.results.map(({ status }) => status)).toEqual(Array.from({ length: cases }, () => 'passed'));
  await expectSoundLedger(running.rows, runId);
}

const sessionsOf = async ({ rows }: RunningProduct, runnerId: string, state: string) =>
  (await rows('select 1 from runner_sessions where runner_id = $1 and state = $2', [runnerId, state])).length;

test(
  'F14 P5 a runner that is frozen for longer than its lease changes nothing when it wakes up, and works on',
  patient,
  async () => {
    await using running = await startRunningProduct({ hasShortLeases: true, runners: 1 });
    const { model, product } = running;
    model.hold();
    const runId = await running.start(modelSuite({ cases: 4 }));
    await model.whenInFlight(4);
    const frozen = product.runners[0]?.pid ?? 0;
    process.kill(frozen, 'SIGSTOP');
    await product.addRunner();
    await model.whenInFlight(8);
    model.release();
    await expectFinishedOnce(running, runId, 4);
    const before = await running.rows('select id, attempt, created_at from test_case_results order by id');
    expect(before.map(({ attempt }) => attempt)).toEqual([2, 2, 2, 2]);

    process.kill(frozen, 'SIGCONT');
    // It says hello again, and what it offers from its former life changes nothing.
    await waitUntil(async () => (await sessionsOf(running, 'runner-1', 'open')) === 1, { what: 'it is back' });
    const next = await running.start(modelSuite({ cases: 8 }));
    await expectFinishedOnce(running, next, 8);
    expect(
      await running.rows(
        'select r.id, r.attempt, r.created_at from test_case_results r join test_suite_runs s on s.id = r.run_id where s.run_id = $1 order by r.id',
        [runId],
      ),
    ).toEqual(before);
  },
);

test(
  'F05 while one of two coordinators is frozen the other one brings the run to its end, and nothing ends twice after it wakes up',
  patient,
  async () => {
    await using running = await startRunningProduct({
      runners: 1,
      coordinatorEnv: { PROOFMARK_REAP_MS: '500', PROOFMARK_ACK_WAIT_MS: '5000' },
    });
    await running.addCoordinator();
    const { model, product, rows } = running;
    model.hold();
    const runId = await running.start(modelSuite({ cases: 6 }));
    await model.whenInFlight(4);
    process.kill(product.coordinator.pid, 'SIGSTOP');
    model.release();
    try {
      await expectFinishedOnce(running, runId, 6);
    } finally {
      process.kill(product.coordinator.pid, 'SIGCONT');
    }
    await waitUntil(async () => (await fetch(`${product.url}/readyz`)).ok, { what: 'the frozen one serves again' });
    await expectFinishedOnce(running, await running.start(modelSuite({ cases: 6 })), 6);
    await expectSoundLedger(rows, runId);
    expect(await rows(`select 1 from outbox where run_id = $1 and kind = 'finish-suite-run'`, [runId])).toHaveLength(1);
  },
);

test.each([
  ['F21', 'nothing', 'cut off from the broker'],
  ['F22', 'questions', 'heard by the broker and hears no answer'],
] as const)(
  '%s a runner of whose words %s pass, %s, loses its test runs to another one, and works again when the wire is whole',
  patient,
  async (_row, passing, _what) => {
    await using running = await startRunningProduct({ hasShortLeases: true, runners: 0 });
    const { model, nats, product } = running;
    const { NATS_URL = '', ...login } = nats.loginOf('runner-1');
    await using wire = await startWire(Number(new URL(NATS_URL).port));
    await product.addRunner({ ...login, NATS_URL: `nats://127.0.0.1:${wire.port}`, PROOFMARK_SLOTS: '2' });
    model.hold();
    const runId = await running.start(modelSuite({ cases: 6 }));
    await model.whenInFlight(2);

    wire.cut(passing);
    await waitUntil(async () => (await sessionsOf(running, 'runner-1', 'expired')) === 1, { what: 'it is missed' });
    // Its own calls were given up; nothing new was begun there.
    await waitUntil(() => model.inFlight() === 0, { what: 'it has given up' });
    expect(model.requests).toHaveLength(2);
    await product.addRunner({ PROOFMARK_SLOTS: '4' });
    await model.whenInFlight(4);
    model.release();
    await expectFinishedOnce(running, runId, 6);

    wire.heal();
    await waitUntil(async () => (await sessionsOf(running, 'runner-1', 'open')) === 1, {
      what: 'it has a session again',
    });
    model.hold();
    const next = await running.start(modelSuite({ cases: 6 }));
    await model.whenInFlight(6);
    model.release();
    await expectFinishedOnce(running, next, 6);
  },
);

test(
  'F08 a coordinator whose event loop stands still for more than a lease takes nothing from a healthy runner',
  patient,
  async () => {
    await using running = await startRunningProduct({
      hasShortLeases: true,
      runners: 1,
      coordinatorEnv: { PROOFMARK_CHAOS_AT: 'after_claim_commit_before_reply:1:block=4000' },
    });
    const { model } = running;
    model.hold();
    const runId = await running.start(modelSuite({ cases: 4 }));
    await model.whenInFlight(4, 30_000);
    model.release();
    await expectFinishedOnce(running, runId, 4);
    expect(await sessionsOf(running, 'runner-1', 'expired')).toBe(0);
  },
);

/** Loaded before anything else in a process: its wall clock is wrong by so much, its timers are right. */
const wrongClock = (byMs: number) => {
  const code = `const D=Date,by=${byMs};globalThis.Date=class extends D{constructor(...a){a.length?super(...a):super(D.now()+by)}static now(){return D.now()+by}};`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
};

test.each([
  ['F09', 'a coordinator', -600_000],
  ['F09', 'a coordinator', 600_000],
  ['F19', 'a runner', 3_600_000],
])(
  '%s the wall clock of %s may be wrong by %i ms: nothing expires, and durations are right',
  patient,
  async (_row, who, byMs) => {
    await using running = await startRunningProduct({
      hasShortLeases: true,
      runners: 1,
      delayMs: 300,
      // Far less than the clock is wrong by, and more than a slow machine keeps a runner from speaking.
      coordinatorEnv: { PROOFMARK_LEASE_MS: '20000', ...(who === 'a coordinator' && wrongClock(byMs)) },
      ...(who === 'a runner' && { runnerEnv: wrongClock(byMs) }),
    });
    const runId = await running.start(modelSuite({ cases: 20 }));
    await expectFinishedOnce(running, runId, 20);
    expect(await sessionsOf(running, 'runner-1', 'expired')).toBe(0);
    const wrong = await running.rows(
      'select duration_ms from test_case_results where duration_ms not between 250 and 20000 or attempt <> 1',
    );
    expect(wrong).toEqual([]);
  },
);
