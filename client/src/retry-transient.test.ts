import { expect, test } from 'vitest';
import { type RetryTimes, retryTransient } from './retry-transient.ts';
import { refused, type Sent } from './send-operation.ts';

function clock(random = 0.5) {
  let nowMs = 0;
  const pauses: number[] = [];
  const policy: RetryTimes = {
    forMs: 60_000,
    now: () => nowMs,
    random: () => random,
    pause: async (ms) => {
      pauses.push(ms);
      nowMs += ms;
    },
  };
  return { policy, pauses };
}

const unreachable = refused('UNREACHABLE', 'down', { isTransient: true });

test('an unreachable coordinator is tried again until it answers', async () => {
  const { policy, pauses } = clock();
  const answers: Sent<string>[] = [unreachable, unreachable, { ok: true, answer: 'up' }];
  expect(await retryTransient(policy, async () => answers.shift() ?? unreachable)).toEqual({ ok: true, answer: 'up' });
  expect(pauses).toEqual([500, 1000]);
});

test('after 60 seconds the last failure is the answer', async () => {
  const { policy, pauses } = clock(1);
  expect(await retryTransient(policy, async () => unreachable)).toEqual(unreachable);
  const waitedMs = pauses.reduce((sum, ms) => sum + ms, 0);
  expect(waitedMs).toBeGreaterThan(50_000);
  expect(waitedMs).toBeLessThan(60_000);
});

test('a refusal is final at once', async () => {
  const { policy, pauses } = clock();
  const forbidden = refused('FORBIDDEN', 'no rights');
  expect(await retryTransient(policy, async () => forbidden)).toEqual(forbidden);
  expect(pauses).toEqual([]);
});

test('the pause that the coordinator asks for is kept', async () => {
  const { policy, pauses } = clock();
  const busy = refused('RATE_LIMITED', 'slower', { isTransient: true, retryAfterMs: 7000 });
  const answers: Sent<string>[] = [busy, { ok: true, answer: 'in' }];
  await retryTransient(policy, async () => answers.shift() ?? busy);
  expect(pauses).toEqual([7000]);
});
