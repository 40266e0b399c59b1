import type { Suite } from '@proofmark/contracts/suite';
import { Cron } from 'croner';

/** When a suite runs by itself; all times are UTC unless it names a time zone. */
export type Schedule = {
  readonly type: Suite['schedule_type'];
  /** HH:MM, midnight when missing. */
  readonly time?: string | null | undefined;
  /** 0 is Sunday. */
  readonly dayOfWeek?: number | null | undefined;
  /** Instead of the type. */
  readonly cron?: string | null | undefined;
  readonly timeZone?: string | null | undefined;
  readonly jitterMinutes?: number | null | undefined;
};

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * Start of the hour, day or week (from Sunday) that `nowMs` lies in: a suite runs once per window, which makes the
 * start a key that several coordinators agree on. A manual suite has no window, so the instant itself comes back.
 */
export function windowStartMs({ type }: Pick<Schedule, 'type'>, nowMs: number): number {
  const dayStart = Math.floor(nowMs / dayMs) * dayMs;
  switch (type) {
    case 'manual':
      return nowMs;
    case 'hourly':
      return Math.floor(nowMs / hourMs) * hourMs;
    case 'daily':
      return dayStart;
    case 'weekly':
      return dayStart - new Date(nowMs).getUTCDay() * dayMs;
  }
}

/** A suite that runs by itself, with what says since when its schedule is what it is. */
export type ScheduledSuite = Schedule & {
  /** 0 to 1: how much of its jitter it takes, always the same for a suite. */
  readonly jitterShare?: number;
  readonly createdAtMs: number;
  /** When anything about the suite last changed. */
  readonly updatedAtMs: number;
};

export type DueWindow = {
  /** Start of the hour, day or week: the suite runs once in it. */
  readonly startMs: number;
  /** The instant in the window at which it should start. */
  readonly dueMs: number;
};

/** So late a suite starts even if it was changed in the meantime. */
const graceMs = 10 * 60_000;

/**
 * The window of a suite that should have started by now, null when it is not time yet. Nothing is lost when nobody looked
 * at the right minute: the suite is due until its window ends, unless it is younger than the instant it was due at.
 */
export function dueWindow(suite: ScheduledSuite, nowMs: number): DueWindow | null {
  const jitterMs = Math.floor((suite.jitterMinutes ?? 0) * (suite.jitterShare ?? 0) * 60_000);
  const window = windowAt(suite, nowMs - jitterMs);
  if (window === null) return null;
  const [startMs, dueMs] = [window.startMs, window.dueMs + jitterMs];
  if (nowMs < dueMs || dueMs < suite.createdAtMs) return null;
  const isMissed = nowMs - dueMs >= graceMs;
  return isMissed && dueMs < suite.updatedAtMs ? null : { startMs, dueMs };
}

/** The window that has begun last, and when in it the suite is due. */
function windowAt(suite: Schedule, nowMs: number): DueWindow | null {
  const cron = cronOf(suite);
  if (cron === null) {
    const startMs = windowStartMs(suite, nowMs);
    const dueMs = dueInWindow(suite, startMs);
    return dueMs === null ? null : { startMs, dueMs };
  }
  const lastMs = lastTimeMs(cron, suite.timeZone ?? 'UTC', nowMs);
  return lastMs === null ? null : { startMs: lastMs, dueMs: lastMs };
}

interface Times {
  /** Null: it never came before. */
  lastMs: number | null;
  /** From here on the last time is another one. */
  nextMs: number;
}

/** What was found out about expressions, each until its next time comes: all suites are looked at every few seconds. */
const known = new Map<string, Times>();
const mostKnown = 10_000;

/** When an expression last came, this very moment included. */
function lastTimeMs(cron: string, timeZone: string, nowMs: number): number | null {
  const key = `${cron} ${timeZone}`;
  const found = known.get(key);
  if (found !== undefined && (found.lastMs ?? Number.NEGATIVE_INFINITY) <= nowMs && nowMs < found.nextMs)
    return found.lastMs;
  const timer = new Cron(cron, { timezone: timeZone, paused: true });
  // What fires at this moment has fired.
  const firedMs = timer.previousRuns(1, new Date(nowMs + 1000))[0]?.getTime();
  const lastMs = firedMs === undefined || firedMs > nowMs ? null : firedMs;
  if (known.size >= mostKnown) known.clear();
  known.set(key, { lastMs, nextMs: timer.nextRun(new Date(nowMs))?.getTime() ?? Number.POSITIVE_INFINITY });
  return lastMs;
}

/** The words of the seeds as a cron expression where clocks of a time zone count; null: they need none. */
function cronOf({ type, time, dayOfWeek, cron, timeZone }: Schedule): string | null {
  if (cron != null) return cron;
  if (timeZone == null || type === 'manual') return null;
  if (type === 'hourly') return '0 * * * *';
  const minute = minuteOfDay(time ?? '00:00');
  if (minute === undefined) return null;
  const at = `${minute % 60} ${Math.floor(minute / 60)}`;
  if (type === 'daily') return `${at} * * *`;
  return typeof dayOfWeek === 'number' ? `${at} * * ${dayOfWeek}` : null;
}

function dueInWindow({ type, time, dayOfWeek }: Schedule, startMs: number): number | null {
  if (type === 'manual') return null;
  if (type === 'hourly') return startMs;
  const minute = minuteOfDay(time ?? '00:00');
  if (minute === undefined) return null;
  if (type === 'daily') return startMs + minute * 60_000;
  const isDay = typeof dayOfWeek === 'number' && dayOfWeek >= 0 && dayOfWeek <= 6;
  return isDay ? startMs + dayOfWeek * dayMs + minute * 60_000 : null;
}

/** Minutes after midnight, or undefined for a text that is no time of day. */
function minuteOfDay(time: string): number | undefined {
  const match = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time);
  return match ? Number(match[1]) * 60 + Number(match[2]) : undefined;
}

/** When this time of the day, UTC, last came: today or yesterday. Undefined for a text that is no time of day. */
export function lastTimeOfDayMs(time: string, nowMs: number): number | undefined {
  const minute = minuteOfDay(time);
  if (minute === undefined) return undefined;
  const todayMs = Math.floor(nowMs / dayMs) * dayMs + minute * 60_000;
  return todayMs <= nowMs ? todayMs : todayMs - dayMs;
}
