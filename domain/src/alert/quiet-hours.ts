import { Cron } from 'croner';

/** From when until when nobody is to be disturbed, `HH:MM` each, in a time zone such as Europe/Berlin. */
export type QuietHours = {
  readonly from: string;
  readonly until: string;
  readonly timeZone: string;
};

/** When an alert may be sent that is there now: now, or at the end of the quiet hours. */
export function sendAtMs(quiet: QuietHours | null, nowMs: number): number {
  if (quiet === null || quiet.from === quiet.until) return nowMs;
  const end = nextMs(quiet.until, quiet.timeZone, nowMs);
  const beginning = nextMs(quiet.from, quiet.timeZone, nowMs);
  // Within them the end comes before the next beginning.
  return end === null || beginning === null || beginning < end ? nowMs : end;
}

/** When the clocks of a time zone show this time next. */
function nextMs(time: string, timezone: string, nowMs: number): number | null {
  const [hour = '0', minute = '0'] = time.split(':');
  // A job that is only asked when it is due runs nothing.
  return (
    new Cron(`${Number(minute)} ${Number(hour)} * * *`, { timezone, paused: true })
      .nextRun(new Date(nowMs))
      ?.getTime() ?? null
  );
}
