import { Cron } from 'croner';
import { z } from 'zod';
import { refusal } from './texts.ts';

/** Five fields, as everybody who wrote a crontab knows them; seconds and years are for nobody. */
function isCron(text: string): boolean {
  return /^(\S+ ){4}\S+$/.test(text) && timerOf(text) !== null;
}

/** Within these years every day of a year falls on every day of the week, the 29th of February too: what never comes in them never comes. */
function timerOf(text: string): Cron | null {
  try {
    return new Cron(`0 ${text} 2000-2027`, { mode: '7-part', timezone: 'UTC', paused: true });
  } catch {
    return null;
  }
}

/** Looked for once, where it is written: looking for a time that never comes takes long. */
const everComes = (text: string): boolean =>
  !isCron(text) || timerOf(text)?.nextRun(new Date('1999-12-31T23:59:59Z')) !== null;

export const CronExpression = z
  .string()
  .max(200)
  .refine(
    isCron,
    refusal('invalid_value', 'must be five fields of cron: minute, hour, day, month, weekday, such as "30 2 * * 1-5"'),
  )
  .refine(everComes, refusal('invalid_value', 'names a day that never comes, such as the 31st of June'));

/** Whether the clocks of this machine know the time zone. */
export function isTimeZone(name: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

export const TimeZone = z
  .string()
  .max(100)
  .refine(isTimeZone, refusal('invalid_value', 'must be a time zone such as Europe/Berlin'));
