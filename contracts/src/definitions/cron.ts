import { CronPattern } from 'croner';
import { z } from 'zod';
import { refusal } from './texts.ts';

/** Five fields, as everybody who wrote a crontab knows them; seconds and years are for nobody. */
function isCron(text: string): boolean {
  if (!/^(\S+ ){4}\S+$/.test(text)) return false;
  try {
    return new CronPattern(text) instanceof CronPattern;
  } catch {
    return false;
  }
}

export const CronExpression = z
  .string()
  .max(200)
  .refine(
    isCron,
    refusal('invalid_value', 'must be five fields of cron: minute, hour, day, month, weekday, such as "30 2 * * 1-5"'),
  );

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
