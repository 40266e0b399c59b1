const calendarDate = /^(\d{4})-(\d{2})-(\d{2})$/;
const dateTime = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d+))?)?(Z|[+-]\d{2}:\d{2})$/;

export interface IsoDate {
  /** Calendar dates as given, date-times in UTC with milliseconds: the text that is stored. */
  text: string;
  instantMs: number;
}

/** The date that `text` names; undefined for impossible days, local times and every looser spelling that engines accept. */
export function parseIsoDate(text: string): IsoDate | undefined {
  const day = calendarDate.exec(text);
  if (day) {
    const instantMs = dayInstant(Number(day[1]), Number(day[2]), Number(day[3]));
    return instantMs === undefined ? undefined : { text, instantMs };
  }
  const match = dateTime.exec(text);
  return match ? parseDateTime(match) : undefined;
}

function parseDateTime(match: RegExpExecArray): IsoDate | undefined {
  const [, year, month, date, hour, minute, second = '0', fraction = '', zone = 'Z'] = match;
  const dayMs = dayInstant(Number(year), Number(month), Number(date));
  const offsetMs = zoneOffset(zone);
  if (dayMs === undefined || offsetMs === undefined) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const milliseconds = Number(fraction.padEnd(3, '0').slice(0, 3));
  const instantMs =
    dayMs + ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000 + milliseconds - offsetMs;
  const text = new Date(instantMs).toISOString();
  // An offset can push the year below 0000 or above 9999, where ISO text gets a sign and sorts differently.
  return text.length === 24 ? { text, instantMs } : undefined;
}

function dayInstant(year: number, month: number, date: number): number | undefined {
  const day = new Date(0);
  day.setUTCFullYear(year, month - 1, date);
  // An impossible day rolls over into the next month instead of failing.
  return day.getUTCMonth() === month - 1 && day.getUTCDate() === date ? day.getTime() : undefined;
}

function zoneOffset(zone: string): number | undefined {
  if (zone === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4, 6));
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
