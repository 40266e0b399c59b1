import { describe, expect, test } from 'vitest';
import { isDue, windowStartMs } from './schedule.ts';

const at = (instant: string) => Date.parse(instant);
const minutesOfWeek = Array.from({ length: 7 * 24 * 60 }, (_, i) => at('2026-01-18T00:00:30Z') + i * 60_000);
const dueAt = (schedule: Parameters<typeof isDue>[0]) =>
  minutesOfWeek.filter((now) => isDue(schedule, now)).map((now) => new Date(now).toISOString().slice(0, 16));

describe('when a suite is due', () => {
  test('S2-105 an hourly suite is due in the first minute of each hour', () => {
    const due = dueAt({ type: 'hourly', time: '04:15' });
    expect([due.length, due[0], due.at(-1)]).toEqual([168, '2026-01-18T00:00', '2026-01-24T23:00']);
  });

  test('S2-106 a daily suite is due at its time, at midnight without one', () => {
    expect(dueAt({ type: 'daily', time: '04:15' })).toHaveLength(7);
    expect(dueAt({ type: 'daily', time: '04:15' })[0]).toBe('2026-01-18T04:15');
    expect(dueAt({ type: 'daily', time: null })[0]).toBe('2026-01-18T00:00');
  });

  test('S2-107 a weekly suite is due on its day at its time, and Sunday is day 0', () => {
    expect(dueAt({ type: 'weekly', time: '23:59', dayOfWeek: 0 })).toEqual(['2026-01-18T23:59']);
    expect(dueAt({ type: 'weekly', time: '00:00', dayOfWeek: 3 })).toEqual(['2026-01-21T00:00']);
    expect(dueAt({ type: 'weekly', time: '00:00' })).toEqual([]);
  });

  test('S2-109 a manual suite is never due', () => {
    expect(dueAt({ type: 'manual', time: '00:00' })).toEqual([]);
  });

  test.for(['24:00', '4:15', 'noon', '04:60'])('S2-07 the time %s never comes', (time) => {
    expect(dueAt({ type: 'daily', time })).toEqual([]);
  });
});

describe('the window a suite runs once in', () => {
  const now = at('2026-01-14T10:42:11.500Z');

  test.for([
    ['hourly', '2026-01-14T10:00:00.000Z'],
    ['daily', '2026-01-14T00:00:00.000Z'],
    ['weekly', '2026-01-11T00:00:00.000Z'],
    ['manual', '2026-01-14T10:42:11.500Z'],
  ] as const)('%s begins at %s', ([type, start]) => {
    expect(new Date(windowStartMs({ type }, now)).toISOString()).toBe(start);
  });

  test('a week that begins in the year before', () => {
    const start = windowStartMs({ type: 'weekly' }, at('2026-01-02T00:00:00Z'));
    expect(new Date(start).toISOString()).toBe('2025-12-28T00:00:00.000Z');
  });
});
