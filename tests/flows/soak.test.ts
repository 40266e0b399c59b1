import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { dice } from '../simulation/clock.ts';
import { environment } from '../stack/environment.ts';
import { expectSoundLedger, modelSuite, type RunningProduct, startRunningProduct } from './running-product.ts';

const cases = environment.PROOFMARK_TEST_SOAK_CASES;
const repetitions = 20;
/** More would run out of keys for runners. */
const mostKills = 24;
const everyMs = 2_000;
const frozenMs = 3_000;
const mostMs = 60_000 + cases * 100;

type Fault =
  | 'a runner is killed'
  | 'a runner is frozen'
  | 'a coordinator is killed'
  | 'a coordinator is frozen'
  | 'the broker is killed';
const faults: readonly Fault[] = [
  'a runner is killed',
  'a runner is killed',
  'a runner is frozen',
  'a coordinator is killed',
  'a coordinator is frozen',
  'the broker is killed',
];

/** Longer than a lease: who wakes up finds that others have taken its place. */
async function freeze(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await pause(frozenMs);
  process.kill(pid, 'SIGCONT');
}

/** Does something bad every few seconds until the run is over. Returns what it did. */
async function torment(running: RunningProduct, isOver: () => boolean): Promise<Map<Fault, number>> {
  const random = dice(cases);
  const done = new Map<Fault, number>();
  let runner = 0;
  const inflict: Record<Fault, () => Promise<unknown>> = {
    'a runner is killed': async () => {
      await running.product.runners[runner++]?.kill('SIGKILL');
      await running.product.addRunner();
    },
    'a runner is frozen': () => freeze(running.product.runners[runner]?.pid ?? 0),
    'a coordinator is killed': async () => {
      await running.product.coordinator.kill('SIGKILL');
      await running.product.restartCoordinator();
    },
    'a coordinator is frozen': () => freeze(running.product.coordinator.pid),
    'the broker is killed': async () => {
      await running.nats.kill();
      await running.nats.restart();
    },
  };
  while (!isOver()) {
    await pause(everyMs);
    const chosen = faults[Math.floor(random() * faults.length)] ?? 'a runner is frozen';
    const fault = chosen === 'a runner is killed' && runner >= mostKills ? 'a runner is frozen' : chosen;
    await inflict[fault]();
    done.set(fault, (done.get(fault) ?? 0) + 1);
  }
  return done;
}

test(`P3 P4 P6 ${cases} test runs are ${cases} rows, each once, while a process dies or freezes every few seconds`, {
  timeout: mostMs,
}, async () => {
  await using running = await startRunningProduct({
    hasShortLeases: true,
    runners: 3,
    delayMs: 200,
    runnerEnv: { PROOFMARK_SLOTS: '8' },
  });
  await running.addCoordinator();
  const runId = await running.start(modelSuite({ cases: Math.ceil(cases / repetitions), repetitions }));
  let isOver = false;
  const tormented = torment(running, () => isOver);
  const ended = await running.waitForEnd(runId, mostMs).finally(() => {
    isOver = true;
  });
  const done = await tormented;

  expect(ended.status).toBe('completed');
  expect(ended.results).toHaveLength(cases);
  expect(new Set(ended.results.map(({ caseName, repetition }) => `${caseName} ${repetition}`)).size).toBe(cases);
  // Only what was lost with three runners may be anything else, and says so.
  expect(ended.results.filter(({ status, errorKind }) => status !== 'passed' && errorKind !== 'lost')).toEqual([]);
  expect(ended.results.filter(({ status }) => status === 'passed').length).toBeGreaterThan(0.99 * cases);
  await expectSoundLedger(running.rows, runId);
  // Otherwise this proved nothing.
  expect([...done.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(1);
});
