import { describe, expect, test } from 'vitest';
import { dueWindow, lastTimeOfDayMs, type Schedule, type ScheduledSuite, windowStartMs } from './schedule.ts';

const at = (instant: string) => Date.parse(instant);
const longAgo = { createdAtMs: 0, updatedAtMs: 0 };
const minutesOfWeek = Array.from({ length: 7 * 24 * 60 }, (_, i) => at('2026-01-18T00:00:30Z') + i * 60_000);
/** The minutes in which a suite of long ago starts when somebody looks all the time. */
const dueAt = (schedule: Schedule) =>
  minutesOfWeek
    .filter((now) => {
      const window = dueWindow({ ...schedule, ...longAgo }, now);
      return window !== null && now - window.dueMs < 60_000;
    })
    .map((now) => new Date(now).toISOString().slice(0, 16));

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

describe('cron expressions and time zones', () => {
  test('a cron expression is due when it says, once for each time', () => {
    const due = dueAt({ type: 'manual', cron: '30 2 * * 1-5' });
    expect([due.length, due[0], due.at(-1)]).toEqual([5, '2026-01-19T02:30', '2026-01-23T02:30']);
  });

  test('times are those of the time zone', () => {
    const startOf = (schedule: Schedule, now: string) =>
      new Date(dueWindow({ ...schedule, ...longAgo }, at(now))?.dueMs ?? 0).toISOString().slice(0, 16);
    const monday = { type: 'manual', cron: '0 9 * * 1', timeZone: 'America/New_York' } as const;
    expect(startOf(monday, '2026-01-19T14:00:00Z')).toBe('2026-01-19T14:00');
    expect(startOf(monday, '2026-01-19T13:59:59Z')).toBe('2026-01-12T14:00');
    const weekly = { type: 'weekly', time: '04:15', dayOfWeek: 3, timeZone: 'Europe/Berlin' } as const;
    expect(startOf(weekly, '2026-01-22T00:00:00Z')).toBe('2026-01-21T03:15');
    const daily = { type: 'daily', time: '00:00', timeZone: 'Asia/Kolkata' } as const;
    expect(startOf(daily, '2026-01-18T20:00:00Z')).toBe('2026-01-18T18:30');
    expect(startOf({ type: 'hourly', timeZone: 'Asia/Kolkata' }, '2026-01-18T20:00:00Z')).toBe('2026-01-18T19:30');
  });

  test('a day keeps its time where the clocks change, and is run once where an hour comes twice', () => {
    const suite = { type: 'daily', time: '02:30', timeZone: 'Europe/Berlin', ...longAgo } as const;
    const startsAt = (now: string) => new Date(dueWindow(suite, at(now))?.dueMs ?? 0).toISOString();
    expect(startsAt('2026-03-28T12:00:00Z')).toBe('2026-03-28T01:30:00.000Z');
    expect(startsAt('2026-03-30T12:00:00Z')).toBe('2026-03-30T00:30:00.000Z');
    // On 25 October half past two comes at 00:30 and at 01:30 UTC.
    const night = Array.from({ length: 12 }, (_, quarter) => at('2026-10-25T00:00:30Z') + quarter * 900_000);
    const starts = new Set(night.flatMap((now) => dueWindow(suite, now)?.startMs ?? []));
    expect([...starts].filter((start) => start >= at('2026-10-25T00:00:00Z'))).toHaveLength(1);
  });

  test('jitter moves a suite by a part of its minutes, always the same, and never to another window', () => {
    const jittered = { type: 'hourly', jitterMinutes: 10, jitterShare: 0.5, ...longAgo } as const;
    expect(dueWindow(jittered, at('2026-01-18T10:05:00Z'))).toEqual({
      startMs: at('2026-01-18T10:00:00Z'),
      dueMs: at('2026-01-18T10:05:00Z'),
    });
    expect(dueWindow(jittered, at('2026-01-18T10:04:59Z'))?.startMs).toBe(at('2026-01-18T09:00:00Z'));
  });

  test('what was never due when the suite was made waits for its next time', () => {
    const fresh = { type: 'manual', cron: '0 2 * * *', createdAtMs: at('2026-01-18T03:00:00Z') } as const;
    expect(dueWindow({ ...fresh, updatedAtMs: fresh.createdAtMs }, at('2026-01-18T12:00:00Z'))).toBeNull();
    expect(dueWindow({ ...fresh, updatedAtMs: fresh.createdAtMs }, at('2026-01-19T02:00:00Z'))).not.toBeNull();
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

const shown = (suite: ScheduledSuite, now: string) => {
  const window = dueWindow(suite, at(now));
  return window && [new Date(window.startMs).toISOString(), new Date(window.dueMs).toISOString()];
};

/** Without windows: what the clock of UTC shows in the minute in which a suite starts. */
function isDue({ type, time, dayOfWeek }: Schedule, nowMs: number): boolean {
  const now = new Date(nowMs);
  const isTimeOfDay = now.toISOString().slice(11, 16) === (time ?? '00:00');
  if (type === 'hourly') return now.getUTCMinutes() === 0;
  return isTimeOfDay && (type === 'daily' || now.getUTCDay() === dayOfWeek);
}

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
