import type { Suite } from '@proofmark/contracts/suite';

/** When a suite runs by itself; all times are UTC. */
export type Schedule = {
  readonly type: Suite['schedule_type'];
  /** HH:MM, midnight when missing. */
  readonly time?: string | null | undefined;
  /** 0 is Sunday. */
  readonly dayOfWeek?: number | null | undefined;
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
  const startMs = windowStartMs(suite, nowMs);
  const dueMs = dueInWindow(suite, startMs);
  if (dueMs === null || nowMs < dueMs || dueMs < suite.createdAtMs) return null;
  const isMissed = nowMs - dueMs >= graceMs;
  return isMissed && dueMs < suite.updatedAtMs ? null : { startMs, dueMs };
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
