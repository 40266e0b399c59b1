import { expect, test } from 'vitest';
import { oneAtATime } from './one-at-a-time.ts';

test('all who ask while it runs share one more run, which begins after it', async () => {
  const waiting: (() => void)[] = [];
  let runs = 0;
  const ask = oneAtATime(() => {
    runs += 1;
    return new Promise((resolve) => waiting.push(resolve));
  });
  const first = ask();
  const later = [ask(), ask(), ask()];
  expect(runs).toBe(1);
  waiting[0]?.();
  await first;
  await expect.poll(() => runs).toBe(2);
  waiting[1]?.();
  await Promise.all(later);
  expect(runs).toBe(2);
  void ask();
  expect(runs).toBe(3);
});

test('a run that failed does not hold up the next', async () => {
  let runs = 0;
  const ask = oneAtATime(async () => {
    runs += 1;
    if (runs === 1) throw new Error('once');
  });
  const first = ask();
  const second = ask();
  await expect(first).rejects.toThrow('once');
  await second;
  expect(runs).toBe(2);
});
