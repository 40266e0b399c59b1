import { expect, test } from 'vitest';
import { lastTimeOfDayMs } from './time-of-day.ts';

const at = (instant: string) => Date.parse(instant);
const last = (time: string, now: string) => {
  const ms = lastTimeOfDayMs(time, at(now));
  return ms === undefined ? undefined : new Date(ms).toISOString();
};

test('S2-95 a time of the day last came today once it has come, its own moment included', () => {
  expect(last('02:00', '2026-03-01T02:00:00.000Z')).toBe('2026-03-01T02:00:00.000Z');
  expect(last('02:00', '2026-03-01T23:59:59.999Z')).toBe('2026-03-01T02:00:00.000Z');
});

test('S2-95 before that it last came yesterday, across the end of a month as well', () => {
  expect(last('02:00', '2026-03-01T01:59:59.999Z')).toBe('2026-02-28T02:00:00.000Z');
});

test('a text that is no time of day never comes', () => {
  expect(last('2:00', '2026-03-01T12:00:00.000Z')).toBeUndefined();
});
