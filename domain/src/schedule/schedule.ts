import { minuteOfDay } from './time-of-day.ts';

/** When a suite runs by itself; all times are UTC. */
export type Schedule = {
  readonly type: 'manual' | 'hourly' | 'daily' | 'weekly';
  /** HH:MM, midnight when missing. */
  readonly time?: string | null | undefined;
  /** 0 is Sunday. */
  readonly dayOfWeek?: number | null | undefined;
};

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** True in the one minute of each window in which the suite should start; a manual suite is never due. */
export function isDue({ type, time, dayOfWeek }: Schedule, nowMs: number): boolean {
  const now = new Date(nowMs);
  const isTimeOfDay = now.getUTCHours() * 60 + now.getUTCMinutes() === minuteOfDay(time ?? '00:00');
  switch (type) {
    case 'manual':
      return false;
    case 'hourly':
      return now.getUTCMinutes() === 0;
    case 'daily':
      return isTimeOfDay;
    case 'weekly':
      return isTimeOfDay && now.getUTCDay() === dayOfWeek;
  }
}

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
