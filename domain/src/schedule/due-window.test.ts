import { describe, expect, test } from 'vitest';
import { dueWindow, type ScheduledSuite } from './due-window.ts';
import { isDue } from './schedule.ts';

const at = (instant: string) => Date.parse(instant);
const longAgo = { createdAtMs: 0, updatedAtMs: 0 };
const shown = (suite: ScheduledSuite, now: string) => {
  const window = dueWindow(suite, at(now));
  return window && [new Date(window.startMs).toISOString(), new Date(window.dueMs).toISOString()];
};

describe('the window in which a suite should have started', () => {
  const suites: ScheduledSuite[] = [
    { type: 'hourly', ...longAgo },
    { type: 'daily', time: '04:15', ...longAgo },
    { type: 'daily', time: null, ...longAgo },
    { type: 'weekly', time: '23:59', dayOfWeek: 6, ...longAgo },
    { type: 'weekly', time: '00:00', dayOfWeek: 0, ...longAgo },
  ];

  test.each(suites)('S2-105 S2-106 S2-107 opens in the minute in which %j is due', (suite) => {
    const week = Array.from({ length: 7 * 24 * 60 }, (_, minute) => at('2026-01-18T00:00:00Z') + minute * 60_000);
    const opened = week.filter((now) => dueWindow(suite, now)?.dueMs === now);
    expect(opened).toEqual(week.filter((now) => isDue(suite, now)));
    expect(opened.length).toBeGreaterThan(0);
  });

  test('S2-106 a day that nobody looked at in time is made up for until it ends', () => {
    const daily = { type: 'daily', time: '04:15', ...longAgo } as const;
    expect(shown(daily, '2026-01-18T23:59:59Z')).toEqual(['2026-01-18T00:00:00.000Z', '2026-01-18T04:15:00.000Z']);
    expect(shown(daily, '2026-01-19T04:14:59Z')).toBeNull();
  });

  test('S2-106 a suite made after its time waits for the next one', () => {
    const createdAtMs = at('2026-01-18T04:16:00Z');
    const fresh = { type: 'daily', time: '04:15', createdAtMs, updatedAtMs: createdAtMs } as const;
    expect(shown(fresh, '2026-01-18T04:17:00Z')).toBeNull();
    expect(shown(fresh, '2026-01-19T04:15:00Z')).not.toBeNull();
  });

  test('S2-106 a suite changed since starts late by minutes, not by hours', () => {
    const changed = { type: 'daily', time: '04:15', createdAtMs: 0, updatedAtMs: at('2026-01-18T04:16:00Z') } as const;
    expect(shown(changed, '2026-01-18T04:17:00Z')).not.toBeNull();
    expect(shown(changed, '2026-01-18T05:00:00Z')).toBeNull();
  });

  test('S2-109 a manual suite has none, nor has one whose day or time is none', () => {
    expect(shown({ type: 'manual', time: '00:00', ...longAgo }, '2026-01-18T12:00:00Z')).toBeNull();
    expect(shown({ type: 'weekly', time: '00:00', ...longAgo }, '2026-01-18T12:00:00Z')).toBeNull();
    expect(shown({ type: 'daily', time: '24:00', ...longAgo }, '2026-01-18T12:00:00Z')).toBeNull();
  });
});
