import { type Schedule, windowStartMs } from './schedule.ts';
import { minuteOfDay } from './time-of-day.ts';

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

const dayMs = 24 * 3_600_000;
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
