import { expect, test } from 'vitest';
import { PoolPace } from './publisher.ts';

test('the pace of a pool is that of its last moments, and a pool where nothing leaves has none', () => {
  let nowMs = 0;
  const pace = new PoolPace(() => nowMs);
  expect(pace.within(60)).toBe(0);
  for (let pass = 0; pass < 10; pass += 1) {
    pace.note(100);
    nowMs += 25;
  }
  // 900 in a quarter of a second: the first of them is too long ago.
  expect(pace.within(60)).toBe(216);
  nowMs += 125;
  expect(pace.within(60)).toBe(96);
  nowMs += 250;
  expect(pace.within(60)).toBe(0);
});
